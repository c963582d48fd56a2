#include "interfaces/reply.h"

#include <fmt/format.h>

#include "interfaces/wording.h"
#include "modicum/data/json.h"

namespace modicum {
namespace {

std::string in_words(const Value& value) {
  if (value.is_enclosure()) return at_most(value.enclosure());
  if (value.is_bool()) return value.boolean() ? "yes" : "no";
  if (value.is_whole()) return fmt::format("{}", value.whole());
  if (value.is_number()) return fmt::format("{}", value.number());
  return value.is_text() ? value.text() : shown(value);
}

}  // namespace

void ReplyTable::add(Value entry, std::vector<std::string> cells) {
  entries_.push_back(std::move(entry));
  cells_.push_back(std::move(cells));
}

Reply::Cells& Reply::table() {
  if (blocks_.empty() || !std::holds_alternative<Cells>(blocks_.back()))
    blocks_.emplace_back(Cells{});
  return std::get<Cells>(blocks_.back());
}

Reply& Reply::add(std::string key, std::string label, Value value) {
  std::string words = in_words(value);
  return add(std::move(key), std::move(label), std::move(value), std::move(words));
}

Reply& Reply::add(std::string key, std::string label, Value value, std::string words) {
  return tell(std::move(key), std::move(value)).show({std::move(label), std::move(words)});
}

Reply& Reply::tell(std::string key, Value value) {
  tree_[key] = std::move(value);
  return *this;
}

Reply& Reply::show(std::vector<std::string> cells) {
  table().push_back(std::move(cells));
  return *this;
}

Reply& Reply::say(std::string sentences) {
  if (sentences.empty()) return *this;
  if (!blocks_.empty() && std::holds_alternative<std::string>(blocks_.back()))
    std::get<std::string>(blocks_.back()) += sentences;
  else blocks_.emplace_back(std::move(sentences));
  return *this;
}

Reply& Reply::add(std::string key, const ReplyTable& rows) {
  if (!key.empty()) tell(std::move(key), rows.entries());
  blocks_.emplace_back(rows.cells());
  return *this;
}

std::string Reply::words() const {
  std::string out;
  for (const auto& block : blocks_) {
    if (!out.empty()) out += "\n";
    const Cells* cells = std::get_if<Cells>(&block);
    out += cells != nullptr ? modicum::table(*cells) : std::get<std::string>(block);
  }
  return out;
}

}  // namespace modicum
