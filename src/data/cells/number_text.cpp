#include "data/cells/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "data/cells/text_character.h"

namespace modicum {
namespace {

bool mantissa_is_zero(std::string_view token) {
  const std::string_view mantissa = token.substr(0, token.find_first_of("eE"));
  return mantissa.find_first_of("123456789") == std::string_view::npos;
}

// The decimal next to `value` on the side of `direction`, which is +1 or -1.
std::string rounded(double value, int digits, double direction) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const std::string nearest = fmt::format("{:.{}e}", value, digits - 1);
  const double error = (read_number(nearest).value_or(value) - value) * direction;
  if (error >= 0.0) return fmt::format("{:.{}g}", value, digits);
  // Rounded the wrong way by less than half a unit of the last digit: one unit more is right.
  const std::string unit = fmt::format("1{}", nearest.substr(nearest.find('e')));
  const double step = read_number(unit).value_or(0.0) * std::pow(10.0, 1 - digits);
  return fmt::format("{:.{}g}", value + direction * step, digits);
}

}  // namespace

bool fits_double(double value, std::string_view token) {
  if (!std::isfinite(value)) return false;
  return std::abs(value) >= std::numeric_limits<double>::min() || mantissa_is_zero(token);
}

std::optional<double> read_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::quiet_NaN();
  return value;
}

std::string rounded_up(double value, int digits) { return rounded(value, digits, 1.0); }
std::string rounded_down(double value, int digits) { return rounded(value, digits, -1.0); }

std::string one_line(std::string_view text, std::size_t longest) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty() && text.size() - rest.size() < longest) {
    const std::size_t shown = shown_character(rest);
    if (shown > 0) out += rest.substr(0, shown);
    else out += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[0]));
    rest.remove_prefix(std::max<std::size_t>(shown, 1));
  }
  if (!rest.empty()) out += "...";
  return out;
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", one_line(text, 60)); }

}  // namespace modicum
