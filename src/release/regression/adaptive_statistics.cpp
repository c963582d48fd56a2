#include "release/regression/adaptive_statistics.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "numerics/dense.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr double failure = 0.05;  // of the bound on the norm of the noise: utility, not privacy

double next(double value) { return std::nextafter(value, HUGE_VAL); }

}  // namespace

AdaptiveStatistics::AdaptiveStatistics(const PrivacyTarget& target, double features,
                                       double row_norm_bound)
    : target_(target), features_(features), bound_(row_norm_bound), deviation_(0.0) {
  if (!(target.delta > 0.0 && target.epsilon > 0.0))
    throw CalibrationFailed("adaptive sufficient statistics need epsilon and delta above 0");
  deviation_ = require_positive(
      "row_norm_bound",
      next(bound_ * bound_ * std::sqrt(std::log(6.0 / target.delta)) / (target.epsilon / 3.0)));
}

double AdaptiveStatistics::grid() const { return moment_grid(deviation_, bound_); }

ProfilePoint AdaptiveStatistics::achieved() const {
  const double square = next(bound_ * bound_);
  PrivacyLoss loss = gaussian_mechanism(deviation_, square).repeated(2.0);
  // The eigenvalue as computed moves by a millionth more (docs/derivations/projection.md).
  loss.compose(gaussian_mechanism(deviation_, next(square * (1.0 + 0x1p-20))));
  return profile(loss, target_.epsilon, Accuracy::certified);
}

Eigen::VectorXd AdaptiveStatistics::solve(const IntegerGram& gram, RandomSource& source) const {
  const auto d = static_cast<Eigen::Index>(features_);
  const double third = target_.epsilon / 3.0, log_term = std::log(6.0 / target_.delta);
  const double square = bound_ * bound_, step = grid_below(deviation_);
  const Eigen::MatrixXd features = with_ridge(gram, 0.0).topLeftCorner(d, d);
  const OnGrid least = split(std::max(least_eigenvalue_bound(features), 0.0), step);
  const double noisy_least = to_double(add_rounded_normal(least, deviation_, step, source), step);
  const double least_bound = std::max(noisy_least - log_term / third * square, 0.0);
  const double noise_norm =
      std::sqrt(features_ * log_term * std::log(2.0 * features_ * features_ / failure)) * square /
      third;
  const double ridge = std::max(0.0, noise_norm - least_bound);
  // The corner of the target with itself is drawn too, and not used.
  const Eigen::MatrixXd noisy = noisy_moments(gram, deviation_, deviation_, grid(), source);
  Eigen::MatrixXd system = noisy.topLeftCorner(d, d);
  system.diagonal().array() += ridge;
  return solve_square(system, noisy.col(d).head(d));
}

}  // namespace modicum
