#include "modicum/release/adjacency.h"

#include "modicum/release/neighbors.h"

namespace modicum {

const Choices<Adjacency>& adjacency_words() {
  static const Choices<Adjacency> words{
      {"add_remove", Adjacency::add_remove, "with and without a record"},
      {"replace_one", Adjacency::replace_one, "with another record in its place"},
      {"zero_out", Adjacency::zero_out, "with nothing in its place"}};
  return words;
}

std::optional<Adjacency> adjacency_in_sentence(std::string_view sentence) {
  if (sentence.starts_with("add")) return Adjacency::add_remove;
  if (sentence.starts_with("replac")) return Adjacency::replace_one;
  if (sentence.starts_with("zero")) return Adjacency::zero_out;
  return std::nullopt;
}

std::string neighbors_in_certificate(const Value& certificate) {
  for (const char* key : {"neighbors", "adjacency"})
    if (const Value* words = certificate.find(key); words != nullptr && words->is_text())
      return words->text();
  return "";
}

}  // namespace modicum
