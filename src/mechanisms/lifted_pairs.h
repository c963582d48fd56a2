// The pairs of Gaussians that a sensitivity allows, reduced to one angle
// (docs/derivations/lifting.md, the reduction).
//
// Every pair is the image under a projection of one in which the larger covariance is 1 + T in all
// of the k directions and the means differ by Delta exactly. All that is left is w, the share of
// Delta^2 that lies in these directions.
#pragma once

#include "modicum/mechanisms/lifting.h"

namespace modicum {

class LiftedPairs {
 public:
  explicit LiftedPairs(const OutputSensitivity& sensitivity) : sensitivity_(sensitivity) {}

  /// The larger covariance first: k coordinates with ratio 1 + T and w Delta^2, one with ratio 1
  /// and (1 - w) Delta^2.
  GaussianSpectrum at(double share) const { return with_shares(share, 1.0 - share); }
  /// Dominates all pairs with w from `low` to `high`.
  GaussianSpectrum dominating(double low, double high) const;

  struct Worst {
    double share;
    double delta;  ///< estimated
  };
  Worst search(double epsilon) const;

  /// Whether delta <= threshold, in both directions, is proved for all of the pairs.
  bool stay_below(double epsilon, double threshold) const;

  /// Upper bound on delta over all of the pairs, proved, above the largest found by some `slack`.
  double supremum(double epsilon, double slack) const;

 private:
  GaussianSpectrum with_shares(double inside, double outside) const;
  double delta_at(double share, double epsilon) const;  // estimated
  OutputSensitivity sensitivity_;
};

}  // namespace modicum
