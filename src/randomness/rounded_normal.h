// The two ways to round offset + scale x, x normal, made of the same random digits.
#pragma once

#include <cstdint>
#include <optional>

#include "modicum/randomness/random_source.h"

namespace modicum {

/// The first 64 binary digits of u and of v, uniform on (0, 1); x = sqrt(-2 log u) cos(2 pi v).
struct NormalDigits {
  std::uint64_t u, v;
};

/// A double and how far, at most, it is from offset + scale x, whatever the digits that were not
/// drawn. The bound is infinite where nothing was proved.
struct RoughValue {
  double value, error;
};

RoughValue rough_value(double scale, double offset, NormalDigits digits);

/// The nearest integer, if the rough value decides it.
std::optional<std::int64_t> rounded_in_doubles(double scale, double offset, NormalDigits digits);

/// The nearest integer, with as many more digits as it takes.
std::int64_t rounded_in_balls(double scale, double offset, NormalDigits digits,
                              RandomSource& source);

}  // namespace modicum
