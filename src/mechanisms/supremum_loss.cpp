// The worst pair of a family changes with epsilon, so a composition needs the supremum of the
// profiles, which is a profile itself: it is convex in e^epsilon [ZhuDongWang2022]. It is bounded
// by a polygon, and a polygon is the profile of a pair of discrete laws
// (docs/derivations/least-squares.md).
#include <algorithm>
#include <vector>

#include "mechanisms/supremum.h"
#include "modicum/mechanisms/tabulated.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

constexpr double negligible = 1e-13;

// A corner of the polygon at x = e^loss.
struct Corner {
  double loss;
  Ball x, delta;
};

// Slope of the polygon from a to b.
Ball slope(const Corner& a, const Corner& b) { return (b.delta - a.delta) / (b.x - a.x); }

// Upper bounds on a convex function bound it between them too, and so does their lower convex hull.
std::vector<Corner> convex_hull(const std::vector<Corner>& points) {
  std::vector<Corner> hull;
  for (const Corner& next : points) {
    while (
        hull.size() >= 2 &&
        !(slope(hull.back(), next) - slope(hull[hull.size() - 2], hull.back())).surely_positive())
      hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

// Y[dX/dY >= x] is minus the slope just below x: each corner is an atom. Beyond the last one the
// loss is infinite. Probabilities are rounded upwards: more mass, more loss.
LossTable pair_of(const std::vector<Corner>& corners) {
  LossTable table;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Ball after = i + 1 < corners.size() ? slope(corners[i], corners[i + 1]) : Ball(0.0);
    const Ball probability = corners[i].x * (after - slope(corners[i - 1], corners[i]));
    table.losses.push_back(corners[i].loss);
    table.probabilities.push_back(std::max(0.0, probability.upper()));
  }
  table.infinite = corners.back().delta.upper();
  return table;
}

}  // namespace

PrivacyLoss loss_of_supremum(const Supremum& supremum, int steps, double slack) {
  // Where the supremum has become too small to matter.
  double last = 1.0;
  while (last < 500.0 && supremum(last, 0.9) > negligible) last *= 1.5;
  while (last > 1e-9 && supremum(last / 1.5, 0.9) <= negligible) last /= 1.5;
  // The corners to the left are as close to 0 as e^-last.
  const PrecisionScope scope(192 + static_cast<long>(3.0 * last));
  // delta at -epsilon is 1 - e^-epsilon + e^-epsilon delta'(epsilon), delta' of the other
  // direction; the supremum is taken over both.
  std::vector<Corner> falling, rising;
  for (int i = 0; i <= steps; ++i) {
    const double epsilon = last * i / steps;
    const Ball delta = supremum(epsilon, slack), x = exp(Ball(epsilon));
    falling.push_back({epsilon, x, delta});
    if (i > 0) rising.push_back({-epsilon, Ball(1.0) / x, Ball(1.0) - (Ball(1.0) - delta) / x});
  }
  std::vector<Corner> points{{0.0, 0.0, 1.0}};
  points.insert(points.end(), rising.rbegin(), rising.rend());
  points.insert(points.end(), falling.begin(), falling.end());
  // The supremum is over both directions, so one law serves both. (The reverse direction of the
  // table itself would lose what rounding upwards has taken from its infinite mass.)
  const PrivacyLoss table = tabulated_loss(pair_of(convex_hull(points)));
  const DirectedLoss& one = table.forward();
  if (one.mutually_singular) return PrivacyLoss::mutually_singular().as_upper_bound();
  PrivacyLoss result = PrivacyLoss::law(one.laws.front().law, one.laws.front().law);
  result.compose(PrivacyLoss::infinite_with_probability(one.infinite_mass, one.infinite_mass));
  return result.as_upper_bound();
}

}  // namespace modicum
