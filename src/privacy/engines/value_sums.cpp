#include "privacy/engines/value_sums.h"

#include <algorithm>
#include <cmath>

#include "privacy/engines/part_laws.h"

namespace modicum {
namespace {

constexpr double most_sums = 2000.0;  // in each half
constexpr long sum_bits = 192;

// The ways in which so many copies have `size` values: (copies + size - 1 over copies).
double sums_of(double copies, double size) {
  return std::exp(std::lgamma(copies + size) - std::lgamma(copies + 1.0) - std::lgamma(size));
}

double half_of(double count, bool left) {
  return left ? std::ceil(count / 2.0) : std::floor(count / 2.0);
}

// Adds this many copies of the values from `place` on, in every way: the weight of a way is a
// multinomial coefficient times powers of the masses.
void add_sums(const std::vector<LossValue>& values, std::size_t place, double copies,
              const LossValue& before, std::vector<LossValue>& sums) {
  const LossValue& value = values[place];
  LossValue sum = before;
  if (place + 1 == values.size()) {
    sum.loss += value.loss * Ball(copies);
    for (double k = 0.0; k < copies; k += 1.0) sum.mass *= value.mass;
    sums.push_back(std::move(sum));
    return;
  }
  for (double taken = 0.0; taken <= copies; taken += 1.0) {
    add_sums(values, place + 1, copies - taken, sum, sums);
    sum.loss += value.loss;
    sum.mass *= value.mass * Ball(copies - taken) / Ball(taken + 1.0);
  }
}

std::vector<Atom> half_sums(const std::vector<LawPart>& parts, bool left) {
  std::vector<LossValue> sums{{Ball(0.0), Ball(1.0)}};
  for (const LawPart& part : parts) {
    const std::vector<LossValue> values = part.law->values();
    std::vector<LossValue> next;
    for (const LossValue& each : sums) add_sums(values, 0, half_of(part.count, left), each, next);
    sums = std::move(next);
  }
  std::vector<Atom> atoms;
  for (LossValue& each : sums) {
    Ball tilted = each.mass * exp(-each.loss);
    atoms.push_back({std::move(each.loss), std::move(each.mass), std::move(tilted)});
  }
  return atoms;
}

}  // namespace

bool has_few_sums(const DirectedLoss& loss) {
  if (loss.laws.empty() || !loss.gaussian.is_trivial() || !loss.laplaces.empty()) return false;
  double sums = 1.0;
  for (const LawPart& part : laws_of(loss)) {
    if (!(part.count < 1e6)) return false;
    const auto size = static_cast<double>(part.law->values().size());
    if (size == 0.0) return false;
    sums *= sums_of(half_of(part.count, true), size);
    if (!(sums <= most_sums)) return false;
  }
  return true;
}

ValueSums::ValueSums(DirectedLoss loss) : loss_(std::move(loss)) {
  const PrecisionScope scope(sum_bits);
  const std::vector<LawPart> parts = laws_of(loss_);
  left_ = half_sums(parts, true);
  right_ = half_sums(parts, false);
}

Ball ValueSums::at(double shift, Kernel kernel) const {
  const PrecisionScope scope(sum_bits);
  return paired_quantity(left_, right_, Ball(shift), kernel);
}

}  // namespace modicum
