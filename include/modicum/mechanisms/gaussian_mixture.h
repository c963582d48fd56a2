// Gaussian noise around a random place: X = sum of p_i N(c_i, sigma^2), Y = N(0, sigma^2).
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The places c_i are at least 0, the probabilities add up to 1 within 1e-9 and count divided by
/// their sum. Exact. Throws InvalidParameter. [ChoquetteChooGaneshSteinkeThakurta2024]
PrivacyLoss gaussian_mixture(double standard_deviation, const std::vector<double>& sensitivities,
                             const std::vector<double>& probabilities);

}  // namespace modicum
