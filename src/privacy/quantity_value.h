// One number, with how it was obtained.
#pragma once

#include "modicum/numerics/enclosure.h"
#include "numerics/ball.h"

namespace modicum {

/// In doubles the ball is the estimate.
struct QuantityValue {
  Ball value;
  Proof proof = Proof::certified;
};

}  // namespace modicum
