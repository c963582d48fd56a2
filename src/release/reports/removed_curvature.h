// What the curvature of a record adds to the loss of its removal.
#pragma once

#include <algorithm>
#include <cmath>

namespace modicum {

/// -log(1 - m), m = f'' x^T H^-1 x with the record in H, or a bound on it. In exact arithmetic m <=
/// A/(regularization + A) with A = f'' |x|^2, as for a record that is alone, so that the logarithm
/// is at most `alone` = log(1 + A/regularization): also where rounding, or a bound, takes m to 1.
inline double removed_curvature(double m, double alone) {
  return m < 1.0 ? std::min(-std::log1p(-m), alone) : alone;
}

}  // namespace modicum
