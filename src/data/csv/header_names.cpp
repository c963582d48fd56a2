#include "data/csv/header_names.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "data/cells/number.h"

namespace modicum::data {
namespace {

bool is_name_character(char c) {
  const auto letter = static_cast<char>(c | 0x20);
  return (letter >= 'a' && letter <= 'z') || is_digit(c) || c == '_';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_name_character);
}

}  // namespace

bool are_surely_names(const std::vector<std::string>& fields) {
  std::unordered_set<std::string_view> seen;
  return std::ranges::all_of(fields, [&](const std::string& field) {
    return is_identifier(field) && !is_value_word(field) && seen.insert(field).second;
  });
}

}  // namespace modicum::data
