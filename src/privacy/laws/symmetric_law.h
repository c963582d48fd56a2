// The pair whose profile is a given function at epsilon >= 0 and its mirror image below: a bound
// that holds for both directions of every pair of neighbors, as one pair that composes
// (docs/derivations/replace-one.md). It has an atom at loss 0.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// P_X[L > loss] and P_Y[L > loss], for loss >= 0.
struct UpperTails {
  Ball x, y;
};

struct SymmetricLawShape {
  std::function<UpperTails(double loss)> above;
  double largest = infinity;  ///< not below any finite loss
  /// Places of atoms above 0, about.
  std::vector<double> atoms = {};
  double cost = 2e-5;  ///< of `above`, in seconds
  /// What tells one from another: the mechanism and its parameters.
  std::vector<double> identity = {};
};

std::shared_ptr<const LossLaw> symmetric_law(SymmetricLawShape shape);

}  // namespace modicum
