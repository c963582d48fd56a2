#include "modicum/privacy/conversions.h"

#include <cmath>
#include <utility>

#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

Ball renyi_bound(const Ball& order, const Ball& divergence, double delta) {
  return divergence + log1p(Ball(-1.0) / order) - log(Ball(delta) * order) / (order - 1.0);
}

double safe_epsilon(const Ball& bound) {
  if (!bound.finite()) throw TargetUnreachable("no finite epsilon could be proved");
  return std::max(0.0, bound.upper());
}

}  // namespace

double epsilon_from_renyi(double order, double divergence, double delta) {
  if (!(order > 1.0 && std::isfinite(order)))
    throw InvalidParameter("order", order, "must be above 1 and finite");
  require_non_negative("divergence", divergence);
  require_open_unit("delta", delta);
  const PrecisionScope scope(128);
  return safe_epsilon(renyi_bound(Ball(order), Ball(divergence), delta));
}

double epsilon_from_zcdp(double rho, double delta) {
  require_non_negative("rho", rho);
  require_open_unit("delta", delta);
  if (rho == 0.0) return 0.0;
  // Any order gives a bound; the best is sought by golden section in log(order - 1).
  const auto bound = [&](double t) {
    const double order = 1.0 + std::exp(t);
    return rho * order + std::log1p(-1.0 / order) - std::log(delta * order) / std::exp(t);
  };
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  double low = -40.0, high = 40.0;
  double left = high - ratio * (high - low), right = low + ratio * (high - low);
  double at_left = bound(left), at_right = bound(right);
  while (high - low > 1e-9) {
    if (at_left > at_right) {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = bound(right);
    } else {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = bound(left);
    }
  }
  const PrecisionScope scope(128);
  const Ball order = Ball(1.0) + Ball(std::exp(0.5 * (low + high)));
  return safe_epsilon(renyi_bound(order, Ball(rho) * order, delta));
}

double zcdp_from_gaussian(double mu) {
  require_non_negative("mu", mu);
  const PrecisionScope scope(128);
  return (Ball(mu) * Ball(mu) / 2.0).upper();
}

double zcdp_from_pure(double epsilon) {
  require_non_negative("epsilon", epsilon);
  const PrecisionScope scope(128);
  const Ball e = epsilon;
  return (e * -expm1(-e) / (Ball(1.0) + exp(-e))).upper();
}

}  // namespace modicum
