#include "modicum/mechanisms/optimal_noise.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "mechanisms/optimal/found_noises.h"
#include "mechanisms/optimal/staircase_sums.h"
#include "mechanisms/optimal/whole_noise.h"
#include "modicum/mechanisms/calibrate_discrete.h"
#include "modicum/mechanisms/randomized_response.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

constexpr long longest_half = 49999;  // integer_noise() takes 100000 integers

// Heights of a mixture. Each step is lower than the one before by a little less than e^epsilon, so
// that no rounding makes the loss exceed epsilon; rounding keeps them from rising.
Heights mixed_heights(const StaircaseTask& task, const StaircaseMixture& mixture) {
  const double ratio = std::min(1.0, std::exp(-task.epsilon) * (1.0 + 16.0 * ulp));
  const long last = std::max(mixture.near.last, mixture.share > 0.0 ? mixture.far.last : 0);
  const long period = task.sensitivity;
  std::vector<double> steps{1.0};
  for (long step = 1; step <= last / period + 1; ++step) steps.push_back(steps.back() * ratio);
  const double near = (1.0 - mixture.share) / mixture.near.mass,
               far = mixture.share / mixture.far.mass;
  const auto height = [&](const Corner& corner, long k) {
    if (k > corner.last) return 0.0;
    return steps[static_cast<std::size_t>((k + period - corner.inner) / period)];
  };
  Heights heights;
  for (long k = 0; k <= last; ++k)
    heights.push_back(near * height(mixture.near, k) + far * height(mixture.far, k));
  while (heights.back() == 0.0) heights.pop_back();
  return heights;
}

struct ProvedTable {
  Heights heights;
  Enclosure delta;
};

// Mixtures for a delta smaller by as little as it takes.
std::optional<ProvedTable> proved_table(const StaircaseTask& task, double delta) {
  for (double slack = 1e-13; slack < 1e-2; slack *= 16.0) {
    const double aim = delta * (1.0 - slack);
    const MixtureSearch search = least_mixture(task, aim, longest_half);
    if (!search.found) return std::nullopt;
    Heights heights = mixed_heights(task, search.mixture);
    const Enclosure found = delta_of_heights(heights, task.epsilon, task.sensitivity).enclosure();
    if (found.upper() <= delta) return ProvedTable{std::move(heights), found};
  }
  return std::nullopt;
}

// First steps whose multipliers may prove the most. Where delta is small it is that of the noise.
std::set<long> steps_to_try(const StaircaseTask& task, double delta,
                            const StaircaseMixture& mixture) {
  std::set<long> inners{mixture.near.inner, mixture.far.inner};
  if (task.epsilon == 0.0 || delta > 1e-3) {
    inners.insert({(task.sensitivity + 1) / 2, task.sensitivity});
    for (long inner = 1; inner <= std::min(task.sensitivity, 24L); ++inner) inners.insert(inner);
  }
  return inners;
}

double lower_bound_of(const StaircaseTask& task, double delta) {
  constexpr double tiny = 1e-9;  // below, mixtures may be told apart by rounding alone
  constexpr double steep = 5.0;  // from here on the end of the noise hardly matters
  double bound = 0.0;
  if (task.epsilon > steep || (task.epsilon > 0.0 && delta < tiny))
    bound = endless_bound(task, delta);
  if (delta == 0.0) return bound;
  // On both sides of delta: at a corner of the hull its price has two ends, and rounding others.
  for (const double beside : {delta * (1.0 - 1e-9), delta * (1.0 + 1e-9)}) {
    MixtureSearch search = least_mixture(task, beside, longest_half);
    if (!search.found && bound == 0.0) search = least_mixture(task, beside, 8 * longest_half);
    if (!search.found && bound > 0.0) return bound;
    for (const long inner : steps_to_try(task, delta, search.mixture))
      bound = std::max(bound, mixture_bound(task, delta, inner, search));
  }
  return bound;
}

OptimalNoise with_staircase(const PrivacyTarget& target, const StaircaseTask& task,
                            const NoiseError& error, double lower_bound) {
  const Staircase noise{target.epsilon, static_cast<double>(best_inner(task)),
                        static_cast<double>(task.sensitivity)};
  const double own = error_of_staircase(noise, error);
  if (!(endless_cost(task, static_cast<long>(noise.inner)).upper() <= 1.1 * lower_bound))
    throw TargetUnreachable(
        "the least noise spreads over more than 100000 integers, and no other is within 10 % of "
        "it");
  return {noise,
          noise.sensitivity,
          own,
          lower_bound,
          {target.epsilon, {0.0, 0.0}, {0.0, 0.0}, Proof::certified}};
}

