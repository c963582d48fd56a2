// e^w K_nu(w), the modified Bessel function without its exponential, in balls and off the real axis
// (docs/derivations/spherical.md).
#pragma once

#include "numerics/ball.h"

namespace modicum {

/// Of the order nu and of nu + 1.
struct ScaledBessel {
  ComplexBall of_order, of_next;
};
/// nu = 0, 1/2, 1, 3/2, ...; w exact, not on the negative real axis. The fewer digits the closer to
/// 0 and to that axis: for whole orders |w| should not be below 2.
ScaledBessel scaled_bessel_k(double order, const ComplexBall& w);

}  // namespace modicum
