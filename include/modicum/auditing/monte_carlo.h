// The Monte Carlo estimator A^IS of the normal-distributions paper: an independent check.
#pragma once

#include <functional>

#include "modicum/numerics/enclosure.h"
#include "modicum/privacy/gaussian_spectrum.h"

namespace modicum {

/// Draws needed so that the estimate is within `accuracy` of delta but with probability
/// `failure_probability`: ln(2 / failure) / (2 accuracy^2), by Hoeffding's inequality.
double monte_carlo_draws(double accuracy, double failure_probability);

/// delta_{X,Y}(epsilon) within `accuracy`, except with `failure_probability`
/// [LuWei2024, Figure 2]. `standard_normal` is the source of randomness. Multiplicities are drawn
/// one by one: meant for small spectra.
Enclosure monte_carlo_delta(const GaussianSpectrum& spectrum, double epsilon, double accuracy,
                            double failure_probability,
                            const std::function<double()>& standard_normal);

}  // namespace modicum