// Its lower bound is found only where it is to be told.
OptimalNoise least_mean(const PrivacyTarget& target, const StaircaseTask& task,
                        const NoiseError& error, bool with_bound = true) {
  if (target.delta > 0.0)
    if (const auto table = proved_table(task, target.delta))
      return {table_of(table->heights),
              static_cast<double>(task.sensitivity),
              error_of_heights(table->heights, error),
              with_bound ? lower_bound_of(task, target.delta) : 0.0,
              {target.epsilon, table->delta, table->delta, Proof::certified}};
  return with_staircase(target, task, error, lower_bound_of(task, target.delta));
}

// About the width of an interval: twice that for half the sensitivity, which whoever asks for ever
// finer grids has asked for before.
double guessed_width(const PrivacyTarget& target, double sensitivity, const NoiseError& error) {
  if (!(sensitivity >= 8.0 && std::fmod(sensitivity, 2.0) == 0.0)) return 1.0;
  try {
    return 2.0 * optimal_integer_noise(target, sensitivity / 2.0, error)->lower_bound;
  } catch (const TargetUnreachable&) {
    return 1.0;
  }
}

// Of the tables those that leave at most 1 - level outside, from the width on that is least in
// theory.
OptimalNoise least_interval(const PrivacyTarget& target, StaircaseTask task,
                            const NoiseError& error) {
  const double outside = 1.0 - error.level;
  const auto within = [&](double width) {
    task.cost.width = width;
    return lower_bound_of(task, target.delta) <= outside;
  };
  const double bound =
      least_width(within, guessed_width(target, static_cast<double>(task.sensitivity), error));
  std::optional<OptimalNoise> found;
  for (double width = bound; !found || found->error > width; ++width) {
    task.cost.width = width;
    OptimalNoise next = least_mean(target, task, error, false);
    if (!found || next.error < found->error) found = std::move(next);
    if (width > bound + 4.0) break;
  }
  found->lower_bound = bound;
  return *found;
}

// Answers that are multiples of a grid, moved by a few of it: what holds there holds for all. And
// noise for this sensitivity is noise for every smaller one.
double bound_from_coarser_grids(const PrivacyTarget& target, double sensitivity,
                                const NoiseError& error) {
  double best = 0.0;
  for (const double parts : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0}) {
    if (!(parts < sensitivity)) break;
    const double grid = std::floor(sensitivity / parts);
    const double unit = error.kind == NoiseError::Kind::squared ? grid * grid : grid;
    try {
      const double own = optimal_integer_noise(target, parts, error)->lower_bound;
      best = std::max({best, own, bound_off_grid(own, error) * unit * (1.0 - 4.0 * ulp)});
    } catch (const TargetUnreachable&) {  // too wide a table
    }
  }
  return best;
}

OptimalNoise found_noise(const PrivacyTarget& target, double sensitivity, const NoiseError& error) {
  const StaircaseTask task{target.epsilon, static_cast<long>(sensitivity), {error.kind}};
  OptimalNoise found = error.kind == NoiseError::Kind::interval
                           ? least_interval(target, task, error)
                           : least_mean(target, task, error);
  if (!(found.lower_bound >= 0.99 * found.error))
    found.lower_bound =
        std::max(found.lower_bound, bound_from_coarser_grids(target, sensitivity, error));
  return found;
}

// --- Several answers -----------------------------------------------------------------------------

// The same noise, if `count` answers are proved to meet the target with it.
std::optional<OptimalNoise> for_all(const PrivacyTarget& target, const WholeNoise& noise,
                                    double sensitivity, const NoiseError& error, double count) {
  const PrivacyLoss loss = whole_noise_loss(noise, sensitivity).repeated(count);
  const ProfilePoint achieved = profile(loss, target.epsilon, Accuracy::certified);
  if (!(achieved.delta().upper() <= target.delta)) return {};
  return OptimalNoise{noise, sensitivity, whole_noise_error(noise, error), 0.0, achieved};
}

std::optional<OptimalNoise> gaussian_for_all(const PrivacyTarget& target, double sensitivity,
                                             const NoiseError& error, double count) {
  if (target.delta == 0.0) return {};
  double sigma = 0.0;
  try {
    sigma = calibrate_discrete_gaussian(target, sensitivity, count).parameter;
  } catch (const CalibrationFailed&) {
    return {};
  }
  return for_all(target, DiscreteGaussianNoise{sigma}, sensitivity, error, count);
}

