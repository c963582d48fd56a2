#include "modicum/privacy/analytic_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "modicum/numerics/bracketing.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "numerics/log1p_minus.h"
#include "numerics/precise_ball.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {
namespace {

constexpr long bound_bits = 192;
constexpr double rounding_of_ratios = 1e-13;

// A coordinate, n times: t = tau - 1 <= 0 at the least that the spectrum allows. Smaller variances
// only make the loss larger (docs/derivations/lifting.md, monotone).
struct Smaller {
  Ball t, n;
  double excess() const { return t.middle(); }
  double reversed() const { return -excess() / (1.0 + excess()); }  // 1/tau - 1
};

struct SmallerFirst {
  std::vector<Smaller> coordinates;
  // Ratios that are 1 up to rounding may lie above it by this much in total: so does the total
  // variation by which they differ from 1, TV <= t for each.
  Ball above;
};

SmallerFirst smaller_first(const GaussianSpectrum& spectrum) {
  const Ball moved = eigenvalue_distance(spectrum);
  SmallerFirst result;
  for (const SpectrumComponent& component : spectrum.components()) {
    const Ball middle = to_ball({component.excess.high, component.excess.low, 0.0});
    const Ball off = Ball(component.excess.radius) + moved, low = middle - off, high = middle + off;
    if (!(high.finite() && high.upper() <= rounding_of_ratios))
      throw InvalidParameter(
          "variance_ratio", (Ball(1.0) + middle).middle(),
          "must be at most 1: the bound holds only with the smaller covariance first");
    const Ball n = component.multiplicity;
    result.coordinates.push_back({min(low, Ball(0.0)), n});
    if (!high.surely_nonpositive()) result.above += n * high;
  }
  return result;
}

// Place of the minimum of a function of x > 0 that is convex, in units of `scale`.
double place_of_minimum(const std::function<double(double)>& f, double scale) {
  const auto place = [&](double logarithm) { return scale * std::exp(logarithm); };
  const Bracket least =
      narrow_to_minimum([&](double v) { return f(place(v)); }, {-80.0, 80.0}, 1e-6);
  return place(0.5 * (least.low + least.high));
}

// With u = 1 - tau, v = 1/tau - 1 and l(x) = log(1 + x) - x, Chernoff's bounds on the two
// probabilities are exp(a s - 1/2 sum n l(2 s u)), any s >= 0, and
// 1 - exp(-b w - 1/2 sum n l(-2 w v)), any w in [0, 1/(2 max v)), where
//   a = -2 epsilon - sum n l(t),  b = -2 epsilon + sum n l(v).
// s and w are chosen in doubles; the bounds at them are proved.
Ball lemma2(const SmallerFirst& pair, const Ball& epsilon) {
  Ball slack = epsilon * -2.0, a = slack, b = slack;
  double largest_u = 0.0, largest_v = 0.0;
  for (const Smaller& one : pair.coordinates) {
    const Ball v = -one.t / (one.t + 1.0);
    slack -= one.n * log1p(one.t);
    a -= one.n * log1p_minus(one.t);
    b += one.n * log1p_minus(v);
    largest_u = std::max(largest_u, -one.excess());
    largest_v = std::max(largest_v, one.reversed());
  }
  if (slack.surely_nonpositive()) return pair.above;  // beyond the largest loss
  const auto first = [&](double s) {
    double sum = a.middle() * s;
    for (const Smaller& one : pair.coordinates)
      sum -= 0.5 * one.n.middle() * log1p_minus(-2.0 * s * one.excess());
    return sum;
  };
  const auto second = [&](double w) {
    if (!(2.0 * w * largest_v < 1.0)) return infinity;
    double sum = -b.middle() * w;
    for (const Smaller& one : pair.coordinates)
      sum -= 0.5 * one.n.middle() * log1p_minus(-2.0 * w * one.reversed());
    return sum;
  };
  // From half of the end on in units of what is left to it.
  const double end = largest_v > 0.0 ? 0.5 / largest_v : 1e15;
  const double s = place_of_minimum(first, 1.0 / std::max(largest_u, 1e-300));
  const double w =
      end / (1.0 + 1.0 / place_of_minimum(
                             [&](double odds) { return second(end / (1.0 + 1.0 / odds)); }, 1.0));
  Ball above = a * Ball(s), below = -b * Ball(w);
  for (const Smaller& one : pair.coordinates) {
    above -= one.n * log1p_minus(one.t * Ball(-2.0 * s)) / 2.0;
    below -= one.n * log1p_minus(one.t / (one.t + 1.0) * Ball(2.0 * w)) / 2.0;
  }
  Ball likely = exp(above), missing = expm1(below);
  if (!likely.finite() || likely.upper() > 1.0) likely = 1.0;
  if (!missing.finite() || missing.upper() > 0.0) missing = 0.0;
  return likely + exp(epsilon) * missing + pair.above;
}

double as_probability(const Ball& bound) {
  return bound.finite() ? std::clamp(bound.upper(), 0.0, 1.0) : 1.0;
}

double shifted_delta(double square, double epsilon, Accuracy accuracy) {
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(0.0), Precise::exactly(square), 1.0});
  return directed_delta(PrivacyLoss::gaussian(spectrum).forward(), epsilon, accuracy).value.upper();
}

}  // namespace

