// What noise on the integers does, proved.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "modicum/mechanisms/optimal_noise.h"
#include "numerics/ball.h"

namespace modicum {

void require_error(const NoiseError& error);
/// What no additive noise goes below, in units of a grid, if `bound` is what no noise on the grid
/// does: rounded at random to one of its two neighbors on the grid so that its mean stays, any
/// noise is one on the grid; its squared error grows by at most 1/4, its absolute error not at all,
/// and its interval ends at the next multiple.
double bound_off_grid(double bound, const NoiseError& error);

/// What no additive noise on one number of sensitivity 1 goes below; 0 where nothing is known.
double floor_of_one_number(const PrivacyTarget& target, const NoiseError& error);

/// The largest loss of one answer such that `count` of them meet the target, where each is infinite
/// with probability delta_each: of all mechanisms that are known by these two numbers alone.
double epsilon_of_each(const PrivacyTarget& target, double delta_each, double count);

/// Half of a symmetric table: heights[k] belongs to k and -k; they need not add up to 1.
using Heights = std::vector<double>;

/// The sum of (p(k) - e^epsilon p(k + D))_+; heights do not rise.
Ball delta_of_heights(const Heights& heights, double epsilon, long sensitivity);
double error_of_heights(const Heights& heights, const NoiseError& error);
IntegerNoise table_of(const Heights& heights);
double error_of_staircase(const Staircase& staircase, const NoiseError& error);

/// The least width for which `within` holds; it holds from some width on. Steps away from the guess
/// double until the width is passed, then it is bisected.
template <class Within>
double least_width(Within within, double guess = 1.0) {
  double low = -1.0, high = guess, step = 1.0;
  if (within(guess)) {
    for (; high - step > low && within(high - step); step *= 2.0) high -= step;
    low = std::max(low, high - step);
  } else {
    for (low = guess; !within(low + step); step *= 2.0) {
      low += step;
      if (low > 0x1p40) throw TargetUnreachable("no interval of at most 2^40 integers suffices");
    }
    high = low + step;
  }
  while (high - low > 1.0) {
    const double middle = std::floor((low + high) / 2.0);
    (within(middle) ? high : low) = middle;
  }
  return high;
}

/// Throws InvalidParameter where squares would be no doubles.
void require_real_sensitivity(double sensitivity);

}  // namespace modicum
