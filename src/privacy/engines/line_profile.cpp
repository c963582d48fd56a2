// The profile of any finite loss by the trapezium rule on a straight line, with proven bounds for
// discretization and truncation; for losses with too many atoms the integrand does not decay, and
// a vanishing Gaussian loss is composed with it (docs/derivations/atoms.md):
//
//   D(w) = profile of the loss composed with a Gaussian of mu = w,
//   D(w) - e^{w^2/2} (D(2w) - D(w))  <=  D(0)  <=  D(w).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "modicum/numerics/bracketing.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/loss_moment.h"

namespace modicum {
namespace {

// What may be left of the integrand when the nodes run out: anything, or 1e-8 of the whole.
constexpr double anything = infinity;
constexpr double slow_decay = 28.0;

struct Line {
  double center, step;
  long nodes;
};

// |integrand| beyond a height, relative to nothing: exp(bound) / y^2.
Ball log_far(const LossMoment& moment, const BallExpansion& gaussian, double center,
             const Ball& shift, double height) {
  const ComplexBall up(Ball(0.0), Ball(height));
  Ball bound = gaussian.value() + gaussian.above(up).bound - shift * Ball(center);
  for (const auto& part : moment.atomic()) bound += part->far_bound(Ball(center), Ball(height));
  return bound;
}

// (h/pi) (G(c)/2 + sum Re G(c + i k h)) in doubles.
struct LineSum {
  double value, rounding;
};
LineSum sum_in_doubles(const LossMoment& moment, const Line& line, double shift,
                       long double scale) {
  const auto gaussian = moment.gaussian().expand(line.center);
  const Jet at_center = moment.gaussian().jet(line.center);
  const long double base = at_center.value - static_cast<long double>(shift) * line.center - scale;
  const double phase =
      2.0 * std::abs(shift) + 0x1p-9 * static_cast<double>(at_center.first_magnitude);
  long double total = 0.0L;
  LineSum sum{0.0, 0.0};
  for (long k = 0; k <= line.nodes; ++k) {
    const double y = static_cast<double>(k) * line.step;
    const std::complex<double> d{0.0, y}, z{line.center, y};
    std::complex<double> exponent = gaussian->at(d, at_center.first - shift);
    // In units of the last place: of each part, and of the phases y * shift and y * loss, which may
    // cancel.
    double units = 8.0 + std::abs(exponent.real()) + std::abs(exponent.imag()) + phase * y;
    for (const auto& part : moment.atomic()) {
      const LogMomentValue own = part->at(z);
      exponent += own.value;
      units += own.rounding + std::abs(own.value.real()) + std::abs(own.value.imag());
    }
    const double real = static_cast<double>(exponent.real() + base);
    const std::complex<double> g =
        std::exp(std::complex<double>{real, exponent.imag()}) / (z * (z + 1.0));
    total += (k == 0 ? 0.5 : 1.0) * g.real();
    sum.rounding += std::abs(g) * units;
  }
  const double factor = line.step / std::numbers::pi;
  return {static_cast<double>(total) * factor, sum.rounding * factor * ulp};
}

Ball sum_in_balls(const LossMoment& moment, const Line& line, const Ball& shift) {
  const auto gaussian = moment.gaussian().expand_ball(line.center);
  const Ball slope = gaussian->slope() - shift, center = line.center;
  Ball sum;
  for (long k = 0; k <= line.nodes; ++k) {
    const Ball y = Ball(static_cast<double>(k)) * Ball(line.step);
    const ComplexBall d(Ball(0.0), y), z = d + center;
    ComplexBall g = exp(gaussian->at(d, slope));
    for (const auto& part : moment.atomic()) g *= part->moment(z);
    g /= z * (z + ComplexBall(Ball(1.0)));
    sum += k == 0 ? g.real() / 2.0 : g.real();
  }
  return sum * exp(gaussian->value() - shift * center) * Ball(line.step) / Ball::pi();
}

// log of exp(K(x) - s x) c^c/(1+c)^{1+c}, an upper bound of the profile at s.
double log_chernoff(const LossMoment& moment, double x, double shift) {
  return static_cast<double>(moment.jet(x).value) - shift * x + x * std::log(x) -
         (1 + x) * std::log1p(x);
}

// The trapezium rule with step h sums D(s + 2 pi j/h) e^{2 pi j c/h} over all j: what it adds to
// j = 0 is positive and at most the two geometric series below, that on the right by Chernoff's
// bound at `further`. They are chosen in doubles and then proved.
struct Aliasing {
  double step, further;
};
Ball aliasing_bound(const DirectedLoss& loss, const Aliasing& aliasing, double c, double shift) {
  const Ball period = Ball::pi() * 2.0 / Ball(aliasing.step), c2 = aliasing.further;
  const auto series = [](const Ball& exponent) { return exp(-exponent) / (-expm1(-exponent)); };
  const Ball chernoff = profile_bound(loss, aliasing.further, shift).value;
  return series(period * Ball(c)) + chernoff * series(period * (c2 - Ball(c)));
}
std::optional<Aliasing> choose_step(const LossMoment& moment, const Saddle& saddle, double shift) {
  const double upper_end = moment.upper_end();
  const double c = saddle.point;
  const double target = log_chernoff(moment, c, shift) - 48.0;
  std::vector<std::pair<double, double>> further;  // (c2 - c, log of Chernoff's bound at c2)
  for (double factor = 1.05; factor < 1e4; factor *= 1.2) {
    const double c2 = std::min(c * factor, 0.5 * (c + upper_end));
    further.emplace_back(c2 - c, log_chernoff(moment, c2, shift));
  }
  double period = 48.0 / c;
  for (int attempt = 0; attempt < 200; ++attempt, period *= 1.2) {
    const double left = -period * c - std::log1p(-std::exp(-period * c));
    if (left + 1.0 > target) continue;
    for (const auto& [distance, log_bound] : further) {
      const double gap = period * distance;
      if (log_bound - gap - std::log1p(-std::exp(-gap)) + 1.0 < target)
        return Aliasing{2.0 * std::numbers::pi / period, c + distance};
    }
  }
  return std::nullopt;
}

// About a tenth of a second in doubles and one second in balls, for parts in closed form.
long most_nodes(const DirectedLoss& loss, Accuracy accuracy) {
  const auto parts = static_cast<long>(1 + loss.two_points.size() + loss.laplaces.size());
  return (accuracy == Accuracy::fast ? 1L << 20 : 1L << 16) / parts;
}

// Whether the laws' own rules, which grow with the height, leave time for so many nodes: about a
// quarter of a second in doubles, one and a half in balls, a third if only a cheap proof is wanted.
bool laws_allow(const DirectedLoss& loss, const Line& line, Accuracy accuracy) {
  double size = 0.0;
  const double height = static_cast<double>(line.nodes) * line.step;
  for (const LawPart& part : loss.laws) {
    const LossNodes rule = part.law->nodes(line.center, height, 0);
    if (rule.losses.empty()) return false;
    size += std::max(200.0, static_cast<double>(rule.losses.size()));
  }
  const double most = accuracy == Accuracy::certified ? 4e6
                      : accuracy == Accuracy::fast    ? 1e7
                                                      : 1e6;
  return size * static_cast<double>(line.nodes) < most;
}

// Left of nearly all of the loss the profile is 1 but for this much.
Ball least_missing(const DirectedLoss& loss, const LossMoment& moment, double shift) {
  const auto exponent = [&](double x) {
    return static_cast<double>(moment.jet(-x).value + static_cast<long double>(x) * shift);
  };
  const Bracket place = narrow_to_minimum(exponent, {0.0, 1.0}, 1e-3);
  const Ball bound = missing_bound(loss, 0.5 * (place.low + place.high), shift).value;
  return bound.finite() ? bound : Ball(1.0);
}

// Where the line fails: Chernoff's bounds, from above the least on a grid.
QuantityValue chernoff_enclosure(const DirectedLoss& loss, double shift, double upper_end,
                                 const Ball& missing) {
  double least = 1.0;
  for (double x = 1e-6; x < 1e15; x *= 2.0) {
    const double c = std::min(x, 0.5 * upper_end);
    const Ball bound = profile_bound(loss, c, shift).value;
    if (bound.finite()) least = std::min(least, bound.upper());
    if (c < x) break;
  }
  return {hull(max(Ball(1.0) - missing, Ball(0.0)), Ball(least)), loss.gaussian.proof()};
}

// Where to integrate, and what that leaves out: aliasing and all above the last node.
struct Plan {
  Line line;
  Saddle saddle;
  Ball error;
};

// Empty if there is no saddle point or step, or if the integrand has not become negligible after
// the nodes allowed: exp(-46) of the whole, times exp(tolerated).
std::optional<Plan> plan_line(const DirectedLoss& loss, const LossMoment& moment, double shift,
                              Accuracy accuracy, double tolerated) {
  const std::optional<Saddle> saddle = find_saddle(moment, shift, Kernel::profile);
  if (!saddle) return std::nullopt;
  const std::optional<Aliasing> aliasing = choose_step(moment, *saddle, shift);
  if (!aliasing) return std::nullopt;
  const auto gaussian = moment.gaussian().expand_ball(saddle->point);
  const double wanted = static_cast<double>(saddle->value) - 46.0;
  const long most = most_nodes(loss, accuracy);
  Line line{saddle->point, aliasing->step, 64};
  Ball remainder;
  for (;; line.nodes *= 2) {
    const double height = static_cast<double>(line.nodes) * line.step;
    if (!laws_allow(loss, line, accuracy)) return std::nullopt;
    remainder = log_far(moment, *gaussian, line.center, Ball(shift), height) - log(Ball(height));
    if (remainder.upper() < wanted) break;
    if (2 * line.nodes > most) {
      if (!(remainder.upper() <= wanted + tolerated)) return std::nullopt;
      break;
    }
  }
  const Ball aliased = aliasing_bound(loss, *aliasing, line.center, shift);
  if (!aliased.finite()) return std::nullopt;
  return Plan{line, *saddle, exp(remainder) / Ball::pi() + aliased};
}

QuantityValue integrate_in_balls(const DirectedLoss& loss, const LossMoment& moment,
                                 const Plan& plan, double shift) {
  return {sum_in_balls(moment, plan.line, Ball(shift)).widened(plan.error), loss.gaussian.proof()};
}

QuantityValue integrate_in_doubles(const LossMoment& moment, const Plan& plan, double shift) {
  const Saddle& saddle = plan.saddle;
  const LineSum sum = sum_in_doubles(moment, plan.line, shift, saddle.value);
  const Ball scale = exp(Ball(static_cast<double>(saddle.value)));
  const double rounding =
      sum.rounding + std::abs(sum.value) * (saddle.rounding + 0x1p-50 +
                                            0x1p-53 * std::abs(static_cast<double>(saddle.value)));
  return {(Ball(sum.value) * scale).widened(plan.error + Ball(rounding) * scale), Proof::estimated};
}

std::optional<QuantityValue> integrate(const DirectedLoss& loss, double shift, Accuracy accuracy,
                                       double tolerated) {
  const LossMoment moment(loss);
  const auto plan = plan_line(loss, moment, shift, accuracy, tolerated);
  if (!plan) return std::nullopt;
  return accuracy == Accuracy::certified ? integrate_in_balls(loss, moment, *plan, shift)
                                         : integrate_in_doubles(moment, *plan, shift);
}

DirectedLoss smoothed(const DirectedLoss& loss, double mu) {
  DirectedLoss result = loss;
  result.gaussian.add(GaussianSpectrum::shift(mu, 1.0));
  return result;
}

// Whether the quadrature of every law is proved, or at least on offer in doubles.
bool has_line(const DirectedLoss& loss, Accuracy accuracy) {
  return std::ranges::all_of(loss.laws, [&](const LawPart& part) {
    return accuracy == Accuracy::fast ? !part.law->nodes(0.5, 1.0, 0).losses.empty()
                                      : part.law->moment_line(Ball(0.5), 1.0) != nullptr;
  });
}

}  // namespace

std::optional<QuantityValue> line_profile_of_laws(const DirectedLoss& loss, double shift,
                                                  Accuracy accuracy) {
  const PrecisionScope scope(96);
  if (!has_line(loss, accuracy)) return std::nullopt;
  const LossMoment moment(loss);
  const auto plan = plan_line(loss, moment, shift, accuracy, slow_decay);
  if (!plan) return std::nullopt;
  if (accuracy != Accuracy::fast) return integrate_in_balls(loss, moment, *plan, shift);
  // Each level doubles the nodes of a rule that converges geometrically: the difference of two
  // levels is the error of the first.
  QuantityValue coarse = integrate_in_doubles(moment, *plan, shift);
  for (int level = 1; level <= 3; ++level) {
    const QuantityValue fine = integrate_in_doubles(LossMoment(loss, level), *plan, shift);
    const Ball difference = abs(fine.value.midpoint() - coarse.value.midpoint());
    if ((difference - abs(fine.value) * Ball(1e-9)).surely_negative())
      return QuantityValue{fine.value.widened(difference), fine.proof};
    coarse = fine;
  }
  return std::nullopt;
}

bool line_is_cheap_in_balls(const DirectedLoss& loss, double shift) {
  const PrecisionScope scope(96);
  const LossMoment moment(loss);
  const std::optional<Saddle> saddle = find_saddle(moment, shift, Kernel::profile);
  const auto aliasing = saddle ? choose_step(moment, *saddle, shift) : std::nullopt;
  if (!aliasing) return true;
  const double height = 4096.0 * aliasing->step;
  const auto gaussian = moment.gaussian().expand_ball(saddle->point);
  const Ball far = log_far(moment, *gaussian, saddle->point, Ball(shift), height);
  return far.upper() < static_cast<double>(saddle->value) - 46.0;
}

QuantityValue line_profile(const DirectedLoss& loss, double shift, Accuracy accuracy) {
  const PrecisionScope scope(96);
  const LossMoment moment(loss);
  const Ball missing = least_missing(loss, moment, shift);
  if (missing.upper() < 0x1p-53)
    return {hull(Ball(1.0) - missing, Ball(1.0)), loss.gaussian.proof()};
  if (const auto direct = integrate(loss, shift, accuracy, 0.0)) return *direct;
  const auto otherwise = [&] {
    return chernoff_enclosure(loss, shift, moment.upper_end(), missing);
  };
  const std::optional<Saddle> saddle = find_saddle(moment, shift, Kernel::profile);
  const auto aliasing = saddle ? choose_step(moment, *saddle, shift) : std::nullopt;
  if (!aliasing) return otherwise();
  // The narrowest Gaussian whose decay exp(-w^2 y^2 / 2) the nodes can reach.
  const double reach = 0.5 * static_cast<double>(most_nodes(loss, accuracy)) * aliasing->step;
  const double mu = 10.5 / reach;
  if (!(mu > 1e-100 && mu < 1e100)) return otherwise();
  const auto narrow = integrate(smoothed(loss, mu), shift, accuracy, anything);
  const auto wide = integrate(smoothed(loss, 2.0 * mu), shift, accuracy, anything);
  if (!narrow || !wide) return otherwise();
  const Ball factor = exp(Ball(mu) * Ball(mu) / 2.0);
  const Ball lower = narrow->value - factor * (wide->value - narrow->value);
  // In doubles both may come out a little above 1.
  return {
      hull(Ball(std::clamp(lower.lower(), 0.0, 1.0)), Ball(std::min(narrow->value.upper(), 1.0))),
      weaker_of(narrow->proof, wide->proof)};
}

}  // namespace modicum
