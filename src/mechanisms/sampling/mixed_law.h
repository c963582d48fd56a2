// One of several pairs, by a draw that whoever sees the answer sees, too.
#pragma once

#include <memory>
#include <vector>

#include "privacy/laws/loss_law.h"

namespace modicum {

struct MixedLawPart {
  Ball weight;
  std::shared_ptr<const LossLaw> law;
};

/// The weights add up to 1, up to the balls.
std::shared_ptr<const LossLaw> mixed_law(std::vector<MixedLawPart> parts);

}  // namespace modicum
