#include "mechanisms/sampling/allocated_ratio.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace modicum {
namespace {

// What may go to 0 and to infinity in the end.
constexpr double whole_tail = 1e-36;
// Below this points are told by their distance from the mean, which sums keep exactly.
constexpr double narrow = 0.25;

// A cut of the normal law, with the tail on the side that is the smaller one.
struct NormalCut {
  bool right;
  Ball tail;
  explicit NormalCut(const Ball& g) : right(g.middle() > 0.0), tail(normal_above(right ? g : -g)) {}
};
Ball mass_between(const NormalCut& from, const NormalCut& to) {
  if (from.right) return from.tail - to.tail;
  return to.right ? Ball(1.0) - from.tail - to.tail : to.tail - from.tail;
}

// e^g cut at a value, as to its mass, and as to its mean: weighted by e^g, g is normal with the
// mean mu^2/2.
struct FactorCut {
  Ball value;
  NormalCut plain, weighted;
  FactorCut(const Ball& at, const Ball& mu)
      : value(at), plain(log(at) / mu + mu / 2.0), weighted(log(at) / mu - mu / 2.0) {}
};

// e^g, each mass between two points spread to them.
SpreadMeasure one_factor(const Ball& mu, double spacing, double tail) {
  const PrecisionScope scope(proof_bits);
  const double near = mu.middle(), half = 0.5 * near * near;
  const double reach = std::sqrt(-2.0 * std::log(tail));  // the normal tail there is below `tail`
  SpreadMeasure factor;
  factor.offset = near < narrow ? 1.0 : 0.0;
  factor.points = spread_points({1.0, -half - reach * near, half + reach * near, -half, half, near},
                                spacing, factor.offset);
  const std::size_t size = factor.points.size();
  const auto cut = [&](std::size_t k) {
    return FactorCut(Ball(factor.offset) + Ball(factor.points[k]), mu);
  };
  std::vector<Ball> masses(size);
  FactorCut left = cut(0);
  // Below the first point, on the left of both laws: to 0 and to it.
  masses[0] = left.weighted.tail / left.value;
  factor.at_zero = std::max(0.0, (left.plain.tail - masses[0]).upper());
  for (std::size_t k = 0; k + 1 < size; ++k) {
    FactorCut right = cut(k + 1);
    const Ball mass = mass_between(left.plain, right.plain),
               mean = mass_between(left.weighted, right.weighted),
               moved = (mean - left.value * mass) / (right.value - left.value);
    masses[k] += mass - moved;
    masses[k + 1] += moved;
    left = std::move(right);
  }
  // Above the last point, on the right of both laws: to it and to infinity.
  masses.back() += left.plain.tail;
  factor.beyond = std::max(0.0, (left.weighted.tail - left.value * left.plain.tail).upper());
  for (const Ball& mass : masses) factor.masses.push_back(std::max(0.0, mass.upper()));
  return factor;
}

}  // namespace

SpreadMeasure allocated_ratio(const Ball& mu, double batches, double refinement) {
  const auto count = static_cast<std::uint64_t>(batches);
  const int digits = static_cast<int>(std::bit_width(count)), ones = std::popcount(count);
  // Each spreading adds a sixth of the square of the spacing to the variance, relatively: that of a
  // sum of m factors to t/m of all. So does that of a single factor, if its spacing is sqrt(m)
  // times as large.
  const double spacing = std::min(0.006, std::sqrt(4e-4 / (digits + 2 * (ones - 1)))) / refinement;
  constexpr double widest = 0.25;
  const auto tail = [&](double size) { return whole_tail * size / batches; };
  const SpreadMeasure factor = one_factor(mu, spacing, tail(1.0)), nothing{0.0, {0.0}, {1.0}};
  SpreadMeasure sum = factor;
  double size = 1.0;
  // By the binary digits of the count, from the first.
  for (int digit = digits - 2; digit >= 0; --digit) {
    size *= 2.0;
    sum = spread_sum(sum, sum, size, spacing, tail(size));
    if ((count >> digit & 1U) == 0) continue;
    const double wider = std::min(widest, spacing * std::sqrt(size));
    size += 1.0;
    sum = spread_sum(spread_sum(nothing, factor, 1.0, wider, tail(1.0)), sum, size, spacing,
                     tail(size));
  }
  return sum;
}

}  // namespace modicum