double chained_bound(const DeltaBound& first, const DeltaBound& second, double epsilon,
                     double split) {
  const PrecisionScope scope(bound_bits);
  // delta falls with epsilon: what is left of it is rounded downwards.
  const double rest = (Ball(epsilon) - Ball(split)).lower();
  return as_probability(Ball(first(split)) + exp(Ball(split)) * Ball(second(rest)));
}

double lemma2_bound(const GaussianSpectrum& spectrum, double epsilon) {
  require_finite("epsilon", epsilon);
  for (const SpectrumComponent& component : spectrum.components())
    if (!component.mean_square.is_exactly(0.0))
      throw InvalidParameter("mean", std::sqrt(component.mean_square.high),
                             "must be 0: the means must be equal");
  const PrecisionScope scope(bound_bits);
  return as_probability(lemma2(smaller_first(spectrum), Ball(epsilon)));
}

double theorem42_bound(const GaussianSpectrum& spectrum, double epsilon) {
  require_non_negative("epsilon", epsilon);
  const PrecisionScope scope(bound_bits);
  const SmallerFirst pair = smaller_first(spectrum);
  // The squared distances of the means in units of either covariance, at the most.
  Ball by_larger, by_smaller, least_ratio = 1.0;
  for (std::size_t i = 0; i < pair.coordinates.size(); ++i) {
    const Ball square = to_ball(spectrum.components()[i].mean_square);
    const Ball ratio = pair.coordinates[i].t + 1.0;
    by_larger += square;
    by_smaller += square / ratio;
    least_ratio = min(least_ratio, ratio);
  }
  const OffDiagonal& rest = spectrum.off_diagonal();
  by_larger /= Ball(1.0) - Ball(rest.without_record);
  by_smaller /= Ball(1.0) - Ball(rest.with_record) / least_ratio;
  if (!by_larger.finite() || !by_smaller.finite()) return 1.0;
  const double largest = std::max(0.0, by_larger.upper()),
               smallest = std::max(0.0, by_smaller.upper());

  const DeltaBound covariance = [&](double at) { return as_probability(lemma2(pair, Ball(at))); };
  const auto bound = [&](double split, bool mean_first, Accuracy accuracy) {
    const double square = mean_first ? smallest : largest;
    const DeltaBound mean = [&](double at) { return shifted_delta(square, at, accuracy); };
    return mean_first ? chained_bound(mean, covariance, epsilon, split)
                      : chained_bound(covariance, mean, epsilon, split);
  };
  constexpr int splits = 64;
  double best = infinity, best_split = 0.0;
  bool best_order = true;
  for (int k = 0; k <= splits; ++k)
    for (const bool mean_first : {true, false}) {
      const double split = epsilon * k / splits, value = bound(split, mean_first, Accuracy::fast);
      if (value < best) best = value, best_split = split, best_order = mean_first;
    }
  return bound(best_split, best_order, Accuracy::certified);
}

}  // namespace modicum
