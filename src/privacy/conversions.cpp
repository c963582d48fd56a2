#include "modicum/privacy/conversions.h"

#include <cmath>

#include "modicum/numerics/bracketing.h"
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
  const Bracket best = narrow_to_minimum(bound, {-30.0, 40.0}, 1e-9);
  const PrecisionScope scope(128);
  const Ball order = Ball(1.0) + Ball(std::exp(0.5 * (best.low + best.high)));
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
