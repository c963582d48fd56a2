// Two numbers (docs/derivations/optimal-noise.md).
#include "modicum/mechanisms/optimal_disc_noise.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "mechanisms/optimal/disc_program.h"
#include "mechanisms/optimal/found_noises.h"
#include "mechanisms/optimal/whole_noise.h"
#include "modicum/mechanisms/randomized_response.h"

namespace modicum {
namespace {

constexpr double farthest = 10000.0;    // in sensitivities
constexpr double least_reach = 1.5;     // finer rings may go where coarse ones do not
constexpr double most_pairs = 20000.0;  // of rings, in a program
constexpr double most_epsilon = 16.0;   // beyond, the least radius is all that matters
constexpr double finest = 64.0;         // rings in a sensitivity

// Mean cost of a point between two radii.
double ring_cost(const NoiseError& error, double bound, double from, double to) {
  switch (error.kind) {
    case NoiseError::Kind::squared:
      return 0.5 * (from * from + to * to);
    case NoiseError::Kind::absolute:
      return 2.0 / 3.0 * (from * from + from * to + to * to) / (from + to);
    case NoiseError::Kind::interval:
      if (bound >= to) return 0.0;
      if (bound <= from) return 1.0;
      return (to - bound) * (to + bound) / ((to - from) * (to + from));
  }
  return 0.0;
}

// Discs up to `reach`, `parts` of them in a sensitivity; `bound` is that of an interval.
DiscProgram program_for(const PrivacyTarget& target, const NoiseError& error, double bound,
                        double reach, double parts) {
  DiscProgram program{target.epsilon, target.delta, {}, {}};
  for (double i = 1.0; i <= std::ceil(reach * parts); ++i) {
    program.radii.push_back(i / parts);
    program.costs.push_back(ring_cost(error, bound, (i - 1.0) / parts, i / parts));
  }
  return program;
}

double parts_within(double reach) {
  double parts = finest;
  while (parts > 1.0 && reach * parts * parts > most_pairs) parts /= 2.0;
  return parts;
}

// Where all but a hundredth of delta lies within, and a little further.
double reach_of(const DiscProgram& program, const DiscProgramSolution& solution) {
  double beyond = 0.0;
  std::size_t last = program.radii.size() - 1;
  for (; last > 0; --last) {
    beyond += solution.weights[last];
    if (beyond > 0.01 * program.delta) break;
  }
  return std::min(program.radii.back(), std::max(least_reach, 1.03 * program.radii[last] + 0.5));
}

// A program over coarse rings tells how far to go, and for an interval its bound.
struct Extent {
  double reach, bound = 0.0;
};
Extent rough_extent(const PrivacyTarget& target, const NoiseError& error) {
  const double tail = 3.0 - std::log(target.delta);
  const double reach =
      std::max(least_reach, std::min(1.0 + tail / target.epsilon, 1.0 + 1.0 / target.delta));
  if (!(reach <= farthest))
    throw TargetUnreachable("the noise would spread over more than 10000 times the sensitivity");
  const double parts = std::min(4.0, parts_within(reach));
  Extent extent{reach};
  if (error.kind == NoiseError::Kind::interval) {
    double low = 0.0, high = reach;
    while (high - low > 2e-3 * high) {
      const double middle = low + (high - low) / 2.0;
      const auto solution = solve_disc_program(program_for(target, error, middle, reach, parts));
      (solution.solved && solution.cost <= 1.0 - error.level ? high : low) = middle;
    }
    extent.bound = high;
  }
  const DiscProgram program = program_for(target, error, extent.bound, reach, parts);
  const DiscProgramSolution solution = solve_disc_program(program);
  if (solution.solved) extent.reach = reach_of(program, solution);
  return extent;
}

// What weighs nothing even where the density has to be e^-epsilon of that at the center is left
// out.
std::optional<DiscNoise> discs_of(const DiscProgramSolution& solution, const PrivacyTarget& target,
                                  double width) {
  if (!solution.solved) return {};
  const double least = 1e-13 * target.delta * std::exp(-std::min(target.epsilon, most_epsilon));
  DiscNoise noise{solution.weights, width};
  for (double& weight : noise.probabilities)
    if (!(weight > least)) weight = 0.0;
  while (!noise.probabilities.empty() && noise.probabilities.back() == 0.0)
    noise.probabilities.pop_back();
  if (noise.probabilities.empty()) return {};
  return noise;
}

// The noise along any direction meets the target by itself. Squared errors of two directions add
// up; the mean size along a random direction is 2/pi of the distance; an interval holds no less
// along one.
double floor_of_two_numbers(const PrivacyTarget& target, const NoiseError& error) {
  const PrecisionScope scope(proof_bits);
  const Ball one = floor_of_one_number(target, error);
  if (error.kind == NoiseError::Kind::squared) return (one * 2.0).lower();
  if (error.kind == NoiseError::Kind::absolute) return (one * Ball::pi() / 2.0).lower();
  return one.lower();
}

// For a delta smaller by as little as it takes.
OptimalDiscNoise noise_for_one(const PrivacyTarget& target, double sensitivity,
                               const NoiseError& error) {
  const double epsilon = std::min(target.epsilon, most_epsilon);
  const Extent extent = rough_extent({epsilon, target.delta}, error);
  const double parts = parts_within(extent.reach);
  for (double slack = 1e-6; slack < 0.3; slack *= 16.0) {
    const PrivacyTarget aim(epsilon, target.delta * (1.0 - slack));
    const auto noise =
        discs_of(solve_disc_program(program_for(aim, error, extent.bound, extent.reach, parts)),
                 target, sensitivity / parts);
    if (!noise) continue;
    const Enclosure delta = disc_noise_delta(*noise, sensitivity, target.epsilon);
    if (delta.upper() <= target.delta)
      return {*noise,
              sensitivity,
              disc_noise_error(*noise, error),
              0.0,
              {target.epsilon, delta, delta, Proof::certified}};
  }
  throw TargetUnreachable("no mixture of discs was found that is proved to meet the target");
}

// What each of several answers may have to itself, by the share of infinite losses in delta.
std::vector<PrivacyTarget> targets_of_each(const PrivacyTarget& target, double count) {
  if (count == 1.0) return {target};
  std::vector<PrivacyTarget> targets;
  for (const double share : {0.1, 0.3, 0.6, 0.9}) {
    const double delta = target.delta * share / count;
    targets.emplace_back(epsilon_of_each(target, delta, count), delta);
  }
  return targets;
}

double unit_of_error(double sensitivity, const NoiseError& error) {
  return error.kind == NoiseError::Kind::squared ? sensitivity * sensitivity : sensitivity;
}

OptimalDiscNoise noise_for_all(const PrivacyTarget& target, double sensitivity,
                               const NoiseError& error, double count) {
  std::shared_ptr<const OptimalDiscNoise> least;
  double best_epsilon = 0.0, best_delta = 0.0;
  for (const PrivacyTarget& each : targets_of_each(target, count)) {
    try {
      const auto found = optimal_disc_noise(each, sensitivity, error);
      if (least && !(found->error < least->error)) continue;
      least = found;
      best_epsilon = each.epsilon;
      best_delta = each.delta;
    } catch (const TargetUnreachable&) {  // spreads too far
    }
  }
  if (!least) throw TargetUnreachable("no noise was found that is proved to meet the target");
  OptimalDiscNoise result = *least;
  result.achieved =
      profile(approximate_guarantee(best_epsilon, best_delta).repeated(count), target.epsilon);
  if (!(result.achieved.delta().upper() <= target.delta))
    throw TargetUnreachable("no noise was found that is proved to meet the target");
  return result;
}

}  // namespace

std::shared_ptr<const OptimalDiscNoise> optimal_disc_noise(const PrivacyTarget& target,
                                                           double sensitivity,
                                                           const NoiseError& error, double count) {
  require_error(error);
  require_real_sensitivity(sensitivity);
  require_count("count", count);
  if (!(target.delta > 0.0))
    throw TargetUnreachable(
        "delta is 0, which noise that ends cannot have: l2 noise has it (`calibrate l2`)");
  static FoundNoises<OptimalDiscNoise> known(64);
  return known.get(target, sensitivity, error, count, [&] {
    OptimalDiscNoise best = count == 1.0 ? noise_for_one(target, sensitivity, error)
                                         : noise_for_all(target, sensitivity, error, count);
    best.lower_bound = least_disc_error(target, sensitivity, error);
    return best;
  });
}

double least_disc_error(const PrivacyTarget& target, double sensitivity, const NoiseError& error,
                        double count) {
  require_error(error);
  require_real_sensitivity(sensitivity);
  require_count("count", count);
  double least = HUGE_VAL;
  for (const PrivacyTarget& each : targets_of_each(target, count))
    least = std::min(least, floor_of_two_numbers(each, error));
  return least * unit_of_error(sensitivity, error) * (1.0 - 8.0 * ulp);
}

}  // namespace modicum
