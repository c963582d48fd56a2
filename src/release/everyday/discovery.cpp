#include "release/everyday/discovery.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

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

}  // namespace

// With n_i rows in group i the probability is 1 - prod Phi(x_i), x_i falling in n_i. -log Phi is
// convex, so that of all ways to spread the rows over j groups one with n_1 = rows - j + 1 and one
// row in each other is the worst; and that is convex in j: the worst j is the least or the largest.
double new_group_probability(double shown_from, double standard_deviation, double grid,
                             double weight, double rows, double groups) {
  const PrecisionScope scope(proof_bits);
  // log P[a group with so many rows is hidden].
  const auto log_hidden = [&](double own) {
    const Ball distance = Ball(shown_from) - Ball(0.5) * Ball(grid) - Ball(weight) * Ball(own);
    return log1p(-normal_above(distance / Ball(standard_deviation)));
  };
  double largest = 0.0;
  for (const double spread : {1.0, std::min(rows, groups)}) {
    const Ball all_hidden = log_hidden(rows - spread + 1.0) + Ball(spread - 1.0) * log_hidden(1.0);
    const double shown = (-expm1(all_hidden)).enclosure().upper();
    if (!(shown <= largest)) largest = shown;
  }
  return largest <= 1.0 ? largest : 1.0;
}

double discovery_threshold(double probability, double standard_deviation, double grid,
                           double weight, double rows, double groups) {
  require_open_unit("delta", probability);
  const auto start = [&](double own, double each) {
    return weight * own + 0.5 * grid +
           standard_deviation * normal_quantile_above(probability / each);
  };
  // Safe for certain up to rounding; then down to what is proved, in steps of a millionth of the
  // noise.
  double high = start(rows, std::min(rows, groups)) + 1e-6 * standard_deviation;
  double low = start(rows, 1.0) - 1e-6 * standard_deviation;
  const auto proved = [&](double from) {
    return new_group_probability(from, standard_deviation, grid, weight, rows, groups) <=
           probability;
  };
  if (!proved(high)) throw CalibrationFailed("no threshold could be proved for discovered groups");
  while (high - low > 1e-6 * standard_deviation) {
    const double middle = 0.5 * (low + high);
    (proved(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace modicum
