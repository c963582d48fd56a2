// Readings and balls, one into the other.
#pragma once

#include "modicum/ledger/reading.h"
#include "modicum/numerics/precise.h"
#include "numerics/ball.h"

namespace modicum {

Ball to_ball(const Reading& reading);
inline Precise to_precise(const Reading& reading) { return {reading.high(), reading.low(), 0.0}; }

/// No part of the ball is above (below) it. Throws InvalidParameter for a ball that is not finite
/// or surely negative.
Reading reading_above(const Ball& value);
Reading reading_below(const Ball& value);

}  // namespace modicum
