// A profile is convex in e^epsilon, so a polygon through upper bounds lies above it, and a polygon
// is the profile of a pair of discrete laws (docs/derivations/least-squares.md).
#include "mechanisms/suprema/polygon.h"

#include <algorithm>

#include "modicum/mechanisms/tabulated.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {
namespace {

// Where probabilities end for doubles.
constexpr double least_probability = 1e-300;

// A corner of the polygon at x = e^loss.
struct PolygonCorner {
  double loss;
  Ball x, delta;
};

// Slope of the polygon from a to b.
Ball slope(const PolygonCorner& a, const PolygonCorner& b) {
  return (b.delta - a.delta) / (b.x - a.x);
}

// Upper bounds on a convex function bound it between them too, and so does their lower convex hull.
std::vector<PolygonCorner> convex_hull(const std::vector<PolygonCorner>& points) {
  std::vector<PolygonCorner> hull;
  for (const PolygonCorner& next : points) {
    while (
        hull.size() >= 2 &&
        !(slope(hull.back(), next) - slope(hull[hull.size() - 2], hull.back())).surely_positive())
      hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

// Y[dX/dY >= x] is minus the slope just below x: each corner is an atom. Beyond the last one the
// loss is infinite. Probabilities are rounded upwards: more mass, more loss; those next to the
// least double, which rounding would multiply, join the next atom on the right.
LossTable pair_of(const std::vector<PolygonCorner>& corners) {
  LossTable table;
  Ball carried;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Ball after = i + 1 < corners.size() ? slope(corners[i], corners[i + 1]) : Ball(0.0);
    const Ball probability = corners[i].x * (after - slope(corners[i - 1], corners[i])) + carried;
    const double rounded = std::max(0.0, probability.upper());
    const bool carry = corners[i].loss < 0.0 && rounded < least_probability;
    carried = carry ? Ball(rounded) : Ball(0.0);
    if (carry) continue;
    table.losses.push_back(corners[i].loss);
    table.probabilities.push_back(rounded);
  }
  table.infinite = corners.back().delta.upper();
  return table;
}

}  // namespace

std::shared_ptr<const LossLaw> polygon_law(const std::vector<double>& epsilons,
                                           const std::vector<double>& bounds, double infinite) {
  // The corners to the left are as close to 0 as e^-epsilon.
  const PrecisionScope scope(192 + static_cast<long>(3.0 * epsilons.back()));
  // delta at -epsilon is 1 - e^-epsilon + e^-epsilon delta'(epsilon), delta' of the other
  // direction; the supremum is taken over both.
  std::vector<PolygonCorner> falling, rising;
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const double epsilon = epsilons[i];
    const bool last = i + 1 == epsilons.size();
    const Ball delta = last ? infinite : std::max(infinite, bounds[i]), x = exp(Ball(epsilon));
    falling.push_back({epsilon, x, delta});
    if (epsilon > 0.0)
      rising.push_back({-epsilon, Ball(1.0) / x, Ball(1.0) - (Ball(1.0) - delta) / x});
  }
  std::vector<PolygonCorner> points{{0.0, 0.0, 1.0}};
  points.insert(points.end(), rising.rbegin(), rising.rend());
  points.insert(points.end(), falling.begin(), falling.end());
  // The supremum is over both directions, so one law serves both. (The reverse direction of the
  // table itself would lose what rounding upwards has taken from its infinite mass.)
  return tabulated_loss(pair_of(convex_hull(points))).forward().laws.front().law;
}

}  // namespace modicum
