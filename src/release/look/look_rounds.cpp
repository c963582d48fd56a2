#include "release/look/look_rounds.h"

#include <algorithm>
#include <cmath>

#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// Rounded to a grid that the answer does not fall between: nothing is added to its sensitivity.
double noisy_number(Integer128 multiple, double answer_grid, double deviation,
                    RandomSource& source) {
  const double grid =
      std::clamp(grid_below(deviation), answer_grid * 0x1p-40, answer_grid * 0x1p52);
  return to_double(add_rounded_normal(split(multiple, answer_grid, grid), deviation, grid, source),
                   grid);
}

}  // namespace

NoisySum look_at_sum(const MappedRows& rows, const AffineMap& map, double bound, LookRounds& rounds,
                     int hundredths, RandomSource& source) {
  // A row changes the sum by itself: at most by the bound, checked in whole numbers.
  const double deviation = rounds.deviation(hundredths, bound);
  const IntegerSum sum = rows.sum(map, bound);
  NoisySum result{Eigen::VectorXd(static_cast<Eigen::Index>(sum.entries.size())), deviation};
  for (std::size_t i = 0; i < sum.entries.size(); ++i)
    result.values[static_cast<Eigen::Index>(i)] =
        noisy_number(sum.entries[i], sum.grid, deviation, source);
  return result;
}

NoisyMoments look_at_moments(const MappedRows& rows, const AffineMap& map, double bound,
                             LookRounds& rounds, int hundredths, RandomSource& source) {
  // A row v changes them by v v^T, of Frobenius norm |v|^2; with sqrt 2 times the noise on the
  // diagonal that is as good as a distance of |v|^2 / sqrt 2 (docs/derivations/projection.md).
  const double deviation = rounds.deviation(hundredths, bound * bound) / std::sqrt(2.0);
  const double diagonal =
      std::nextafter(std::nextafter(deviation * std::sqrt(2.0), HUGE_VAL), HUGE_VAL);
  const IntegerGram gram = rows.moments(map, bound);
  return {noisy_moments(gram, deviation, diagonal, moment_grid(deviation, bound), source),
          deviation};
}

NoisyNorms look_at_norms(const MappedRows& rows, const AffineMap& map, double top, double factor,
                         int count, LookRounds& rounds, int hundredths, RandomSource& source) {
  // A row is in one of the counts.
  const double deviation = rounds.deviation(hundredths, 1.0);
  NoisyNorms result{{}, {}, deviation};
  for (int i = 0; i < count; ++i) result.edges.push_back(top * std::pow(factor, -i));
  double above = 0.0, largest = 0.0;
  for (const Integer128 counted : rows.norm_counts(map, result.edges)) {
    result.above.push_back(largest);
    result.counts.push_back(noisy_number(counted, 1.0, deviation, source));
    above += result.counts.back();
    largest = std::max(largest, above);
  }
  return result;
}

double NoisyNorms::radius_with(double rows_above) const {
  std::size_t last = 0;
  while (last + 1 < edges.size() && above[last + 1] <= rows_above) ++last;
  return edges[last];
}

}  // namespace modicum
