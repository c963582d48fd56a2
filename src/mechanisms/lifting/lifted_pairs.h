// The pairs of Gaussians that a sensitivity allows, reduced to one angle
// (docs/derivations/lifting.md, the reduction).
//
// Every pair is the image under a projection of one in which the larger covariance is 1 + T in all
// of the k directions and the means differ by Delta exactly. All that is left is w, the share of
// Delta^2 that lies in these directions.
#pragma once

#include "mechanisms/suprema/moving_spectrum.h"
#include "modicum/mechanisms/lifting.h"
#include "numerics/ball.h"

namespace modicum {

class LiftedPairs {
 public:
  explicit LiftedPairs(const OutputSensitivity& sensitivity) : sensitivity_(sensitivity) {}

  /// The larger covariance first: k coordinates with ratio 1 + T and w Delta^2, one with ratio 1
  /// and (1 - w) Delta^2.
  GaussianSpectrum at(double share) const;

  struct Worst {
    double share;
    double delta;  ///< estimated
  };
  Worst search(double epsilon) const;

  /// Whether delta <= threshold, in both directions, is proved for all of the pairs.
  bool stay_below(double epsilon, double threshold) const;

  /// Upper bound on delta over all of the pairs, proved, above the largest found by some `slack`.
  double bound(double epsilon, double slack) const;

  /// All of them; only where they are not one pair.
  MovingSpectrum moving() const;

 private:
  GaussianSpectrum with_shares(const Ball& inside, const Ball& outside) const;
  /// Whether all pairs are one, but for the direction.
  bool is_one_pair() const {
    return sensitivity_.mean_shift == 0.0 || sensitivity_.variance_excess == 0.0;
  }
  double delta_at(double share, double epsilon) const;  // estimated
  bool piece_stays_below(double low, double high, double epsilon, double threshold) const;
  bool piece_is_dominated(double low, double high, double epsilon, double threshold) const;
  bool piece_is_flat(double low, double high, double epsilon, double threshold) const;
  OutputSensitivity sensitivity_;
};

}  // namespace modicum
