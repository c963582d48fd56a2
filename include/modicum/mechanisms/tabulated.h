// A privacy loss given as a table: the distribution of L = log dX/dY under X.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

struct LossTable {
  std::vector<double> losses;         ///< finite, in any order; equal ones are added up
  std::vector<double> probabilities;  ///< under X, at least 0
  double infinite = 0.0;              ///< P_X[L = infinity]
  bool operator==(const LossTable&) const = default;
};

/// The probabilities must add up to 1, and those of Y, e^{-loss} each, to at most 1, both to within
/// 1e-9: tables are rounded. What is missing of 1 counts as an infinite loss, the safe side. In the
/// reverse direction the loss is infinite with probability 1 minus the sum of e^{-loss} * p.
/// Throws InvalidParameter.
PrivacyLoss tabulated_loss(const LossTable& table);

/// Each direction by a table of its own, which bounds the loss from above: tables of other tools
/// that are rounded pessimistically. `reverse` is of log dY/dX under Y. Nothing follows from one
/// for the other, and the same table for both is a symmetric loss. An upper bound.
PrivacyLoss tabulated_directions(const LossTable& forward, const LossTable& reverse);

}  // namespace modicum
