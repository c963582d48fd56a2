// One epoch of randomly allocated batches (docs/derivations/random-allocation.md).
#include "modicum/mechanisms/random_allocation.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>

#include "mechanisms/sampling/allocated_ratio.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/table_law.h"

namespace modicum {
namespace {

// Losses in ascending order with masses that are not too small, and those of an infinite loss.
struct LossesAbove {
  std::vector<double> losses;
  std::vector<Ball> masses;
  Ball infinite;
};

// Rounding has left the masses above 1 in all. What is too much is taken from the least losses, below
// which the profile becomes a chord: it lies above the true one, which is convex.
std::shared_ptr<const LossLaw> law_of(LossesAbove above) {
  Ball rest = Ball(1.0) - above.infinite;
  std::size_t first = above.masses.size();
  while (first > 0 && (rest - above.masses[first - 1]).surely_positive())
    rest -= above.masses[--first];
  const auto kept = static_cast<std::ptrdiff_t>(first == 0 ? 0 : first - 1);
  above.losses.erase(above.losses.begin(), above.losses.begin() + kept);
  above.masses.erase(above.masses.begin(), above.masses.begin() + kept);
  // Should anything be missing, it counts as the largest loss.
  (first == 0 ? above.masses.back() : above.masses.front()) =
      first == 0 ? above.masses.back() + rest : rest;
  const Ball finite = Ball(1.0) - above.infinite;
  for (Ball& mass : above.masses) mass /= finite;
  return table_law(std::move(above.losses), std::move(above.masses));
}

// S/t is how much likelier an outcome is with the record.
PrivacyLoss loss_of(const SpreadMeasure& ratio, double batches) {
  const PrecisionScope scope(proof_bits);
  LossesAbove forward{{}, {}, Ball(ratio.beyond) / Ball(batches)},
      reverse{{}, {}, Ball(ratio.at_zero)};
  for (std::size_t i = 0; i < ratio.points.size(); ++i) {
    const Ball likelier = (Ball(ratio.offset) + Ball(ratio.points[i])) / Ball(batches),
               loss = log(likelier), mass = ratio.masses[i];
    if (!(ratio.masses[i] > 0.0)) continue;
    forward.losses.push_back(loss.upper());
    forward.masses.push_back(mass * likelier);
    reverse.losses.push_back((-loss).upper());
    reverse.masses.push_back(mass);
  }
  std::ranges::reverse(reverse.losses);
  std::ranges::reverse(reverse.masses);
  const Precise never = to_precise("infinite", forward.infinite),
                less = to_precise("infinite", reverse.infinite);
  PrivacyLoss loss = PrivacyLoss::law(law_of(std::move(forward)), law_of(std::move(reverse)));
  loss.compose(PrivacyLoss::infinite_with_probability(never, less));
  return loss.as_upper_bound();
}

// The last few, by the contribution of a record in deviations of the noise.
struct KnownLoss {
  Precise ratio;
  double batches;
  PrivacyLoss loss;
};
PrivacyLoss remembered(const Precise& ratio, double batches) {
  constexpr std::size_t most = 16;
  static std::mutex mutex;
  static std::list<KnownLoss> known;
  const auto asked = [&](const KnownLoss& one) {
    return one.ratio == ratio && one.batches == batches;
  };
  {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find_if(known, asked);
    if (found != known.end()) return found->loss;
  }
  const PrivacyLoss loss = loss_of(allocated_ratio(to_ball(ratio), batches), batches);
  const std::lock_guard lock(mutex);
  if (std::ranges::none_of(known, asked)) known.push_front({ratio, batches, loss});
  if (known.size() > most) known.pop_back();
  return loss;
}

// `found` makes the loss of a record's contribution in deviations of the noise, where there is one
// with amplification.
template <class Found>
PrivacyLoss allocated(double standard_deviation, double sensitivity, double batches,
                      const Found& found) {
  const PrivacyLoss whole = gaussian_mechanism(standard_deviation, sensitivity);
  if (require_count("batches", batches) == 1.0 || sensitivity == 0.0) return whole;
  if (!(batches <= most_allocated_batches))
    throw InvalidParameter("batches", batches, "must be at most 1e7: no bound is proved for more");
  const Precise ratio = Precise::ratio(sensitivity, standard_deviation);
  // Given the batch, it is one use of the noise; mixtures of pairs are dominated by what dominates
  // each.
  if (!(ratio.high <= largest_allocated_ratio && ratio.high >= least_allocated_ratio))
    return whole.as_upper_bound();
  return found(ratio);
}

}  // namespace

PrivacyLoss allocated_gaussian(double standard_deviation, double sensitivity, double batches) {
  return allocated(standard_deviation, sensitivity, batches,
                   [&](const Precise& ratio) { return remembered(ratio, batches); });
}

// First with a tenth of the points, a hundredth of the work. That bound is above the final one, by
// a percent or so: a few steps along its slope lead from one to the other.
Calibration calibrate_allocated_gaussian(const PrivacyTarget& target, double sensitivity,
                                         double batches, double count) {
  require_positive("sensitivity", sensitivity);
  require_count("batches", batches);
  require_count("count", count);
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of the Gaussian mechanism is unbounded");
  constexpr double tenth = 0.1;
  const auto roughly = [&](double noise) {
    return allocated(noise, sensitivity, batches,
                     [&](const Precise& ratio) {
                       return loss_of(allocated_ratio(to_ball(ratio), batches, tenth), batches);
                     })
        .repeated(count);
  };
  const double start = sensitivity * std::max(0.5, std::sqrt(count / batches));
  Calibration best = smallest_noise(roughly, target, start, Accuracy::certified);
  const auto excess = [&](const ProfilePoint& point) {
    return std::log(point.delta().upper() / target.delta);
  };
  const double near = 1.01, slope = (excess(best.achieved) -
                                     excess(profile(roughly(best.parameter * near), target.epsilon,
                                                    Accuracy::certified))) /
                                    std::log(near);
  constexpr double close = 1e-6;  // of the noise
  double noise = best.parameter;
  for (int round = 0; round < 8 && slope > 0.0; ++round) {
    const ProfilePoint point =
        profile(allocated_gaussian(noise, sensitivity, batches).repeated(count), target.epsilon,
                Accuracy::certified);
    const double missing = excess(point) / slope;
    if (point.delta().upper() <= target.delta && noise <= best.parameter) best = {noise, point};
    if (missing <= 0.0 && missing > -3.0 * close) break;
    noise *= std::exp(missing + close);
  }
  return best;
}

}  // namespace modicum
