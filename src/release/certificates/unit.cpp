#include "modicum/release/unit.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "modicum/numerics/errors.h"
#include "modicum/release/neighbors.h"

namespace modicum {

std::string ProtectedUnit::words() const {
  return is_row() ? "one row" : fmt::format("all rows with one value of {}", column);
}

Value ProtectedUnit::tree() const {
  if (is_row()) return {{"kind", "row"}};
  return {{"kind", "person"}, {"column", column}};
}

ProtectedUnit ProtectedUnit::from_tree(const Value& tree) {
  if (tree.at("kind") == Value("row")) return {};
  return {tree.at("column").text()};
}

ProtectedUnit unit_in(const char* field, const std::string& text) {
  if (text.empty() || text.size() > 200 || one_line(text, 1000) != text)
    throw InvalidParameter(field, in_quotes(one_line(text, 200)),
                           "must be row, or the name of a column");
  return text == "row" ? ProtectedUnit{} : ProtectedUnit{text};
}

std::optional<ProtectedUnit> unit_of_certificate(const Value& certificate) {
  if (const Value* parameters = certificate.find("parameters"))
    if (const Value* unit = parameters->find("unit"); unit != nullptr && unit->is_text())
      return ProtectedUnit{unit->text()};
  const std::string words = neighbors_in_certificate(certificate);
  constexpr std::string_view of_person = "all rows with one value of ";
  if (const auto place = words.find(of_person); place != std::string::npos)
    return ProtectedUnit{words.substr(place + of_person.size())};
  if (words.ends_with("one row")) return ProtectedUnit{};
  return std::nullopt;
}

}  // namespace modicum
