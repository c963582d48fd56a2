// One number, with how it was obtained.
#pragma once

#include <limits>

#include "modicum/numerics/enclosure.h"
#include "numerics/ball.h"

namespace modicum {

/// In doubles the ball is the estimate.
struct QuantityValue {
  Ball value;
  Proof proof = Proof::certified;
};

/// Infinite where the ball is not known to be positive.
inline double relative_width(const Ball& value) {
  return value.finite() && value.surely_positive() ? value.enclosure().relative_width()
                                                   : std::numeric_limits<double>::infinity();
}

}  // namespace modicum
