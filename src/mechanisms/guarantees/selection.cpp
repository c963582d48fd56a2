#include "modicum/mechanisms/selection.h"

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {

PrivacyLoss exponential_mechanism(double epsilon) {
  return bounded_range(require_non_negative("epsilon", epsilon));
}

PrivacyLoss permute_and_flip(double epsilon) { return pure_guarantee(epsilon).as_upper_bound(); }

PrivacyLoss report_noisy_max(SelectionNoise noise, double scale, double sensitivity,
                             bool monotone) {
  const PrecisionScope scope(128);
  const Ball largest = Ball(require_non_negative("sensitivity", sensitivity)) *
                       Ball(monotone ? 1.0 : 2.0) / Ball(require_positive("scale", scale));
  const double epsilon = require_finite("sensitivity / scale", largest.upper());
  return noise == SelectionNoise::gumbel ? exponential_mechanism(epsilon)
                                         : pure_guarantee(epsilon).as_upper_bound();
}

PrivacyLoss sparse_vector(const SparseVector& plan) {
  const PrecisionScope scope(128);
  const Ball sensitivity = require_non_negative("sensitivity", plan.sensitivity);
  const Ball shifts = Ball(require_count("answers", plan.answers)) * (plan.monotone ? 1.0 : 2.0);
  const Ball epsilon =
      sensitivity / Ball(require_positive("threshold_scale", plan.threshold_scale)) +
      sensitivity * shifts / Ball(require_positive("query_scale", plan.query_scale));
  return pure_guarantee(require_finite("epsilon", epsilon.upper())).as_upper_bound();
}

}  // namespace modicum
