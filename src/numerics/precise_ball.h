// Precise numbers and balls, one into the other.
#pragma once

#include <string_view>

#include "modicum/numerics/precise.h"
#include "numerics/ball.h"

namespace modicum {

Ball to_ball(const Precise& value);
/// Throws InvalidParameter (naming `name`) if the ball is not finite or beyond the double range.
Precise to_precise(std::string_view name, const Ball& value);

}  // namespace modicum
