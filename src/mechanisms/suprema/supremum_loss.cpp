// The worst pair of a family changes with epsilon, so a composition needs the supremum of the
// profiles, which is a profile itself: it is convex in e^epsilon [ZhuDongWang2022]. It is bounded
// by a polygon, and a polygon is the profile of a pair of discrete laws
// (docs/derivations/least-squares.md). A single release needs no polygon.
#include <algorithm>
#include <mutex>

#include "mechanisms/suprema/polygon.h"
#include "mechanisms/suprema/supremum.h"
#include "modicum/privacy/profile.h"
#include "numerics/ball.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

// From where on corners may be further apart, and where deltas end for doubles.
constexpr double hardly_matters = 1e-13, vanished = 1e-300;

// Epsilons of the corners: even steps up to where delta hardly matters, then longer and longer ones
// up to where it is about `infinite`, and by powers to `end`, where it is proved to be that at
// most: an atom far out, however small, would spoil the moments of the whole.
std::vector<double> places_of_corners(const SupremumFamily& family, int corners, double end,
                                      double infinite) {
  double even = 1.0;
  while (even < end && family.about(even) > hardly_matters) even *= 1.5;
  while (even > 1e-9 && family.about(even / 1.5) <= hardly_matters) even /= 1.5;
  even = std::min(even, end);
  std::vector<double> places;
  for (int i = 0; i <= corners; ++i) places.push_back(even * i / corners);
  for (double step = even / corners; places.back() < end; step *= 1.1)
    places.push_back(std::min(places.back() + step, end));
  const auto last = std::partition_point(places.begin() + corners, places.end(), [&](double place) {
    return family.about(place) > infinite;
  });
  if (last == places.end()) return places;
  places.erase(last + 1, places.end());
  for (double factor = 1.1; places.back() < end; factor = std::min(2.0, factor * 1.1))
    places.push_back(std::min(places.back() * factor, end));
  return places;
}

// The last corner is the first at which delta is proved to be at most `infinite`.
std::shared_ptr<const LossLaw> polygon_of(const SupremumFamily& family, int corners, double slack,
                                          double end, double infinite) {
  std::vector<double> places =
      family.places ? family.places() : places_of_corners(family, corners, end, infinite);
  std::vector<double> bounds;
  if (family.places) {
    bounds = family.bounds(places, slack);
  } else {
    // Where delta hardly matters a fourth is near enough.
    const auto even = places.begin() + corners + 1;
    bounds = family.bounds({places.begin(), even}, slack);
    for (const double bound : family.bounds({even, places.end()}, 0.25)) bounds.push_back(bound);
    while (places.size() > 2 && bounds[bounds.size() - 2] <= infinite) {
      places.pop_back();
      bounds.pop_back();
    }
  }
  return polygon_law(places, bounds, infinite);
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
    if (accuracy != Accuracy::fast)
      return QuantityValue{finite(family_.bounds({size}, own_slack_).front())};
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
    return same != nullptr && family_ == same->family_ && corners_ == same->corners_;
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

std::vector<double> SupremumFamily::bounds(const std::vector<double>& epsilons,
                                           double slack) const {
  // Pieces take long: for a few only, and then what holds at a smaller epsilon holds here, too.
  constexpr int most_by_pieces = 8;
  int by_pieces = 0;
  std::vector<double> result = largest_deltas(spectra, epsilons, slack);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] < infinity) continue;
    const bool asked = spectra.empty() || ++by_pieces <= most_by_pieces;
    result[i] = asked ? bound(epsilons[i], slack) : i > 0 ? result[i - 1] : 1.0;
  }
  return result;
}

double SupremumFamily::about(double epsilon) const {
  return spectra.empty() ? search(epsilon) : about_largest_delta(spectra, epsilon);
}

void take_pairs(SupremumFamily& family, std::shared_ptr<const std::vector<PrivacyLoss>> pairs) {
  family.bound = [pairs = std::move(pairs)](double epsilon, double) {
    double largest = 0.0;
    for (const PrivacyLoss& each : *pairs)
      largest = std::max(largest, profile(each, epsilon, Accuracy::certified).delta().upper());
    return largest;
  };
  family.search = [bound = family.bound](double epsilon) { return bound(epsilon, 0.0); };
}

PrivacyLoss loss_of_supremum(SupremumFamily family, int corners, double slack, double own_slack) {
  // Where the supremum has vanished; only for huge sensitivities it has not.
  const auto most_at = [&](double epsilon) { return family.bounds({epsilon}, 0.9).front(); };
  double end = 1e3, infinite = most_at(end);
  for (; infinite > vanished && end < 1e5; infinite = most_at(end)) end *= 10.0;
  if (infinite >= 1.0) return PrivacyLoss::mutually_singular().as_upper_bound();
  const auto law =
      std::make_shared<SupremumLaw>(std::move(family), corners, slack, own_slack, end, infinite);
  PrivacyLoss result = PrivacyLoss::law(law, law);
  result.compose(PrivacyLoss::infinite_with_probability(infinite));
  return result.as_upper_bound();
}

}  // namespace modicum
