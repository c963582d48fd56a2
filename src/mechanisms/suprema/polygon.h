// The pair whose profile is a polygon.
#pragma once

#include <memory>
#include <vector>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// The finite part of a pair that dominates all pairs with delta at most these bounds at these
/// epsilons, in both directions: 0 is the first, they rise, and `infinite` bounds delta at
/// the last. One law serves both directions; the rest, `infinite`, is for the caller to add.
std::shared_ptr<const LossLaw> polygon_law(const std::vector<double>& epsilons,
                                           const std::vector<double>& bounds, double infinite);

}  // namespace modicum
