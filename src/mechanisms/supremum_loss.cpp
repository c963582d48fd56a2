// The worst pair of a family changes with epsilon, so a composition needs the supremum of the
// profiles, which is a profile itself: it is convex in e^epsilon [ZhuDongWang2022]. It is bounded
// by a polygon, and a polygon is the profile of a pair of discrete laws
// (docs/derivations/least-squares.md). A single release needs no polygon.
#include <algorithm>
#include <mutex>

#include "mechanisms/supremum.h"
#include "modicum/mechanisms/tabulated.h"
#include "numerics/ball.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

// From where on corners may be further apart, and where deltas end for doubles.
constexpr double hardly_matters = 1e-13, vanished = 1e-300;

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
// loss is infinite. Probabilities are rounded upwards: more mass, more loss; those next to the
// least double, which rounding would multiply, join the next atom on the right.
LossTable pair_of(const std::vector<Corner>& corners) {
  LossTable table;
  Ball carried;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Ball after = i + 1 < corners.size() ? slope(corners[i], corners[i + 1]) : Ball(0.0);
    const Ball probability = corners[i].x * (after - slope(corners[i - 1], corners[i])) + carried;
    const double rounded = std::max(0.0, probability.upper());
    const bool carry = corners[i].loss < 0.0 && rounded < vanished;
    carried = carry ? Ball(rounded) : Ball(0.0);
    if (carry) continue;
    table.losses.push_back(corners[i].loss);
    table.probabilities.push_back(rounded);
  }
  table.infinite = corners.back().delta.upper();
  return table;
}

// Epsilons of the corners: even steps up to where delta hardly matters, then longer and longer ones
// up to where it is proved to be at most `infinite`: at `end` it is.
std::vector<double> places_of_corners(const SupremumFamily& family, int corners, double end,
                                      double infinite) {
  double even = 1.0;
  while (even < end && family.search(even) > hardly_matters) even *= 1.5;
  while (even > 1e-9 && family.search(even / 1.5) <= hardly_matters) even /= 1.5;
  even = std::min(even, end);
  std::vector<double> places;
  for (int i = 0; i <= corners; ++i) places.push_back(even * i / corners);
  const auto further = [&](double step) { places.push_back(std::min(places.back() + step, end)); };
  double step = even / corners;
  for (; places.back() < end && family.search(places.back()) > infinite; step *= 1.1) further(step);
  for (; places.back() < end && family.bound(places.back(), 0.9) > infinite; step *= 2.0)
    further(step);
  return places;
}

std::shared_ptr<const LossLaw> polygon_of(const SupremumFamily& family, int corners, double slack,
                                          double end, double infinite) {
  const std::vector<double> places = places_of_corners(family, corners, end, infinite);
  // The corners to the left are as close to 0 as e^-epsilon.
  const PrecisionScope scope(192 + static_cast<long>(3.0 * places.back()));
  // delta at -epsilon is 1 - e^-epsilon + e^-epsilon delta'(epsilon), delta' of the other
  // direction; the supremum is taken over both.
  std::vector<Corner> falling, rising;
  for (const double epsilon : places) {
    const bool last = epsilon == places.back();
    const double corner_slack = falling.size() > static_cast<std::size_t>(corners) ? 0.25 : slack;
    const double bound = last ? infinite : std::max(infinite, family.bound(epsilon, corner_slack));
    const Ball delta = bound, x = exp(Ball(epsilon));
    falling.push_back({epsilon, x, delta});
    if (epsilon > 0.0)
      rising.push_back({-epsilon, Ball(1.0) / x, Ball(1.0) - (Ball(1.0) - delta) / x});
  }
  std::vector<Corner> points{{0.0, 0.0, 1.0}};
  points.insert(points.end(), rising.rbegin(), rising.rend());
  points.insert(points.end(), falling.begin(), falling.end());
  // The supremum is over both directions, so one law serves both. (The reverse direction of the
  // table itself would lose what rounding upwards has taken from its infinite mass.)
  return tabulated_loss(pair_of(convex_hull(points))).forward().laws.front().law;
}

class SupremumLaw final : public LossLaw {
 public:
  // From epsilon = end on the supremum is at most `infinite`, the mass that is left out here.
  SupremumLaw(SupremumFamily family, int corners, double slack, double own_slack, double end,
              double infinite)
      : family_(std::move(family)),
        corners_(corners),
        slack_(slack),
        own_slack_(own_slack),
        end_(end),
        infinite_(infinite) {}

  std::optional<QuantityValue> profile(double epsilon, Accuracy accuracy) const override {
    const PrecisionScope scope(proof_bits);
    const double size = std::abs(epsilon);
    // Of the finite part, and at -epsilon as for the corners of a polygon.
    const auto finite = [&](double delta) {
      Ball value = max(Ball(delta) - Ball(infinite_), Ball(0.0)) / (Ball(1.0) - Ball(infinite_));
      if (epsilon < 0.0) value = Ball(1.0) - (Ball(1.0) - value) * exp(Ball(epsilon));
      return value;
    };
    // An upper bound: only this end counts.
    if (accuracy != Accuracy::fast) return QuantityValue{finite(family_.bound(size, own_slack_))};
    const double found = family_.search(size);
    return QuantityValue{hull(finite(found), finite(std::min(1.0, found * (1.0 + own_slack_)))),
                         Proof::estimated};
  }

  LossTails tails(double loss, Accuracy accuracy) const override {
    return polygon().tails(loss, accuracy);
  }
  double cost(Accuracy) const override { return 2e-6; }
  bool is_discrete() const override { return true; }
  Enclosure support() const override { return {-infinity, infinity}; }
  QuantityValue moment(const Ball& x) const override { return polygon().moment(x); }
  std::optional<Ball> mean() const override { return polygon().mean(); }
  LossNodes nodes(double, double, int) const override { return {}; }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const SupremumLaw*>(&other);
    return same != nullptr && family_.key == same->family_.key && corners_ == same->corners_;
  }

 private:
  const LossLaw& polygon() const {
    std::call_once(made_,
                   [&] { polygon_ = polygon_of(family_, corners_, slack_, end_, infinite_); });
    return *polygon_;
  }

  SupremumFamily family_;
  int corners_;
  double slack_, own_slack_, end_, infinite_;
  mutable std::once_flag made_;
  mutable std::shared_ptr<const LossLaw> polygon_;
};

}  // namespace

PrivacyLoss loss_of_supremum(SupremumFamily family, int corners, double slack, double own_slack) {
  // Where the supremum has vanished; only for huge sensitivities it has not.
  double end = 1e3, infinite = family.bound(end, 0.9);
  for (; infinite > vanished && end < 1e5; infinite = family.bound(end, 0.9)) end *= 10.0;
  if (infinite >= 1.0) return PrivacyLoss::mutually_singular().as_upper_bound();
  const auto law =
      std::make_shared<SupremumLaw>(std::move(family), corners, slack, own_slack, end, infinite);
  PrivacyLoss result = PrivacyLoss::law(law, law);
  result.compose(PrivacyLoss::infinite_with_probability(infinite));
  return result.as_upper_bound();
}

}  // namespace modicum
