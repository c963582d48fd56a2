// Comparison of enclosures with numbers known to many digits, without rounding in between.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "modicum/numerics/enclosure.h"
#include "numerics/ball.h"

namespace modicum {

// So that a failed expectation shows both ends to full precision.
inline void PrintTo(const Enclosure& enclosure, std::ostream* out) {
  *out << ::testing::PrintToString(enclosure.lower()) << " .. "
       << ::testing::PrintToString(enclosure.upper()) << " (relative width "
       << enclosure.relative_width() << ")";
}

inline void PrintTo(const Ball& ball, std::ostream* out) {
  char* text = arb_get_str(ball.raw(), 25, ARB_STR_MORE);
  *out << text;
  flint_free(text);
}

}  // namespace modicum

namespace modicum::testing {

constexpr long truth_bits = 256;

/// A decimal number as the reference files give it: right to half a unit of its 25th digit. "inf"
/// and "0.0" are exact.
inline Ball decimal(const std::string& digits) {
  const PrecisionScope scope(truth_bits);
  Ball result;
  if (digits == "inf") {
    arb_pos_inf(result.raw());
    return result;
  }
  if (arb_set_str(result.raw(), digits.c_str(), truth_bits) != 0)
    throw std::invalid_argument("no number: " + digits);
  return result.exactly_zero() ? result : result.widened(abs(result) * Ball(1e-24));
}

inline bool surely_less(const Ball& a, const Ball& b) { return arb_lt(a.raw(), b.raw()) != 0; }

/// Whether the enclosure may contain the true value: exact comparisons with both ends.
inline ::testing::AssertionResult encloses(const Enclosure& enclosure, const Ball& truth) {
  if (truth.finite() || enclosure.upper() < HUGE_VAL) {
    if (surely_less(truth, Ball(enclosure.lower())) || surely_less(Ball(enclosure.upper()), truth))
      return ::testing::AssertionFailure() << ::testing::PrintToString(enclosure) << " misses "
                                           << ::testing::PrintToString(truth);
  }
  return ::testing::AssertionSuccess();
}

/// Upper bound on |x - truth| / |truth| for the end of the enclosure that is farther off.
inline double relative_distance(const Enclosure& enclosure, const Ball& truth) {
  const PrecisionScope scope(truth_bits);
  const Ball below = abs(Ball(enclosure.lower()) - truth),
             above = abs(Ball(enclosure.upper()) - truth);
  return (max(below, above) / abs(truth)).upper();
}

/// Upper bound on |middle - truth| / |truth|.
inline double relative_error(const Enclosure& enclosure, const Ball& truth) {
  const PrecisionScope scope(truth_bits);
  const Ball middle = (Ball(enclosure.lower()) + Ball(enclosure.upper())) / 2.0;
  return (abs(middle - truth) / abs(truth)).upper();
}

}  // namespace modicum::testing
