#include "privacy/atoms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace modicum {
namespace {

// Losses sorted, with the sums over all at or above a place of weight and of weight * exp(-loss).
struct SuffixSums {
  std::vector<double> losses;
  std::vector<Ball> weights, tilted;

  explicit SuffixSums(const std::vector<Atom>& atoms) {
    std::vector<std::size_t> order(atoms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> middles;
    middles.reserve(atoms.size());
    for (const Atom& atom : atoms) middles.push_back(atom.loss.middle());
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return middles[a] < middles[b]; });
    weights.resize(atoms.size() + 1);
    tilted.resize(atoms.size() + 1);
    for (const std::size_t index : order) losses.push_back(middles[index]);
    for (std::size_t k = atoms.size(); k-- > 0;) {
      const Atom& atom = atoms[order[k]];
      weights[k] = weights[k + 1] + atom.weight;
      tilted[k] = tilted[k + 1] + atom.weight * exp(-atom.loss);
    }
  }
  std::size_t first_above(double threshold) const {
    return static_cast<std::size_t>(std::upper_bound(losses.begin(), losses.end(), threshold) -
                                    losses.begin());
  }
};

}  // namespace

Ball paired_quantity(const std::vector<Atom>& left, const std::vector<Atom>& right,
                     const Ball& shift, Kernel kernel) {
  const SuffixSums sums(right);
  Ball total;
  for (const Atom& atom : left) {
    const Ball threshold = shift - atom.loss;
    // Doubles order the losses but for those within rounding of the threshold: these are counted
    // as both in and out.
    const double middle = threshold.middle(), margin = 0x1p-48 * (1.0 + std::abs(middle));
    const std::size_t sure = sums.first_above(middle + margin);
    const std::size_t possible = sums.first_above(middle - margin);
    if (possible == right.size() && !closes_on_the_left(kernel)) continue;
    const Ball above = sums.weights[sure], tilted_above = sums.tilted[sure];
    const Ball doubt = sums.weights[possible] - above, growth = exp(threshold);
    const Ball tilted_doubt = sums.tilted[possible] - tilted_above;
    const Ball half_open = Ball::between(0.0, 1.0);
    Ball value;
    switch (kernel) {
      case Kernel::profile:
        // 1 - exp(threshold - loss) is at most 2 margin for the doubtful ones.
        value = above - growth * tilted_above + doubt * half_open * Ball(2.0 * margin);
        break;
      case Kernel::upper_tail:
        value = above + doubt * half_open;
        break;
      case Kernel::lower_tail:
        value = sums.weights[0] - above - doubt * half_open;
        break;
      case Kernel::tilted_upper:
        value = growth * (tilted_above + tilted_doubt * half_open);
        break;
      case Kernel::tilted_lower:
        value = growth * (sums.tilted[0] - tilted_above - tilted_doubt * half_open);
        break;
    }
    total += atom.weight * value;
  }
  return total;
}

}  // namespace modicum
