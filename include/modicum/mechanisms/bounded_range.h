// Mechanisms of bounded range: for any two outputs the losses differ by at most `range`. The
// exponential mechanism with utilities of sensitivity Delta and factor c has range 2 c Delta, or
// c Delta where a record moves all utilities in one direction [DongDurfeeRogers2020].
#pragma once

#include "modicum/numerics/enclosure.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The pair that dominates every mechanism of this range. range >= 0.
PrivacyLoss bounded_range(double range);

/// delta at epsilon >= 0 of `count` independent copies of that pair, in closed form and proved: the
/// loss is a sum of uniform laws, tilted (docs/derivations/principal-components.md). Where epsilon
/// is 20,000 and more below range * count, or the count above 1000 and epsilon below that: [0, 1].
Enclosure composed_bounded_range_delta(double range, double count, double epsilon);
/// The least epsilon for a delta in (0, 1), rounded upwards.
double composed_bounded_range_epsilon(double range, double count, double delta);

}  // namespace modicum
