#include "privacy/engines/loss_measure.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// Masses at the cuts, added up with rounding upwards or downwards.
class MassesAtCuts {
 public:
  explicit MassesAtCuts(const LossBins& bins) {
    for (const LossBin& bin : bins.bins) measure_.losses.push_back(bin.left);
    measure_.masses.resize(measure_.losses.size());
  }
  /// Beyond the last cut it is infinite. Next to the least double rounding upwards would outweigh
  /// the mass itself after tilting.
  void add_upwards(std::size_t cut, double mass) {
    if (cut >= measure_.masses.size() || mass < 1e-300) add_infinite(mass);
    else measure_.masses[cut] = (measure_.masses[cut] + mass) * (1.0 + 0x1p-52);
  }
  void add_infinite(double mass) {
    measure_.infinite = std::nextafter(measure_.infinite + std::max(mass, 0.0), infinity);
  }
  void add_downwards(std::size_t cut, double mass) {
    double& to = measure_.masses[cut];
    if (mass > 0.0) to = (to + mass * (1.0 - 0x1p-50)) * (1.0 - 0x1p-52);
  }
  LossMeasure take() { return std::move(measure_); }

 private:
  LossMeasure measure_;
};

// What dominates every loss.
LossMeasure everything_infinite() { return {{0.0}, {1.0}, 1.0}; }

}  // namespace

// A convex function of exp(-loss) lies below its chord: the bin's mass goes to both its ends so
// that the masses under X and under Y are kept. What is uncertain goes to the right end, and what
// may lie beyond that to the next cut.
LossMeasure dominating_measure(const LossBins& bins) {
  MassesAtCuts masses(bins);
  const std::vector<LossBin>& all = bins.bins;
  masses.add_upwards(1, bins.below);  // it may reach into the first bin, by what is early there
  masses.add_infinite(bins.lost);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const LossBin& bin = all[i];
    const double width = bin.right - bin.left, raised = bin.early * outwards_up;
    if (!(bin.x_high <= 1e300)) return everything_infinite();  // nothing is known, or no number
    const double total = std::max(0.0, bin.x_high);
    const double apart = -std::expm1(-width);
    // What is subtracted is known to a few units of itself.
    const double share =
        (total - bin.y_low * std::exp(-raised) * outwards_down) / apart * outwards_up;
    const double right = share >= 0.0 ? std::min(share, total) : share < 0.0 ? 0.0 : total;
    double moved = 0.0;
    if (bin.late + raised > 0.0) {
      const double next =
          i + 2 < all.size() ? -std::expm1(all[i + 1].left - all[i + 1].right) : 1.0;
      const double part = (bin.late + raised) / next * outwards_up;
      // Beyond the next cut the chord is no bound any more.
      if (!(part <= 1.0)) {
        masses.add_infinite(total * outwards_up);
        continue;
      }
      moved = part * total;
    }
    masses.add_upwards(i, total > right ? (total - right) * outwards_up : 0.0);
    if (right > moved) masses.add_upwards(i + 1, (right - moved) * outwards_up);
    if (moved > 0.0) masses.add_upwards(i + 2, moved);
  }
  // Beyond the last cut the chord ends at exp(-infinity) = 0.
  const LossBin& last = all.back();
  if (!(last.x_high <= 1e300)) return everything_infinite();
  const double kept = std::clamp(last.y_low * std::exp(-last.early * outwards_up) * outwards_down,
                                 0.0, std::max(0.0, last.x_low));
  masses.add_upwards(all.size() - 1, kept);
  if (last.x_high > kept) masses.add_infinite((last.x_high - kept) * outwards_up);
  return masses.take();
}

// By Jensen's inequality a convex decreasing function of exp(-loss) is at least its value at the
// mean. What is left of the bin before a cut is joined there by as much of the bins after it as
// makes the mean of exp(-loss) that of the cut or less; what finds no such company moves down to
// the cut before.
LossMeasure dominated_measure(const LossBins& bins) {
  MassesAtCuts masses(bins);
  const std::vector<LossBin>& all = bins.bins;
  constexpr std::size_t furthest = 12;        // bins that one cut may draw on
  std::vector<double> left(all.size(), 1.0);  // share of each bin that is not placed yet
  const auto lower_mass = [&](std::size_t i) { return std::max(0.0, all[i].x_low); };
  const auto take = [](double& share, double taken) {
    share = std::max(0.0, (share - taken) * (1.0 - 0x1p-50));
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double cut = all[i].left;
    // How far the bin before lies above the cut's exp(-loss), and the bins after it below, all
    // times exp(cut).
    double load = 0.0;
    if (i > 0) {
      const LossBin& before = all[i - 1];
      load = left[i - 1] * outwards_up *
             (before.y_high * std::exp(cut - before.left) * outwards_up -
              before.x_low * outwards_down);
      if (!(load < infinity)) load = left[i - 1] = 0.0;  // nothing is known of it
    }
    const double whole = load;
    double mass = 0.0;
    for (std::size_t j = i; load > 0.0 && j < std::min(all.size(), i + furthest); ++j) {
      const double fallen = j == i ? 1.0 : std::exp(cut - all[j].left) * outwards_up;
      const double support =
          (all[j].x_low * outwards_down - all[j].y_high * fallen * outwards_up) * outwards_down;
      if (!(support > 0.0)) continue;
      const double needed = load / support * outwards_up;
      const double taken = std::min(left[j], needed);
      load = needed <= taken ? 0.0 : load - support * taken * outwards_down;
      mass += lower_mass(j) * taken * (1.0 - 0x1p-50);
      take(left[j], taken);
    }
    if (i > 0) {
      const double settled = load > 0.0 ? std::max(0.0, 1.0 - load / whole * outwards_up) : 1.0;
      mass += lower_mass(i - 1) * left[i - 1] * settled * (1.0 - 0x1p-50);
      masses.add_downwards(i - 1, lower_mass(i - 1) * left[i - 1] * (1.0 - settled));
    }
    masses.add_downwards(i, mass);
  }
  masses.add_downwards(all.size() - 1, lower_mass(all.size() - 1) * left.back());
  return masses.take();
}

}  // namespace modicum
