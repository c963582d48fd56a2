// The parts that have a closed form of K, as laws: so that they can be discretized beside others.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// Every part of the loss but its infinite mass. The Gaussian part is one law, already composed.
std::vector<LawPart> laws_of(const DirectedLoss& loss);

}  // namespace modicum
