// Sums of independent discrete Gaussian variables (docs/derivations/discrete-noise.md).
#pragma once

#include "numerics/ball.h"

namespace modicum {

/// The sum over all integers k of exp(-(k - c)^2 / (2 sigma^2)).
Ball gaussian_theta(double sigma, const Ball& c);

/// P[k_1 + ... + k_count >= m] for a whole m >= 1, each with mass proportional to exp(-k^2 / (2
/// sigma^2)): a trapezoidal sum with bounds on all that it leaves out.
Ball gaussian_sum_above(double sigma, double count, double m);

}  // namespace modicum
