// What Chernoff's bounds say of a profile: wide, but never in vain.
#pragma once

#include "privacy/engines/loss_moment.h"

namespace modicum {

/// Left of nearly all of the loss the profile is 1 but for this much.
Ball least_missing(const DirectedLoss& loss, const LossMoment& moment, double shift);

/// From there up to the least bound from above on a grid; proved as far as the loss is.
Ball chernoff_bounds(const DirectedLoss& loss, const LossMoment& moment, double shift);

}  // namespace modicum
