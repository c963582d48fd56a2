// Sums of a few losses that have a few values each: all of the sums, in two halves
// (docs/derivations/atoms.md).
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "privacy/engines/atoms.h"

namespace modicum {

/// Whether every part of the loss has a few values, and the halves few sums. There is a law.
bool has_few_sums(const DirectedLoss& loss);

class ValueSums {
 public:
  /// Of a loss with few sums.
  explicit ValueSums(DirectedLoss loss);
  const DirectedLoss& loss() const { return loss_; }
  Ball at(double shift, Kernel kernel) const;

 private:
  DirectedLoss loss_;
  std::vector<Atom> left_, right_;
};

}  // namespace modicum
