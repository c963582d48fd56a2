#include "data/cells/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace modicum::data {
namespace {

// Of a number that from_chars found out of range: is it too small rather than too large? Decided
// by the place of its first digit that is not zero, which is far from 0 in either case.
bool underflows(std::string_view text) {
  const auto mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const auto point = std::min(digits.find('.'), digits.size());
  const auto first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  long long place = static_cast<long long>(point) - static_cast<long long>(first);
  if (mark < text.size()) {
    std::string_view exponent = text.substr(mark + 1);
    if (exponent.front() == '+') exponent.remove_prefix(1);
    long long value = 0;
    const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    if (result.ec != std::errc()) return exponent.front() == '-';
    place += value;
  }
  return place < 0;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool parse_number(std::string_view text, double& value) {
  text = without_blanks(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  if (text.empty()) return false;
  const char* const end = text.data() + text.size();
  double nearest = 0.0;
  const auto [stop, problem] = std::from_chars(text.data(), end, nearest);
  if (stop != end) return false;
  if (problem == std::errc::result_out_of_range) {
    if (!underflows(text)) return false;
    nearest = text.front() == '-' ? -0.0 : 0.0;
  } else if (problem != std::errc()) {
    return false;
  }
  if (!std::isfinite(nearest)) return false;
  value = nearest;
  return true;
}

bool is_value_word(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* const known : {"na", "nan", "null", "none", "inf", "infinity", "true", "false"})
    if (word == known) return true;
  return false;
}

}  // namespace modicum::data
