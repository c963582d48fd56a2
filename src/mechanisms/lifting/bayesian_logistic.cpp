#include "modicum/mechanisms/bayesian_logistic.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"

namespace modicum {
namespace {

void require_gaussian_target(const PrivacyTarget& target) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of a normal posterior is unbounded");
}

Ball quarter_square(double row_norm_bound) {
  return Ball(row_norm_bound) * Ball(row_norm_bound) / Ball(4.0);
}

// The least variance that the larger of two neighbors can have in any direction.
Ball least_variance(const LogisticShape& shape, double noise_variance) {
  if (!shape.largest_rows) return noise_variance;
  const Ball largest_precision =
      Ball(shape.regularization) + Ball(*shape.largest_rows) * quarter_square(shape.row_norm_bound);
  return Ball(noise_variance) + Ball(1.0) / largest_precision;
}

// About what the noise will be: for a shift of the mean alone.
double first_guess(const LogisticShape& shape, double mu) {
  const double deviation = shape.row_norm_bound / shape.regularization / mu;
  return std::clamp(deviation * deviation, 1e-280, 1e280);
}

}  // namespace

LogisticShape::LogisticShape(double lambda, double bound, double error,
                             std::optional<double> promised)
    : regularization(require_positive("regularization", lambda)),
      row_norm_bound(require_positive("row_norm_bound", bound)),
      minimizer_error(require_non_negative("minimizer_error", error)),
      largest_rows(promised) {
  require_finite("minimizer_error", error);
  if (promised) require_count("largest_rows", *promised);
}

OutputSensitivity bayesian_logistic_sensitivity(const LogisticShape& shape, double noise_variance) {
  require_finite("noise_variance", noise_variance);
  if (shape.largest_rows) require_non_negative("noise_variance", noise_variance);
  else require_positive("noise_variance", noise_variance);
  const PrecisionScope scope(proof_bits);
  const Ball lambda = shape.regularization, noise = noise_variance,
             quarter = quarter_square(shape.row_norm_bound);
  const Ball shift = Ball(shape.row_norm_bound) / lambda + Ball(2.0) * Ball(shape.minimizer_error);
  const Ball excess = quarter / (lambda * (Ball(1.0) + noise * (lambda + quarter)));
  return {(shift / sqrt(least_variance(shape, noise_variance))).upper(), excess.upper()};
}

LiftCalibration calibrate_bayesian_logistic(const PrivacyTarget& target,
                                            const LogisticShape& shape) {
  require_gaussian_target(target);
  const double mu = matching_gaussian_mu(target.epsilon, target.delta).lower();
  return calibrate_lift(
      target, [&](double noise) { return bayesian_logistic_sensitivity(shape, noise); },
      first_guess(shape, mu));
}

double default_logistic_regularization(const PrivacyTarget& target, double row_norm_bound) {
  require_gaussian_target(target);
  require_positive("row_norm_bound", row_norm_bound);
  const double mu = matching_gaussian_mu(target.epsilon, target.delta).lower();
  return require_positive("regularization", 2.0 * row_norm_bound * row_norm_bound / mu);
}

}  // namespace modicum
