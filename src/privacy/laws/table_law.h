// A privacy loss with finitely many values.
#pragma once

#include <memory>
#include <vector>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// Losses in ascending order, each with its mass under X; the masses need not add up to exactly 1.
std::shared_ptr<const LossLaw> table_law(std::vector<double> losses, std::vector<Ball> masses);

}  // namespace modicum
