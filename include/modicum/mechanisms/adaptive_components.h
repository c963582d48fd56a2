// A beta for principal components that may be used although it depends on the data: what decides it
// is released with noise first [YunDudeja2025, Algorithm 3]. Asymptotic Gaussian differential
// privacy only: the scales of the noise themselves come from the data, and nothing is proved at
// finite size.
#pragma once

#include <optional>

#include "modicum/mechanisms/principal_components.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

struct AdaptiveBudget {
  /// Both above 0. Throws InvalidParameter.
  AdaptiveBudget(double calibration_mu, double components_mu);
  double calibration_mu;    ///< eta: for finding beta
  double components_mu;     ///< w: for the components themselves
  double total_mu() const;  ///< sqrt(eta^2 + w^2), of both together
};

/// What beta is made of, and the standard deviations of the noise on it: gap = theta^2 Delta,
/// transform = H, least = -H' / (2 theta^2), which is the squared mu of the plateau.
struct AdaptiveStatistics {
  double gap, transform, least;
  double gap_deviation, transform_deviation, least_deviation;
};
/// Needs fewer components than dimensions and a gap after the last; throws InvalidParameter.
AdaptiveStatistics adaptive_statistics(const ComponentSpectrum& spectrum, double calibration_mu);

/// Draws a beta. None means that the answer is "not at this budget", itself private: nothing but
/// that may be said. A tie after the last component gives none.
std::optional<double> draw_adaptive_beta(const ComponentSpectrum& spectrum,
                                         const AdaptiveBudget& budget, RandomSource& source);

}  // namespace modicum
