#include "privacy/spherical/spherical_tails.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace modicum {
namespace {

// So many tails are worth their time. From a few on a density is tried, since more will be asked
// for; the first, rough ones reach too far for it.
constexpr std::size_t most_tails = 2000, few_cuts = 256, rough_cuts = 310;
constexpr double likely_tail = 1e-8;  // most questions need losses this rare

}  // namespace

SphericalTails::SphericalTails(const SphericalGeometry& geometry, double largest)
    : rule_(geometry), largest_(largest) {
  if (SphericalDensity::covers(geometry)) density_.emplace(geometry);
}

void SphericalTails::try_density() {
  double end = 0x1p-6;
  while (end < 0x1p10 && kept(end).x.high > likely_tail) end *= 2.0;
  if (!density_->reach(end)) density_.reset();
}

LossBins SphericalTails::bins(const std::vector<double>& cuts) {
  if (density_ && cuts.size() > few_cuts && !std::exchange(tried_, true)) try_density();
  if (cuts.size() <= rough_cuts) return from_tails(cuts);
  if (density_ && !density_->reach(cuts.back())) density_.reset();
  return density_ ? from_density(cuts) : from_tails(cuts);
}

const SphericalTails::Tails& SphericalTails::kept(double cut) {
  auto found = kept_.find(cut);
  if (found == kept_.end()) found = kept_.emplace(cut, at(cut)).first;
  return found->second;
}

// Masses under Y times e^left are at most those under X, which is all that is known where they
// underflow; before that they are wrong by less than the least normal double.
LossBin SphericalTails::bin_between(double left, double right, const Tails& here,
                                    const Tails& next) {
  const double x_low = std::max(0.0, (here.x.low - next.x.high) * outwards_down),
               x_high = std::max(0.0, (here.x.high - next.x.low) * outwards_up);
  constexpr double least = std::numeric_limits<double>::min(), furthest = 700.0;
  double y_low = 0.0, y_high = x_high * outwards_up;
  if (left < furthest) {
    const double lift = std::exp(left);
    y_low = std::max(0.0, (here.y.low - next.y.high - least) * lift * outwards_down);
    y_high = std::min(y_high, std::max(0.0, here.y.high - next.y.low + least) * lift * outwards_up);
  }
  return {left, right, x_low, x_high, y_low, y_high};
}

// Cuts at which nothing is known are left out; that hardly anything lies beyond is worth knowing,
// though not how little.
LossBins SphericalTails::from_tails(const std::vector<double>& cuts) {
  std::vector<std::pair<double, const Tails*>> known;
  const std::size_t every = cuts.size() / most_tails + 1;
  for (std::size_t i = 0; i < cuts.size(); i += every) {
    const double cut = cuts[i];
    const Tails& tails = kept(cut);
    if (cut == 0.0 || tails.x.high - tails.x.low < 1e-3 * tails.x.high ||
        tails.x.high <= 1e-6 * known.back().second->x.high)
      known.emplace_back(cut, &tails);
  }
  LossBins result;
  constexpr Tails none{};
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool last = i + 1 == known.size();
    const Tails &here = *known[i].second, &next = last ? none : *known[i + 1].second;
    const double left = known[i].first, right = last ? infinity : known[i + 1].first;
    result.bins.push_back(bin_between(left, right, here, next));
  }
  return result;
}

// What the density has found, and beyond the last cut the tails.
LossBins SphericalTails::from_density(const std::vector<double>& cuts) {
  LossBins result;
  result.bins.reserve(cuts.size());
  SphericalDensity::Sweep sweep(*density_);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const SphericalDensity::Mass mass = sweep.between(cuts[i], cuts[i + 1]);
    result.bins.push_back({cuts[i], cuts[i + 1], std::max(0.0, mass.x - mass.error),
                           std::max(0.0, mass.x + mass.error), std::max(0.0, mass.y - mass.error),
                           std::max(0.0, mass.y + mass.error)});
  }
  result.bins.push_back(bin_between(cuts.back(), infinity, kept(cuts.back()), Tails{}));
  add_missing(result);
  return result;
}

// Between two losses lies the difference of their tails: what was not found of it is put at the
// upper one, and of Y's, for the mirror image, at the lower one.
void SphericalTails::add_missing(LossBins& bins) {
  const double end = bins.bins.back().left;
  std::vector<double> places = density_->checkpoints(end);
  places.push_back(end);
  SphericalDensity::Sweep sweep(*density_);
  const auto bin_at = [&](double loss) {
    return std::ranges::lower_bound(bins.bins, loss, {}, &LossBin::right);
  };
  double from = 0.0, found = 0.0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double to = places[i];
    const SphericalDensity::Mass mass = sweep.between(places[i - 1], to);
    found += std::max(0.0, mass.x - mass.error) * outwards_down;
    const Tails& here = kept(from);
    const Tails& next = kept(to);
    // Tails next to the corner are not known well.
    if (to < end && !(next.x.high - next.x.low < 1e-9 * next.x.high)) continue;
    const double missing =
        std::max(0.0, (here.x.high - next.x.low) * outwards_up - found) * outwards_up;
    bin_at(to)->x_high += missing;
    bin_at(from)->y_high += missing;
    from = to;
    found = 0.0;
  }
}

// As sharp as the tails before need it, from which they are subtracted.
SphericalTails::Tails SphericalTails::at(double cut) const {
  if (cut >= largest_) return {};
  const auto after = kept_.lower_bound(cut);
  const Tails before =
      after == kept_.begin() ? Tails{{0.0, 1.0}, {0.0, 1.0}} : std::prev(after)->second;
  Tails result{rule_.above(cut, std::max(before.x.high, 1e-290)),
               rule_.below(-cut, std::max(before.y.high, 1e-290))};
  // P_Y[L > l] <= e^-l P_X[L > l].
  result.y.high = std::min(result.y.high, result.x.high * std::exp(-cut) * outwards_up);
  result.y.low = std::min(result.y.low, result.y.high);
  return result;
}

}  // namespace modicum
