// Poisson-subsampled additive noise: X = (1 - q) Y + q (Y shifted), q strictly between 0 and 1.
#pragma once

#include <memory>

#include "modicum/numerics/precise.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// Y = N(0, 1), shifted by mu > 0.
std::shared_ptr<const LossLaw> subsampled_gaussian_law(const Precise& mu, double sampling_rate);

/// Y of density exp(-|x|)/2, shifted by range > 0.
std::shared_ptr<const LossLaw> subsampled_laplace_law(const Precise& range, double sampling_rate);

}  // namespace modicum
