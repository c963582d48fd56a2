// Decimal numbers in text, to the nearest double.
#pragma once

#include <cstdint>
#include <string_view>

namespace modicum::data {

/// The double nearest to a decimal such as "-1.5e3". Blanks around it and a leading plus are
/// allowed. False unless all of the text is one number and the nearest double is finite.
bool parse_number(std::string_view text, double& value);

/// One of the usual words for a value that is no number: NA, NaN, null, inf, true, ...
bool is_value_word(std::string_view text);

/// Without blanks and tabs around it.
std::string_view without_blanks(std::string_view text);

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Reads digits into the mantissa. Beyond 19 digits it wraps around; callers count them.
inline const char* read_digits(const char* p, std::uint64_t& mantissa) {
  for (; is_digit(*p); ++p) mantissa = 10 * mantissa + static_cast<unsigned char>(*p - '0');
  return p;
}

/// The exponent after a mantissa: at most three digits, else null.
inline const char* read_exponent(const char* p, int& exponent) {
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  std::uint64_t size = 0;
  const char* const end = read_digits(p, size);
  if (end == p || end - p > 3) return nullptr;
  exponent += negative ? -static_cast<int>(size) : static_cast<int>(size);
  return end;
}

/// The quick way for most numbers. Returns where the number ends, or null where this way does not
/// apply. The text must go on until some byte that cannot belong to a number.
///
/// Correctly rounded: a mantissa up to 2^53 and the powers of ten up to 10^22 are doubles without
/// error, so that the one multiplication or division rounds the true value once.
inline const char* parse_plain_decimal(const char* p, double& value) {
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  std::uint64_t mantissa = 0;
  const char* const start = p;
  p = read_digits(p, mantissa);
  auto digits = p - start;
  int exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    p = read_digits(p, mantissa);
    digits += p - fraction;
    if (digits > 19) return nullptr;
    exponent = -static_cast<int>(p - fraction);
  }
  if (digits == 0 || digits > 19 || mantissa > (std::uint64_t{1} << 53)) return nullptr;
  if (*p == 'e' || *p == 'E') {
    p = read_exponent(p + 1, exponent);
    if (p == nullptr) return nullptr;
  }
  if (exponent < -22 || exponent > 22) return nullptr;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(mantissa));
  const double size =
      exponent < 0 ? whole / powers_of_ten[-exponent] : whole * powers_of_ten[exponent];
  value = negative ? -size : size;
  return p;
}

}  // namespace modicum::data
