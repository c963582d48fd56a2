// Two laws of a minimizer told apart by one threshold: lower ends of delta that need no densities.
// Proofs: docs/derivations/neighbors.md ("Objective perturbation").
#pragma once

#include "modicum/numerics/enclosure.h"

namespace modicum {

/// With w = -grad J of the data without a row of norm `norm`, and w_u its part along the row, the
/// event is w_u <= threshold (or >=). Without the row w_u is the noise itself; with it the noise is
/// w_u - norm f', where f' is the slope of the row's loss: so both chances are normal ones.
struct ThresholdEvent {
  double threshold;
  bool below;  ///< w_u <= threshold, else >=
};

/// P[N <= x] of a standard normal N, in doubles, good to 1e-13 of itself.
double normal_below(double x);

/// Of the event, in units of the noise: without the row, and with it for a slope of norm f'/sigma.
inline double chance_without(const ThresholdEvent& event) {
  return normal_below(event.below ? event.threshold : -event.threshold);
}
inline double chance_with(const ThresholdEvent& event, double slope) {
  return normal_below(event.below ? event.threshold - slope : slope - event.threshold);
}

/// The larger lower end of delta that an event shows: of `first` against `second`.
inline double shown_delta(double first, double second, double exp_epsilon) {
  return first - exp_epsilon * second;
}

}  // namespace modicum
