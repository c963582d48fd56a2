// One epoch of randomly allocated batches (docs/derivations/random-allocation.md).
#include "modicum/mechanisms/random_allocation.h"

#include <algorithm>
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

}  // namespace

PrivacyLoss allocated_gaussian(double standard_deviation, double sensitivity, double batches) {
  const PrivacyLoss whole = gaussian_mechanism(standard_deviation, sensitivity);
  if (require_count("batches", batches) == 1.0 || sensitivity == 0.0) return whole;
  if (!(batches <= most_allocated_batches))
    throw InvalidParameter("batches", batches, "must be at most 1e7: no bound is proved for more");
  const Precise ratio = Precise::ratio(sensitivity, standard_deviation);
  // Given the batch, it is one use of the noise; mixtures of pairs are dominated by what dominates
  // each.
  if (!(ratio.high <= largest_allocated_ratio && ratio.high >= least_allocated_ratio))
    return whole.as_upper_bound();
  return remembered(ratio, batches);
}

}  // namespace modicum
