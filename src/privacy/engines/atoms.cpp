#include "privacy/engines/atoms.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "privacy/engines/step.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

// Atoms sorted by loss, with the sums over all from a place on of weight and weight * exp(-loss).
struct SuffixSums {
  std::vector<double> losses;
  std::vector<const Atom*> sorted;
  std::vector<Ball> weights, tilted;

  explicit SuffixSums(const std::vector<Atom>& atoms)
      : weights(atoms.size() + 1), tilted(atoms.size() + 1) {
    std::vector<std::pair<double, const Atom*>> order;
    order.reserve(atoms.size());
    for (const Atom& atom : atoms) order.emplace_back(atom.loss.middle(), &atom);
    std::sort(order.begin(), order.end());
    for (const auto& [loss, atom] : order) {
      losses.push_back(loss);
      sorted.push_back(atom);
    }
    for (std::size_t k = atoms.size(); k-- > 0;) {
      weights[k] = weights[k + 1] + sorted[k]->weight;
      tilted[k] = tilted[k + 1] + sorted[k]->tilted;
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
    // Doubles order the losses but for those within rounding of the threshold, which are looked at
    // one by one.
    const double middle = threshold.middle(), margin = 0x1p-48 * (1.0 + std::abs(middle));
    const std::size_t above = sums.first_above(middle + margin);
    const std::size_t close = sums.first_above(middle - margin);
    if (close == right.size() && !closes_on_the_left(kernel)) continue;
    const Ball growth = exp(threshold);
    const LossTails tails{sums.weights[above], sums.weights[0] - sums.weights[close],
                          sums.tilted[above], sums.tilted[0] - sums.tilted[close]};
    Ball value = tails.quantity(kernel, growth);
    for (std::size_t k = close; k < above; ++k)
      value += sums.sorted[k]->weight * point_quantity(threshold - sums.sorted[k]->loss, kernel);
    total += atom.weight * value;
  }
  return total;
}

}  // namespace modicum
