// Gaussian process regression, answered by a draw from the posterior at public query points with
// noise added [LuWei2026, Definition 8]. Proofs: docs/derivations/gaussian-process.md.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// What is public about a Gaussian process and its data. All of it counts in the same units of the
/// target.
struct GaussianProcessBounds {
  /// Throws InvalidParameter unless all are positive and finite, and largest_rows is a whole
  /// number.
  GaussianProcessBounds(double kernel_bound, double noise_variance, double target_bound,
                        double largest_rows, double prior_bound);
  double kernel_bound;    ///< k(x, x) <= kernel_bound for every row x: l^2
  double noise_variance;  ///< of the observations
  double target_bound;    ///< |y| <= target_bound: B
  double largest_rows;    ///< no data set has more rows, neighbors included: a promise
  double prior_bound;     ///< no eigenvalue of the prior covariance of the queries is above: kappa
};

/// A bound on r^2/s over all data sets, r the distance of a target from what the other rows predict
/// and s the variance of that prediction, noise included. [LuWei2026] has largest_rows B^2 /
/// noise_variance, which is never below. At most 2^-8 above the largest that the proof allows.
double surprise_bound(const GaussianProcessBounds& bounds);

/// A bound on T: the larger of two neighboring covariances, both with `lift` added to each
/// variance, is at most 1 + T times the smaller.
double posterior_excess(const GaussianProcessBounds& bounds, double lift);

/// Dominates every pair of neighbors at once, in both directions: what a release brings into a
/// composition. X has the record.
PrivacyLoss gaussian_process_loss(const GaussianProcessBounds& bounds, double lift);

struct GaussianProcessCalibration {
  double lift;            ///< added to each variance; the safe end
  ProfilePoint achieved;  ///< certified; at a smaller epsilon than asked for where that is met
};

/// Smallest lift that is proved to meet the target for every pair of neighbors, but none below
/// 2^-20 of prior_bound, which may meet more. Needs delta > 0. Throws CalibrationFailed.
GaussianProcessCalibration calibrate_gaussian_process(const PrivacyTarget& target,
                                                      const GaussianProcessBounds& bounds);

}  // namespace modicum
