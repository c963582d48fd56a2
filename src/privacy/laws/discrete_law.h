// Noise on the integers, moved by a whole number (docs/derivations/discrete-noise.md). Both pairs
// are symmetric.
#pragma once

#include <memory>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// Mass proportional to exp(-k^2 / (2 sigma^2)); 0 < sigma <= largest_discrete_sigma, shift >= 1.
inline constexpr double largest_discrete_sigma = 4096.0;
std::shared_ptr<const LossLaw> discrete_gaussian_law(double sigma, double shift);

/// Mass proportional to exp(-|k| / scale).
std::shared_ptr<const LossLaw> discrete_laplace_law(double scale, double shift);

}  // namespace modicum
