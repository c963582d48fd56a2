// Sums of independent positive variables, bounded from above in the convex order
// (docs/derivations/random-allocation.md).
//
// A law A lies below B if E_A[f] <= E_B[f] for every convex f >= 0 on [0, infinity) of bounded
// slope. Moving a mass to two points around it so that mass and mean are kept goes upwards, and so
// does adding mass. The sum keeps the order: f(a + b) is convex in a and in b.
#pragma once

#include <vector>

namespace modicum {

/// Masses at the values offset + points[i], which are positive and ascend, and at 0; and what was
/// spread to infinity, of which nothing is left but its mean: a function that rises in the end with
/// the slope s has s * beyond more.
struct SpreadMeasure {
  double offset = 0.0;  ///< a whole number
  std::vector<double> points, masses;
  double at_zero = 0.0, beyond = 0.0;

  double value(std::size_t i) const { return offset + points[i]; }
};

/// Where the points of a law on (0, infinity) with the mean `mean` are put: by z = log(value/mean)
/// from `low` to `high`, closest between the medians of the law and of the law weighted by the
/// value, where they are a small part of `width` apart.
struct SpreadShape {
  double mean = 1.0;
  double low, high, median, weighted_median, width;
};

/// The offset is the mean or 0. `spacing` is the distance of neighbors in widths, larger where
/// there would be more than the most points there may be.
std::vector<double> spread_points(const SpreadShape& shape, double spacing, double offset);

/// Above the sum of independent variables with laws below `a` and `b`. `mean` is about that of the
/// sum, `tail` the mass, and the share of the mean, that may go to 0 and to infinity on each side.
SpreadMeasure spread_sum(const SpreadMeasure& a, const SpreadMeasure& b, double mean,
                         double spacing, double tail);

}  // namespace modicum
