// Log moment function of the privacy loss of a Gaussian spectrum. For one component (t = tau - 1,
// n coordinates, M the sum of squared means), with w = 1 - z t and l(x) = log(1 + x) - x:
//
//   K(z)   = -n/2 (z l(t) + l(-z t)) + M z (1 + z) / (2 w)
//   K'(z)  = -n/2 l(t) + n z t^2 / (2 w) + M (1 + 2z - t z^2) / (2 w^2)
//   K''(z) = n t^2 / (2 w^2) + M (1 + t) / w^3
//
// and beyond the tangent at c, with r = t / w(c) and g = M (1 + t) / (2 w(c)^3):
//
//   R(d) = -n/2 l(-r d) + g d^2 / (1 - r d).
//
// Derived in docs/derivations/gaussian-spectrum.md.
#pragma once

#include <vector>

#include "modicum/privacy/gaussian_spectrum.h"
#include "numerics/log_moment.h"

namespace modicum {

class GaussianMoment final : public LogMoment {
 public:
  explicit GaussianMoment(const GaussianSpectrum& spectrum);

  double lower_end() const override { return lower_end_; }
  double upper_end() const override { return upper_end_; }
  Jet jet(long double x) const override;
  std::unique_ptr<Expansion> expand(double center) const override;
  std::unique_ptr<BallExpansion> expand_ball(double center) const override;

  /// Encloses the essential supremum of the loss; +infinity where it is unbounded.
  Enclosure supremum() const;

 private:
  struct Component {
    long double excess, ratio, log_part;  // t, 1 + t, l(t)
    long double multiplicity, mean_square;
    double excess_radius, mean_square_radius;
  };
  GaussianSpectrum spectrum_;
  std::vector<Component> components_;
  double lower_end_, upper_end_;
};

/// How far the eigenvalues of a dense pair may lie from the variance ratios of its diagonal, one
/// for one in ascending order (docs/derivations/dense-pairs.md); 0 where there is nothing off it.
Ball eigenvalue_distance(const GaussianSpectrum& spectrum);

}  // namespace modicum
