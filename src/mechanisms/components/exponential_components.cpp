#include "modicum/mechanisms/exponential_components.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/numerics/bracketing.h"
#include "modicum/privacy/conversions.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

Ball range_per_beta(double dimension, double rows, RowScaling scaling) {
  const Ball p = require_count("dimension", dimension), n = require_count("rows", rows);
  return Ball(0.5 * range_multiple(scaling)) * p * p / n;
}

double zcdp_of(double range, double draws) {
  const PrecisionScope scope(128);
  return (Ball(draws) * Ball(range) * Ball(range) / Ball(8.0)).upper();
}

// Infinite where rho is beyond doubles.
double epsilon_by_zcdp(double rho, double delta) {
  return std::isfinite(rho) ? epsilon_from_zcdp(rho, delta) : rho;
}

// The largest range that leaves room, below `high`, which does not; 0 if there is none. Ends with
// one that was checked, so the search itself need not be trusted.
template <class Room>
double largest_with(const Room& room, double low, double high) {
  while (!(room(low) > 0.0)) {
    low *= 0.5;
    if (low < 1e-150) return 0.0;
  }
  return narrow_bracket(room, {low, high}, 1e-12).low;
}

double largest_by_zcdp(const PrivacyTarget& target, double draws) {
  if (!(target.delta > 0.0)) return 0.0;
  const auto room = [&](double range) {
    return target.epsilon - epsilon_by_zcdp(zcdp_of(range, draws), target.delta);
  };
  double high = 1.0;
  while (room(high) > 0.0) high *= 2.0;
  return largest_with(room, high, high);
}

double largest_by_pair(const PrivacyTarget& target, double draws, double start) {
  if (!(target.delta > 0.0)) return 0.0;
  const auto room = [&](double range) {
    const double delta = composed_bounded_range_delta(range, draws, target.epsilon).upper();
    return std::log(target.delta) - std::log(delta);
  };
  double high = 2.0 * start;
  while (room(high) > 0.0) high *= 2.0;
  return largest_with(room, start, high);
}

}  // namespace

double component_range(double beta, double dimension, double rows, RowScaling scaling) {
  require_non_negative("beta", beta);
  const PrecisionScope scope(160);
  return require_finite("beta", (Ball(beta) * range_per_beta(dimension, rows, scaling)).upper());
}

double beta_of_range(double range, double dimension, double rows, RowScaling scaling) {
  require_non_negative("range", range);
  if (range == 0.0) return 0.0;
  const PrecisionScope scope(160);
  double beta = (Ball(range) / range_per_beta(dimension, rows, scaling)).lower();
  while (component_range(beta, dimension, rows, scaling) > range) beta = std::nextafter(beta, 0.0);
  return beta;
}

double pure_epsilon_of_replacing(double beta, double dimension, double rows, RowScaling scaling) {
  return 2.0 * component_range(beta, dimension, rows, scaling);
}

ComponentGuarantee component_guarantee(double range, double draws, double delta) {
  require_non_negative("range", range);
  require_count("draws", draws);
  const PrivacyTarget checked(0.0, delta);
  const PrecisionScope scope(128);
  ComponentGuarantee result{
      range, draws, (Ball(range) * Ball(draws)).upper(), zcdp_of(range, draws), delta, 0.0};
  result.epsilon = result.pure_epsilon;
  if (checked.delta > 0.0 && range > 0.0) {
    const double pair = composed_bounded_range_epsilon(range, draws, delta);
    const double concentrated = epsilon_by_zcdp(result.zcdp, delta);
    result.epsilon = std::min({result.epsilon, concentrated, pair});
  }
  return result;
}

double largest_component_range(const PrivacyTarget& target, double draws) {
  require_count("draws", draws);
  const PrecisionScope scope(128);
  const double pure = (Ball(target.epsilon) / Ball(draws)).lower();
  const double sure = std::max({0.0, pure, largest_by_zcdp(target, draws)});
  double best = std::max(sure, largest_by_pair(target, draws, sure > 0.0 ? sure : 0.1));
  if (!(best > 0.0))
    throw CalibrationFailed("epsilon and delta leave no room, but every draw tells something");
  // An epsilon is found to 1e-12 only: what is said of the range must not exceed what was asked.
  for (double step = 1e-13; component_guarantee(best, draws, target.delta).epsilon > target.epsilon;
       step *= 2.0)
    best = std::max(pure, best * (1.0 - step));
  return best;
}

}  // namespace modicum
