#include "release/regression/adaptive_statistics.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "numerics/dense.h"
#include "release/descriptions/mechanisms.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr double failure = 0.05;  // of the bound on the norm of the noise: utility, not privacy

double next(double value) { return std::nextafter(value, HUGE_VAL); }

// Of a moment, and of the eigenvalue as computed, which moves by a millionth more
// (docs/derivations/projection.md).
struct Sensitivities {
  double moment, eigenvalue;
  explicit Sensitivities(double row_norm_bound)
      : moment(next(row_norm_bound * row_norm_bound)), eigenvalue(next(moment * (1.0 + 0x1p-20))) {}
};

Calibration calibrate_three(const PrivacyTarget& target, double row_norm_bound) {
  if (!(target.delta > 0.0 && target.epsilon > 0.0))
    throw CalibrationFailed("adaptive sufficient statistics need epsilon and delta above 0");
  const Sensitivities sensitivity(require_positive("row_norm_bound", row_norm_bound));
  const auto family = [&](double deviation) {
    PrivacyLoss loss = gaussian_mechanism(deviation, sensitivity.moment).repeated(2.0);
    loss.compose(gaussian_mechanism(deviation, sensitivity.eigenvalue));
    return loss;
  };
  return smallest_noise(family, target, require_positive("row_norm_bound", sensitivity.moment));
}

}  // namespace

AdaptiveStatistics::AdaptiveStatistics(const PrivacyTarget& target, double features,
                                       double row_norm_bound)
    : AdaptiveStatistics(target, features, row_norm_bound,
                         calibrate_three(target, row_norm_bound)) {}

AdaptiveStatistics::AdaptiveStatistics(const PrivacyTarget& target, double features,
                                       double row_norm_bound, const Calibration& found)
    : target_(target),
      features_(features),
      bound_(row_norm_bound),
      deviation_(found.parameter),
      achieved_(found.achieved) {}

double AdaptiveStatistics::grid() const { return moment_grid(deviation_, bound_); }

Value AdaptiveStatistics::description(double standard_deviation, double row_norm_bound) {
  const Sensitivities sensitivity(row_norm_bound);
  return described::composition_of(
      {description_of(described::Gaussian{standard_deviation, sensitivity.moment}, 2.0),
       description_of(described::Gaussian{standard_deviation, sensitivity.eigenvalue})});
}

Eigen::VectorXd AdaptiveStatistics::solve(const IntegerGram& gram, RandomSource& source) const {
  const auto d = static_cast<Eigen::Index>(features_);
  // The published constants, in units of the deviation that they would call for.
  const double log_term = std::log(6.0 / target_.delta), step = grid_below(deviation_);
  const Eigen::MatrixXd features = with_ridge(gram, 0.0).topLeftCorner(d, d);
  const OnGrid least = split(std::max(least_eigenvalue_bound(features), 0.0), step);
  const double noisy_least = to_double(add_rounded_normal(least, deviation_, step, source), step);
  const double least_bound = std::max(noisy_least - std::sqrt(log_term) * deviation_, 0.0);
  const double noise_norm =
      std::sqrt(features_ * std::log(2.0 * features_ * features_ / failure)) * deviation_;
  const double ridge = std::max(0.0, noise_norm - least_bound);
  // The corner of the target with itself is drawn too, and not used.
  const Eigen::MatrixXd noisy = noisy_moments(gram, deviation_, deviation_, grid(), source);
  Eigen::MatrixXd system = noisy.topLeftCorner(d, d);
  system.diagonal().array() += ridge;
  return solve_square(system, noisy.col(d).head(d));
}

}  // namespace modicum
