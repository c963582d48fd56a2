// Components that are drawn all at once, with as little noise as the limit of many dimensions
// allows for these data: the gap after the last component is released first, with noise, and
// decides.
//
// A departure from [YunDudeja2025, Algorithm 3], which releases three statistics without margins
// and is far from its limit at the sizes of its own data (docs/errata.md, 17). Here the gap bounds
// the other two, and the margin is such that delta, averaged over the noise on the gap, meets the
// target whatever the eigenvalues are: docs/derivations/principal-components.md. What is left to
// the limit is the privacy of the draw given the gap: asymptotic, not proved.
#pragma once

#include <optional>

#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/exponential_components.h"

namespace modicum {

/// What a release does with the gap of sum x x^T / l^2, |x| <= l, after the last component. All of
/// it follows from public numbers.
class AdaptiveCalibration {
 public:
  /// `share` of the squared mu of the target for the gap, above 0 and below 1; fewer components
  /// than dimensions. Throws InvalidParameter; CalibrationFailed for delta = 0.
  AdaptiveCalibration(const PrivacyTarget& target, double dimension, double components,
                      double share, RowScaling scaling);

  double gap_mu() const { return gap_mu_; }                ///< what the noisy gap is proved to have
  double components_mu() const { return components_mu_; }  ///< limit of the draw within the margin
  double gap_deviation() const { return deviation_; }      ///< of the noise on the gap
  /// In these deviations: of a noisy gap d, sqrt(d^2 - margin^2) is used.
  double margin() const { return margin_; }
  /// At the target's epsilon, averaged over the noise on the gap: a bound for all eigenvalues, in
  /// the limit. At most the target's delta.
  double delta() const { return delta_; }

  /// What sum |V^T x|^2 / l^2 is multiplied with in the exponent. None if the gap is too small for
  /// this budget: then nothing but that is to be said.
  std::optional<double> exponent_factor(double noisy_gap) const;

 private:
  double most_excess(double epsilon) const;
  double excess_between(double low, double high, double epsilon) const;

  double gap_mu_, components_mu_, deviation_;
  double floor_;  // least gap used, in deviations: below, no draw is known to have components_mu
  double tail_;   // where a normal variable is beyond what matters
  double margin_ = 0.0, delta_ = 1.0;
};

}  // namespace modicum
