// Lifting [LuWei2026, section 6]: an algorithm that answers with a draw from N(mean(D),
// covariance(D)) becomes private by a multiple of the identity added to the covariance. Proofs:
// docs/derivations/lifting.md.
#pragma once

#include <functional>

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// How far one record can move a Gaussian output whose covariances on neighboring data sets are
/// ordered, in units of the smaller one of the two.
struct OutputSensitivity {
  /// Throws InvalidParameter unless mean_shift >= 0, variance_excess >= 0, both finite, and rank is
  /// a whole number above 0.
  OutputSensitivity(double mean_shift, double variance_excess, double rank = 1.0);
  double mean_shift;       ///< Delta: the means differ by at most this
  double variance_excess;  ///< T: the larger covariance is at most 1 + T times the smaller
  double rank;             ///< the covariances differ in at most so many directions
};

/// Upper bounds on delta over all pairs of such a sensitivity, in both directions, each proved.
struct LiftedBounds {
  double epsilon;
  double triangle;     ///< mean and covariance one after the other, epsilon split
  double composition;  ///< two independent outputs, one for each, the mean split
  double cover;        ///< all pairs, by pieces of one angle
  double worst_found;  ///< the largest exact delta that a search has found: a lower end

  /// The largest delta of all pairs with such a sensitivity.
  ProfilePoint delta() const;
  /// The same without its lower end: no data sets need have the worst of these pairs.
  ProfilePoint upper_bound() const;
};

/// Throws TargetUnreachable where no bound can be proved.
LiftedBounds lifted_bounds(const OutputSensitivity& sensitivity, double epsilon);

/// One loss that dominates all pairs of such a sensitivity, in both directions: what a lifted
/// release brings into a composition.
PrivacyLoss lifted_loss(const OutputSensitivity& sensitivity);

/// What is added to each variance, to the sensitivity that is left; not increasing.
using OutputSensitivityOf = std::function<OutputSensitivity(double noise_variance)>;

struct LiftCalibration {
  double noise_variance;  ///< the safe end
  OutputSensitivity sensitivity;
  LiftedBounds bounds;  ///< at the epsilon of the target
};

/// Smallest noise that is proved to meet the target. `start` is any guess above 0. Needs delta > 0.
/// Throws CalibrationFailed.
LiftCalibration calibrate_lift(const PrivacyTarget& target, const OutputSensitivityOf& sensitivity,
                               double start);

/// Definition 6 of the paper, which bounds the covariance in the wrong direction (docs/errata.md,
/// 1): not a guarantee, but a claim to refute.
double published_lifted_bound(const OutputSensitivity& sensitivity, double epsilon);

}  // namespace modicum
