#include <algorithm>
#include <array>
#include <cmath>

#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/selection.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

bool is_nothing(const PrivacyLoss& loss) {
  return std::ranges::all_of(
      std::array{&loss.forward(), &loss.reverse()}, [](const DirectedLoss* directed) {
        return directed->is_gaussian() && directed->gaussian.is_trivial() &&
               directed->infinite_mass.is_exactly(0.0) && !directed->mutually_singular;
      });
}

// Orders from 1.1 to about 500, and those of the curves; where bounds on moments are all there is,
// every order costs nothing: up to a million, closer together.
std::vector<double> orders_of_selection(const RepeatedRun& run) {
  std::vector<double> orders;
  const bool cheap = is_nothing(run.loss);
  const int in_two = cheap ? 8 : 2, last = cheap ? 20 * in_two : 9 * in_two;
  for (int k = -3 * in_two; k <= last; ++k)
    orders.push_back(1.0 + std::exp2(static_cast<double>(k) / in_two));
  for (const RenyiCurve& curve : run.moments.curves)
    orders.insert(orders.end(), curve.orders.begin(), curve.orders.end());
  std::ranges::sort(orders);
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

// Of a run, proved from above; infinite where nothing is known.
double divergence_of(const RepeatedRun& run, double order) {
  const double rest = divergence_bound(run.moments, order);
  if (!std::isfinite(rest) || is_nothing(run.loss)) return rest;
  const double own = renyi_divergence(run.loss, order, Accuracy::certified).value.upper();
  return (Ball(own) + Ball(rest)).upper();
}

// E[K] of the truncated negative binomial distribution.
Ball mean_of_runs(const Ball& shape, const Ball& gamma) {
  const Ball log_gamma = log(gamma);
  if (shape.exactly_zero()) return (Ball(1.0) - gamma) / (gamma * -log_gamma);
  return shape * (Ball(1.0) - gamma) / (gamma * -expm1(shape * log_gamma));
}

// An upper bound on log(1/gamma), where the mean is this.
double log_inverse_gamma(double shape, double mean) {
  double low = 0.0, high = 1.0;
  const auto reached = [&](double log_inverse) {
    return (mean_of_runs(Ball(shape), exp(-Ball(log_inverse))) - Ball(mean)).surely_positive();
  };
  while (!reached(high)) {
    high *= 2.0;
    if (!(high < 1e6)) throw InvalidParameter("mean", mean, "must be smaller");
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (middle > 0.0 && reached(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

RenyiBounds repeat_and_select(const RepeatedRun& run, Repetitions distribution, double mean,
                              double shape) {
  const bool poisson = distribution == Repetitions::poisson;
  require_positive("mean", mean);
  if (!poisson && !(mean > 1.0)) throw InvalidParameter("mean", mean, "must be above 1");
  if (!poisson && !(shape > -1.0 && shape <= 1e6))
    throw InvalidParameter("shape", shape, "must be above -1 and at most 1e6");
  const PrecisionScope scope(256);
  std::vector<double> orders;
  std::vector<Ball> divergences;
  for (const double order : orders_of_selection(run)) {
    const double found = divergence_of(run, order);
    if (!std::isfinite(found)) continue;
    orders.push_back(order);
    divergences.emplace_back(found);
  }
  if (orders.empty())
    throw TargetUnreachable("no Renyi divergence of the repeated mechanism can be proved");
  // Theorem 2: what every order pays, the least over a second order.
  Ball paid;
  if (!poisson) {
    const Ball far = log_inverse_gamma(shape, mean);
    Ball least = far;  // order 1, whose first term vanishes
    for (std::size_t i = 0; i < orders.size(); ++i)
      least = min(least, (Ball(1.0) - Ball(1.0) / orders[i]) * divergences[i] + far / orders[i]);
    paid = (Ball(shape) + 1.0) * least;
  }
  PrivacyLoss whole = run.loss;
  if (poisson) whole.compose(renyi_guarantee(run.moments));
  RenyiCurve curve;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const Ball z = Ball(orders[i]) - 1.0;
    Ball bound = divergences[i] + paid + max(log(Ball(mean)), Ball(0.0)) / z;
    // Theorem 6.
    if (poisson) {
      const double epsilon = log1p(Ball(1.0) / z).lower();
      bound += Ball(mean) * Ball(profile(whole, epsilon, Accuracy::certified).delta().upper());
    }
    if (!std::isfinite(bound.upper())) continue;
    curve.orders.push_back(orders[i]);
    curve.divergences.push_back(bound.upper());
  }
  return {0.0, 0.0, {curve}};
}

}  // namespace modicum
