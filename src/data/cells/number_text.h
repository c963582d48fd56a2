// Numbers and strings as text: read strictly, written for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace modicum {

/// Whether `value`, read from `token`, is what the token says up to a relative rounding error:
/// finite, and neither subnormal nor a zero that was not written as one.
bool fits_double(double value, std::string_view token);

/// The rule that fits_double checks, in words.
inline constexpr const char* double_range_rule =
    "must be finite, and zero or at least 2.3e-308 in size";

/// A whole text as a decimal number, or nothing. "inf" and "nan" are numbers here; what leaves the
/// range of double precision, at either end, becomes NaN.
std::optional<double> read_number(std::string_view text);

/// Seven significant digits, never below (above) the value. Exact where the value has no more.
std::string rounded_up(double value, int digits = 7);
std::string rounded_down(double value, int digits = 7);

/// Text from outside, fit for one line: in quotation marks, control characters escaped, shortened.
std::string in_quotes(std::string_view text);
/// The same without the marks, up to `longest` bytes.
std::string one_line(std::string_view text, std::size_t longest);

}  // namespace modicum
