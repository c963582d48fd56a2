// A real number to about 32 digits: high + low, and how far off that may be.
#pragma once

#include <string_view>

namespace modicum {

/// The true value lies within `radius` of high + low (added exactly); |low| is at most an ulp of
/// high. Enough for every answer in double precision to be proved from it.
struct Precise {
  double high = 0.0, low = 0.0, radius = 0.0;

  static Precise exactly(double value) { return {value, 0.0, 0.0}; }
  /// numerator / denominator of exact doubles; throws InvalidParameter where it overflows.
  static Precise ratio(double numerator, double denominator);

  bool is_exactly(double value) const { return high == value && low == 0.0 && radius == 0.0; }
  bool operator==(const Precise&) const = default;
};

/// Returns its argument; throws InvalidParameter unless it is finite with a radius of at least 0.
const Precise& require_precise(std::string_view name, const Precise& value);

}  // namespace modicum
