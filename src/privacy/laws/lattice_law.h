// The sum of many copies of a loss whose values lie on a lattice (docs/derivations/atoms.md).
#pragma once

#include <memory>
#include <vector>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// The law of the sum of so many independent copies of a loss with these values, which rise; none
/// where they are not on a lattice, or the sums are too many.
std::shared_ptr<const LossLaw> sum_of_values(std::vector<LossValue> values, double count);

}  // namespace modicum
