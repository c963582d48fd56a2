// Mechanisms of bounded range: for any two outputs the losses differ by at most `range`. The
// exponential mechanism with utilities of sensitivity Delta and factor c has range 2 c Delta, or
// c Delta where a record moves all utilities in one direction [DongDurfeeRogers2020].
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The pair that dominates every mechanism of this range. range >= 0.
PrivacyLoss bounded_range(double range);

}  // namespace modicum
