// The distribution of a sum of many independent copies of a whole number.
#pragma once

#include <optional>
#include <vector>

#include "numerics/ball.h"

namespace modicum {

/// Masses of the sum from `first` on, and of all that is below them and above; under Y each has
/// e^{-step k} of what it has under X.
struct LatticePower {
  double first = 0.0;
  std::vector<Ball> masses;
  Ball below_x, above_x, below_y, above_y;
};

/// All of it: the coefficients of a power of a polynomial, in so many bits that all above 1e-300
/// have digits. `masses` are those of 0, 1, ...; for some thousand sums.
LatticePower whole_power(const std::vector<Ball>& masses, double count);

/// What is within reach of the middle of X and of that of Y, to 1e-60 of both, by a discrete
/// Fourier transform; empty where even that are more than 2^15 sums.
std::optional<LatticePower> power_in_window(const std::vector<Ball>& masses, double count,
                                            const Ball& step);

}  // namespace modicum
