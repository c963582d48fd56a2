// Which spherical noise has the least error for a privacy target, and where that pays.
#pragma once

#include "modicum/mechanisms/optimal_noise.h"
#include "modicum/mechanisms/spherical.h"

namespace modicum {

/// E R^2, E R, or the radius that R stays within with the probability of the level; in doubles.
double spherical_noise_error(const SphericalNoise& noise, const NoiseError& error = {});

struct SphericalOptimum {
  SphericalNoise noise;
  double error;                     ///< of each answer, by the measure asked for
  double gaussian_error, l2_error;  ///< likewise
  ProfilePoint achieved;            ///< certified
  /// 1 - error / smaller of the other two.
  double gain() const;
};

/// Up to this p, and from 0.2 on, shapes are looked at.
constexpr double largest_spherical_power = 1000.0;

/// alpha, beta and p of least error under the target [WeiBienstock2026, Algorithm 5]: beta is
/// calibrated inside, alpha and p are searched on a grid and then without derivatives from its
/// minima. The result is never worse than the Gaussian and the l2 mechanism, and is certified to
/// meet the target; that it is the optimum is not proved. For several answers, each with fresh
/// noise, fewer shapes are looked at: their losses take longer. Needs epsilon > 0 and delta > 0.
SphericalOptimum optimize_spherical(const PrivacyTarget& target, double dimension,
                                    double sensitivity, double count = 1.0,
                                    const NoiseError& error = {});

/// The same with alpha = dimension - 1, over p alone; for several answers p up to 2.9 only.
SphericalOptimum optimize_generalized_gaussian(const PrivacyTarget& target, double dimension,
                                               double sensitivity, double count = 1.0);

struct SphericalAdvantage {
  double delta;
  SphericalOptimum optimum;
};

/// The delta in [1e-15, 0.1] at which Gaussian and l2 noise have the same error [WeiBienstock2026,
/// Algorithm 6]: for practical delta the gain over the better of them is largest there. It may rise
/// again towards delta = 0.1 (docs/errata.md, 15).
SphericalAdvantage largest_spherical_advantage(double epsilon, double dimension,
                                               double sensitivity);

}  // namespace modicum
