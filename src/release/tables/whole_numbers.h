// Answers in whole numbers, on their way to the grid of the noise.
#pragma once

#include <vector>

#include "modicum/data/gram.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// The largest power of two that is at most `value` > 0.
double power_of_two_below(double value);

/// Released numbers have 24 bits below the noise: fine enough to cost nothing, coarse enough that
/// the low bits tell nothing.
double grid_below(double noise_scale);

/// value = (whole + remainder) grids, exactly; |remainder| <= 1/2.
struct OnGrid {
  Integer128 whole;
  double remainder;
};

/// `multiple` of `from`, both grids powers of two, to at most 2^52 times as much. Throws Error
/// where it overflows.
OnGrid split(Integer128 multiple, double from, double grid);
/// Throws Error beyond 2^100 grids.
OnGrid split(double value, double grid);

/// The rounding to the grid of value + N(0, deviation^2): exactly that law.
Integer128 add_rounded_normal(const OnGrid& value, double deviation, double grid,
                              RandomSource& source);

/// To the nearest double.
double to_double(Integer128 multiple, double grid);

}  // namespace modicum
