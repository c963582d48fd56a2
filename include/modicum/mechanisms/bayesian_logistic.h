// Bayesian logistic regression with a normal posterior [LuWei2026, Definition 7]: a draw from
// N(theta, G^-1 + noise I), where theta minimizes
//
//   sum_i log(1 + exp(-y_i x_i^T theta)) + lambda/2 |theta|^2,   |x_i| <= l,  y_i = -1 or +1,
//
// and G = lambda I + X^T X / 4. How far one row moves it: docs/derivations/logistic.md.
#pragma once

#include <optional>

#include "modicum/mechanisms/lifting.h"

namespace modicum {

/// What is public about such a regression.
struct LogisticShape {
  /// Throws InvalidParameter unless both are positive and finite, the error is at least 0 and
  /// finite, and largest_rows, if given, is a whole number above 0.
  LogisticShape(double regularization, double row_norm_bound, double minimizer_error = 0.0,
                std::optional<double> largest_rows = std::nullopt);
  double regularization;               ///< lambda
  double row_norm_bound;               ///< l, of the features
  double minimizer_error;              ///< the computed minimizer is so near to the true one
  std::optional<double> largest_rows;  ///< a promise; the larger of two neighbors keeps it, too
};

/// The whitened shift of the mean is at most (l / lambda + 2 minimizer_error) / sqrt(noise +
/// 1 / (lambda + largest_rows l^2 / 4)), the last term 0 without a promise; the variance grows in
/// one direction, by at most l^2 / (4 lambda (1 + noise (lambda + l^2 / 4))). Rounded upwards.
/// Throws InvalidParameter unless noise_variance > 0, or = 0 with largest_rows, and where a bound
/// is beyond the range of doubles.
OutputSensitivity bayesian_logistic_sensitivity(const LogisticShape& shape, double noise_variance);

/// Smallest noise variance that is proved to meet the target. Needs delta > 0. Throws
/// CalibrationFailed.
LiftCalibration calibrate_bayesian_logistic(const PrivacyTarget& target,
                                            const LogisticShape& shape);

/// 2 l^2 / mu, mu that of the Gaussian mechanism which meets the target: the noise then moves the
/// log-odds of a row of norm l by about one half (its standard deviation). Needs delta > 0.
double default_logistic_regularization(const PrivacyTarget& target, double row_norm_bound);

}  // namespace modicum
