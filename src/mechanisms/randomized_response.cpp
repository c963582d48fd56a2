#include "modicum/mechanisms/randomized_response.h"

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {

PrivacyLoss randomized_response(double truth_probability) {
  require_open_unit("truth_probability", truth_probability);
  const PrecisionScope scope(192);
  const Ball p = truth_probability;
  return PrivacyLoss::two_point(to_precise("truth_probability", abs(log(p / (Ball(1.0) - p)))));
}

PrivacyLoss pure_guarantee(double epsilon) {
  require_non_negative("epsilon", epsilon);
  return PrivacyLoss::two_point(Precise::exactly(epsilon));
}

PrivacyLoss approximate_guarantee(double epsilon, double delta) {
  PrivacyLoss loss = PrivacyLoss::infinite_with_probability(delta);
  loss.compose(pure_guarantee(epsilon));
  return loss;
}

}  // namespace modicum
