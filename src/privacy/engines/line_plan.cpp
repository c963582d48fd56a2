#include "privacy/engines/line_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace modicum {
namespace {

// log of exp(K(x) - s x) c^c/(1+c)^{1+c}, an upper bound of the profile at s.
double log_chernoff_bound(const LossMoment& moment, double x, double shift) {
  return static_cast<double>(moment.jet(x).value) - shift * x + x * std::log(x) -
         (1 + x) * std::log1p(x);
}

// Whether the laws' own rules, which grow with the height, leave time for so many nodes: about a
// quarter of a second, less if only a cheap proof is wanted that is not quick.
bool laws_allow(const DirectedLoss& loss, const Line& line, Accuracy accuracy) {
  double size = 0.0;
  bool quick = true;
  const double height = static_cast<double>(line.nodes) * line.step;
  for (const LawPart& part : loss.laws) {
    quick = quick && part.law->proves_quickly();
    const double own = part.law->line_size(line.center, height);
    if (own == 0.0) return false;
    size += std::max(200.0, own);
  }
  const double most = accuracy == Accuracy::fast                 ? 1e7
                      : accuracy == Accuracy::certified || quick ? 4e6
                                                                 : 1e6;
  return size * static_cast<double>(line.nodes) < most;
}

}  // namespace

long most_nodes(const DirectedLoss& loss, Accuracy accuracy) {
  const auto parts = static_cast<long>(1 + loss.two_points.size() + loss.laplaces.size());
  return (accuracy == Accuracy::fast ? 1L << 20 : 1L << 16) / parts;
}

Ball log_far(const LossMoment& moment, const BallExpansion& gaussian, double center,
             double height) {
  const ComplexBall up(Ball(0.0), Ball(height));
  Ball bound = gaussian.value() + gaussian.above(up).bound;
  for (const auto& part : moment.atomic()) bound += part->far_bound(Ball(center), Ball(height));
  return bound;
}

std::optional<Aliasing> choose_step(const LossMoment& moment, const Saddle& saddle, double shift) {
  const double upper_end = moment.upper_end();
  const double c = saddle.point;
  const double target = log_chernoff_bound(moment, c, shift) - 48.0;
  constexpr std::size_t most_further = 51;
  std::vector<std::pair<double, double>> further;  // (c2 - c, log of Chernoff's bound at c2)
  const auto further_at = [&](std::size_t i) {
    while (further.size() <= i) {
      const double factor = 1.05 * std::pow(1.2, static_cast<double>(further.size()));
      const double c2 = std::min(c * factor, 0.5 * (c + upper_end));
      further.emplace_back(c2 - c, log_chernoff_bound(moment, c2, shift));
    }
    return further[i];
  };
  double period = 48.0 / c;
  for (int attempt = 0; attempt < 200; ++attempt, period *= 1.2) {
    const double left = -period * c - std::log1p(-std::exp(-period * c));
    if (left + 1.0 > target) continue;
    // Convex in the distance: once it rises it does not fall again.
    double last = infinity;
    for (std::size_t i = 0; i < most_further; ++i) {
      const auto [distance, log_bound] = further_at(i);
      const double gap = period * distance;
      const double right = log_bound - gap - std::log1p(-std::exp(-gap));
      if (right + 1.0 < target) return Aliasing{2.0 * std::numbers::pi / period, c + distance};
      if (!(right <= last)) break;
      last = right;
    }
  }
  return std::nullopt;
}

std::optional<LinePlan> LinePlan::make(const DirectedLoss& loss, const LossMoment& moment,
                                       double shift, Accuracy accuracy, double tolerated) {
  const std::optional<Saddle> saddle = find_saddle(moment, shift, Kernel::profile);
  if (!saddle) return std::nullopt;
  const std::optional<Aliasing> aliasing = choose_step(moment, *saddle, shift);
  if (!aliasing) return std::nullopt;
  const auto gaussian = moment.gaussian().expand_ball(saddle->point);
  const double wanted = static_cast<double>(saddle->value) - 46.0;
  const long most = most_nodes(loss, accuracy);
  LinePlan plan;
  plan.saddle_ = *saddle;
  plan.line_ = {saddle->point, aliasing->step, 32};
  plan.further_ = aliasing->further;
  Line& line = plan.line_;
  const auto rest_after = [&](long nodes) {
    line.nodes = nodes;
    const double height = static_cast<double>(nodes) * line.step;
    plan.log_remainder_ = log_far(moment, *gaussian, line.center, height) - log(Ball(height));
    return plan.log_remainder_.upper() - shift * line.center;
  };
  double before = infinity, rest = infinity;
  bool more_is_in_vain = false;
  for (long nodes = 32;; nodes *= 2) {
    if (!laws_allow(loss, {line.center, line.step, nodes}, accuracy)) return std::nullopt;
    rest = rest_after(nodes);
    if (rest < wanted) break;
    const bool tolerable = rest <= wanted + tolerated;
    if (2 * nodes > most && !tolerable) return std::nullopt;
    // Laws may know no better bound higher up, but for the 1/y of the kernel.
    more_is_in_vain = !loss.laws.empty() && tolerable && rest > before - 1.0;
    if (2 * nodes > most || more_is_in_vain) break;
    before = rest;
  }
  // The nodes of laws are worth saving.
  const bool half_will_do = more_is_in_vain && before <= wanted + tolerated;
  const long enough = half_will_do ? line.nodes / 2 : line.nodes;
  const double sufficient = half_will_do ? before + 0.5 : wanted;
  long eighths = loss.laws.empty() ? 8 : 5;
  while (eighths < 8 && !(rest_after(enough / 8 * eighths) < sufficient)) ++eighths;
  // Rules of laws may grow with the square of the height.
  long fewest = enough / 8 * eighths;
  const long step = loss.laws.empty() ? 0 : enough / 32;
  while (step > 0 && fewest > 2 * step && rest_after(fewest - step) < sufficient) fewest -= step;
  rest_after(fewest);
  const Ball c2 = plan.further_;
  const QuantityValue further = log_moment(loss, plan.further_);
  if (accuracy != Accuracy::fast && further.proof != Proof::certified) return std::nullopt;
  plan.log_chernoff_ = further.value + c2 * log(c2) - (c2 + 1.0) * log1p(c2);
  if (!plan.error(shift).finite()) return std::nullopt;
  return plan;
}

Ball LinePlan::error(double shift) const {
  const Ball c = line_.center, c2 = further_, s = shift;
  const Ball period = Ball::pi() * 2.0 / Ball(line_.step);
  const auto series = [](const Ball& exponent) { return exp(-exponent) / (-expm1(-exponent)); };
  return exp(log_remainder_ - s * c) / Ball::pi() + series(period * c) +
         exp(log_chernoff_ - s * c2) * series(period * (c2 - c));
}

}  // namespace modicum
