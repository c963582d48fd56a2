// Two measures on the cuts of a partition of one privacy loss: one that dominates the loss, one
// that the loss dominates (docs/derivations/discretized.md).
#pragma once

#include <vector>

#include "numerics/ball.h"
#include "privacy/laws/loss_bins.h"

namespace modicum {

/// Masses under X at finite losses, and what is to be taken for infinite.
struct LossMeasure {
  std::vector<double> losses, masses;
  double infinite = 0.0;
};

LossMeasure dominating_measure(const LossBins& bins);
LossMeasure dominated_measure(const LossBins& bins);

}  // namespace modicum
