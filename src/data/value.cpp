#include "modicum/data/value.h"

#include <fmt/format.h>

#include <algorithm>

namespace modicum {

// Here and not in the header: a tree of variants is much code, and needed in many places.
Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

void Value::refuse_kind(const char* kind) {
  throw Error(fmt::format("a value must be {}, but is not", kind));
}

double Value::number() const {
  return is_whole() ? static_cast<double>(whole()) : get<double>("a number");
}

std::vector<double> Value::numbers() const {
  std::vector<double> all;
  for (const Value& each : items()) all.push_back(each.number());
  return all;
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> all;
  for (const Value& each : items()) all.push_back(each.text());
  return all;
}

std::size_t Value::size() const {
  if (is_list()) return items().size();
  return is_record() ? members().size() : 0;
}

const Value* Value::find(std::string_view key) const {
  if (!is_record()) return nullptr;
  const auto found = std::ranges::find(members(), key, &Member::first);
  return found == members().end() ? nullptr : &found->second;
}

const Value& Value::at(std::string_view key) const {
  if (const Value* found = find(key)) return *found;
  throw Error(fmt::format("there is no \"{}\"", key));
}

const Value& Value::at(std::size_t index) const {
  if (index >= items().size()) throw Error(fmt::format("there is no entry {}", index));
  return items()[index];
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) content_ = Record{};
  if (!is_record()) refuse_kind("a record");
  Record& all = std::get<Record>(content_);
  const auto found = std::ranges::find(all, key, &Member::first);
  if (found != all.end()) return found->second;
  return all.emplace_back(std::string(key), Value()).second;
}

Value& Value::push_back(Value value) {
  if (is_null()) content_ = List{};
  if (!is_list()) refuse_kind("a list");
  return std::get<List>(content_).emplace_back(std::move(value));
}

}  // namespace modicum
