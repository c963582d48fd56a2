#include "data/cells/cell_text.h"

#include <fmt/format.h>

#include <cmath>

namespace modicum::data {
namespace {

constexpr double first_unsure = 0x1p53;

std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string text_of_number(double value) {
  if (value == 0.0) return "0";  // of either sign
  return std::abs(value) < first_unsure ? fmt::format("{}", value) : "";
}

std::string text_of_whole(std::int64_t value) {
  const double size = std::abs(static_cast<double>(value));
  return size < first_unsure ? fmt::format("{}", value) : "";
}

std::string text_of_whole(std::uint64_t value) {
  return static_cast<double>(value) < first_unsure ? fmt::format("{}", value) : "";
}

std::string text_of_moment(std::string_view iso) {
  constexpr std::size_t date = 10;  // YYYY-MM-DD
  if (iso.size() <= date || (iso[date] != 'T' && iso[date] != ' ')) return std::string(iso);
  std::string time(iso.substr(date + 1));
  if (time.find_first_not_of("0123456789:.") != std::string::npos) return std::string(iso);
  if (time.size() == 5) time += ":00";
  time = without_zeros(std::move(time));
  if (time == "00:00:00") return std::string(iso.substr(0, date));
  return fmt::format("{}T{}", iso.substr(0, date), time);
}

std::string text_of_decimal(std::string_view written) {
  if (written.find_first_of("eE") != std::string_view::npos) return std::string(written);
  return without_zeros(std::string(written));
}

}  // namespace modicum::data
