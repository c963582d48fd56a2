// What a mode allows.
#pragma once

#include "modicum/privacy/profile.h"
#include "privacy/quantity.h"

namespace modicum {

Arithmetic arithmetic_of(Mode mode);
/// Throws TargetUnreachable if a proof was asked for and this is none.
void require_proof(Mode mode, Proof proof);
/// The part of the ball in [0, largest], within which the true value is known to lie.
Enclosure bounded(const Ball& value, double largest);

}  // namespace modicum
