// Sums over staircases on the integers, also those that end, and their mixtures of least error
// (docs/derivations/optimal-noise.md).
#pragma once

#include <vector>

#include "modicum/mechanisms/optimal_noise.h"
#include "numerics/ball.h"

namespace modicum {

/// What an integer k >= 0 costs; never falls. For an interval whether k is beyond `width`.
struct IntegerCost {
  NoiseError::Kind kind;
  double width = 0.0;
  double operator()(double k) const {
    if (kind == NoiseError::Kind::squared) return k * k;
    if (kind == NoiseError::Kind::absolute) return k;
    return k > width ? 1.0 : 0.0;
  }
};

/// Staircases of one privacy loss and sensitivity, by where the first step ends and where all ends.
struct StaircaseTask {
  double epsilon;
  long sensitivity;
  IntegerCost cost;
};

/// A staircase on |k| <= last, normalized.
struct Corner {
  double delta;  ///< about, at epsilon
  double cost;   ///< about, the mean
  double mass;   ///< about, of the staircase whose first step has height 1
  long inner, last;
};

/// (1 - share) near + share far: of least cost among all mixtures with this delta.
struct StaircaseMixture {
  Corner near, far;  ///< near.delta <= delta <= far.delta
  double share;
  double cost;
  double price() const {  ///< what the cost falls by per delta
    return far.delta > near.delta && near.cost > far.cost
               ? (near.cost - far.cost) / (far.delta - near.delta)
               : 0.0;
  }
};

/// `found` is false where delta is not reached within `longest`; then the mixture is for the
/// smallest delta that is.
struct MixtureSearch {
  StaircaseMixture mixture;
  double delta;
  bool found;
};
MixtureSearch least_mixture(const StaircaseTask& task, double delta, long longest);

/// Sums over the steps of an endless staircase; epsilon > 0.
struct StepSums {
  explicit StepSums(double epsilon);
  /// The sum of q^(i+1) cost(k + i D) over i >= 0, for k >= 0.
  Ball outward(const StaircaseTask& task, double k) const;
  Ball q, zeroth, first, second;
};

/// The mean cost of the staircase that never ends.
Ball endless_cost(const StaircaseTask& task, long inner);
/// The first step of least cost, as far as the cost has one minimum.
long best_inner(const StaircaseTask& task);

// No noise on the integers that meets (epsilon, delta) for all shifts up to the sensitivity has a
// smaller mean cost than these, which are proved by multipliers that belong to staircases.

/// Near that of a mixture.
double mixture_bound(const StaircaseTask& task, double delta, long inner,
                     const MixtureSearch& search);
/// Near that of the endless staircase, where delta is tiny or 0; epsilon > 0.
double endless_bound(const StaircaseTask& task, double delta);

}  // namespace modicum
