#include "modicum/mechanisms/randomized_response.h"

#include <cmath>

#include "mechanisms/optimal/finite_pair.h"
#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {

PrivacyLoss randomized_response(double truth_probability, double categories) {
  require_open_unit("truth_probability", truth_probability);
  if (!(categories >= 2.0 && categories <= 1e9 && categories == std::floor(categories)))
    throw InvalidParameter("categories", categories, "must be a whole number from 2 to 1e9");
  const PrecisionScope scope(256);
  const Ball p = truth_probability;
  if (categories > 2.0) {
    const Ball other = (Ball(1.0) - p) / (Ball(categories) - 1.0);
    const Ball rest = other * (Ball(categories) - 2.0);
    return finite_pair_loss({p, other, rest}, {other, p, rest}, true);
  }
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
