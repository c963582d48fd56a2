#include "release/everyday/discovery.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/discovered_groups.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "numerics/ball.h"
#include "release/everyday/everyday_sensitivity.h"

namespace modicum {
namespace {

// Estimate of the x that a standard normal number exceeds with this probability.
double normal_quantile_above(double probability) {
  double low = -40.0, high = 40.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle * M_SQRT1_2) > probability ? low : high) = middle;
  }
  return high;
}

constexpr double most_ways = 32.0;

// Down from a threshold that is safe up to rounding, in steps of a millionth of the noise.
template <class Proved>
double least_proved(double low, double high, double step, const Proved& proved) {
  if (!proved(high)) throw CalibrationFailed("no threshold could be proved for discovered groups");
  while (high - low > step) {
    const double middle = 0.5 * (low + high);
    (proved(middle) ? high : low) = middle;
  }
  return high;
}

// From where on groups with so many rows are shown with this probability, each.
double start_of_search(const GroupNumbers& numbers, double rows, double probability) {
  return numbers.weight * rows + 0.5 * numbers.grid +
         numbers.standard_deviation * normal_quantile_above(probability);
}

}  // namespace

GroupNumbers group_numbers(Everyday statistic, const EverydayQuestion& question,
                           double standard_deviation, double grid) {
  const PersonRule person = question.unit.value_or(PersonRule{});
  return {standard_deviation,
          grid,
          row_count_weight(statistic, question),
          person.rows,
          person.most_groups(),
          row_sensitivity(statistic, question),
          everyday_sensitivity(statistic, question),
          question.neighbors != Adjacency::add_remove};
}

// With n_i rows in group i the probability is 1 - prod Phi(x_i), x_i falling in n_i. -log Phi is
// convex, so that of all ways to spread the rows over j groups one with n_1 = rows - j + 1 and one
// row in each other is the worst; and that is convex in j: the worst j is the least or the largest.
double new_group_probability(const GroupNumbers& numbers, double shown_from, double new_rows) {
  if (!(new_rows > 0.0)) return 0.0;
  const PrecisionScope scope(proof_bits);
  // log P[a group with so many rows is hidden].
  const auto log_hidden = [&](double own) {
    const Ball distance =
        Ball(shown_from) - Ball(0.5) * Ball(numbers.grid) - Ball(numbers.weight) * Ball(own);
    return log1p(-normal_above(distance / Ball(numbers.standard_deviation)));
  };
  double largest = 0.0;
  for (const double spread : {1.0, std::min(new_rows, numbers.groups)}) {
    const Ball all_hidden =
        log_hidden(new_rows - spread + 1.0) + Ball(spread - 1.0) * log_hidden(1.0);
    const double shown = (-expm1(all_hidden)).enclosure().upper();
    if (!(shown <= largest)) largest = shown;
  }
  return largest <= 1.0 ? largest : 1.0;
}

double discovery_threshold(const GroupNumbers& numbers, double probability) {
  require_open_unit("delta", probability);
  const double step = 1e-6 * numbers.standard_deviation;
  const double high =
      start_of_search(numbers, numbers.rows, probability / std::min(numbers.rows, numbers.groups));
  return least_proved(start_of_search(numbers, numbers.rows, probability) - step, high + step, step,
                      [&](double from) {
                        return new_group_probability(numbers, from, numbers.rows) <= probability;
                      });
}

// With t rows in new groups, rows - t move the numbers of others; those that are replaced by a row
// which leaves them move these too. Of many rows blocks of t are taken, with what is worst in each.
DiscoveryWays discovery_ways(const GroupNumbers& numbers, double shown_from) {
  DiscoveryWays ways;
  const double blocks = std::min(numbers.rows, most_ways);
  const auto moved = [&](double fewest, double most) {
    if (most == 0.0) return numbers.sensitivity;
    if (!numbers.replaced) return (numbers.rows - fewest) * numbers.row_alone * (1.0 + 0x1p-50);
    return ((numbers.rows - fewest) / numbers.rows * numbers.sensitivity +
            most * numbers.row_alone) *
           (1.0 + 0x1p-50);
  };
  const auto add = [&](double fewest, double most) {
    ways.sensitivities.push_back(moved(fewest, most));
    ways.probabilities.push_back(new_group_probability(numbers, shown_from, most));
  };
  add(0.0, 0.0);
  double done = 0.0;
  for (double i = 1.0; i <= blocks; ++i) {
    const double upto = i == blocks ? numbers.rows : std::floor(numbers.rows * i / blocks);
    add(done + 1.0, upto);
    done = upto;
  }
  return ways;
}

double discovery_threshold(const GroupNumbers& numbers, const PrivacyTarget& target) {
  const auto proved = [&](double from) {
    const DiscoveryWays ways = discovery_ways(numbers, from);
    for (std::size_t i = 1; i < ways.sensitivities.size(); ++i) {
      const PrivacyLoss own = discovered_groups(numbers.standard_deviation, {ways.sensitivities[i]},
                                                {ways.probabilities[i]});
      if (!(profile(own, target.epsilon, Accuracy::certified).delta().upper() <= target.delta))
        return false;
    }
    return true;
  };
  const double step = 1e-6 * numbers.standard_deviation;
  const double low = start_of_search(numbers, 1.0, target.delta) - step;
  double share = target.delta / std::min(numbers.rows, numbers.groups);
  double high = start_of_search(numbers, numbers.rows, share);
  for (int i = 0; i < 40 && !proved(high); ++i)
    high = start_of_search(numbers, numbers.rows, share *= 0.5);
  return least_proved(std::min(low, high), high, step, proved);
}

}  // namespace modicum