// About the error of discrete Gaussian noise, whose sigma hardly differs from the deviation of
// continuous noise; infinite where there is none.
double gaussian_error(const PrivacyTarget& target, double sensitivity, const NoiseError& error,
                      double count) {
  if (target.delta == 0.0) return HUGE_VAL;
  const double deviation = calibrate_gaussian(target, sensitivity, count).parameter;
  if (!(deviation < 4000.0)) return HUGE_VAL;
  return deviation <= 2.0 ? 0.0 : whole_noise_error(DiscreteGaussianNoise{0.99 * deviation}, error);
}

// The best split of delta between infinite losses and the rest, by the error of the noise. All of
// them are of the same order: where one is far from `hopeful`, none is looked for.
std::shared_ptr<const OptimalNoise> least_of_splits(const PrivacyTarget& target, double sensitivity,
                                                    const NoiseError& error, double count,
                                                    double hopeful) {
  std::shared_ptr<const OptimalNoise> least;
  for (const double share : {0.3, 0.0, 0.02, 0.1, 0.6, 0.8, 0.92, 0.98}) {
    const double delta_each = target.delta * share / count;
    const PrivacyTarget each(epsilon_of_each(target, delta_each, count), delta_each);
    if (each.epsilon == 0.0 && each.delta == 0.0) continue;
    try {
      const auto found = optimal_integer_noise(each, sensitivity, error);
      if (!least || found->error < least->error) least = found;
    } catch (const TargetUnreachable&) {  // too wide a table
    }
    if (target.delta == 0.0 || (least && !(least->error < hopeful))) break;
  }
  return least;
}

// A proof takes longer than a search: only the winner is proved.
OptimalNoise noise_for_several(const PrivacyTarget& target, double sensitivity,
                               const NoiseError& error, double count) {
  const double rival = gaussian_error(target, sensitivity, error, count);
  const auto least =
      least_of_splits(target, sensitivity, error, count, rival > 0.0 ? 2.0 * rival : HUGE_VAL);
  std::optional<OptimalNoise> best;
  if (!least || rival < least->error) best = gaussian_for_all(target, sensitivity, error, count);
  if (least && !(best && best->error <= least->error))
    if (auto proved = for_all(target, least->noise, sensitivity, error, count))
      best = std::move(proved);
  if (!best) best = gaussian_for_all(target, sensitivity, error, count);
  if (!best) throw TargetUnreachable("no noise was found that is proved to meet the target");
  best->lower_bound = optimal_integer_noise(target, sensitivity, error)->lower_bound;
  return *best;
}

}  // namespace

double epsilon_of_each(const PrivacyTarget& target, double delta_each, double count) {
  const auto fits = [&](double epsilon) {
    const PrivacyLoss loss = approximate_guarantee(epsilon, delta_each).repeated(count);
    return profile(loss, target.epsilon).delta().upper() <= target.delta;
  };
  double low = target.epsilon / count, high = std::max(2.0 * low, 1e-9);
  if (target.delta == 0.0) return low * (1.0 - 4.0 * ulp);
  if (!fits(low)) low = 0.0;
  for (; fits(high) && high < 64.0; high *= 2.0) low = high;
  while (high - low > 1e-9 * high) {
    const double middle = low + (high - low) / 2.0;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::shared_ptr<const OptimalNoise> optimal_integer_noise(const PrivacyTarget& target,
                                                          double sensitivity,
                                                          const NoiseError& error, double count) {
  require_error(error);
  require_count("count", count);
  if (!(sensitivity >= 1.0 && sensitivity <= largest_optimal_sensitivity &&
        sensitivity == std::floor(sensitivity)))
    throw InvalidParameter("sensitivity", sensitivity, "must be a whole number from 1 to 4096");
  if (target.epsilon == 0.0 && target.delta == 0.0)
    throw TargetUnreachable("no noise makes an answer (0, 0)-differentially private");
  static FoundNoises<OptimalNoise> known(256);
  return known.get(target, sensitivity, error, count, [&] {
    const PrecisionScope scope(proof_bits);
    return count == 1.0 ? found_noise(target, sensitivity, error)
                        : noise_for_several(target, sensitivity, error, count);
  });
}

}  // namespace modicum
