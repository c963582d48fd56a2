// Many copies of one Laplace mechanism with much noise, most of whose losses are at the two ends of
// their range: a sum over how many lie between them (docs/derivations/atoms.md).
#pragma once

#include <optional>

#include "modicum/privacy/privacy_loss.h"
#include "numerics/contour.h"

namespace modicum {

/// Whether the loss is that, and no more than 46 of the copies are expected between the ends:
/// the moments of more than that fall soon along a straight line.
bool is_mostly_at_ends(const DirectedLoss& loss);

/// For such a loss; empty where too many copies between the ends count, or digits are missing.
std::optional<Ball> laplace_copies_quantity(const DirectedLoss& loss, double shift, Kernel kernel);

}  // namespace modicum
