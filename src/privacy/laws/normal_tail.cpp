#include "privacy/laws/normal_tail.h"

#include <acb_hypgeom.h>

namespace modicum {

ComplexBall normal_above(const ComplexBall& x) {
  ComplexBall result = x * (Ball(1.0) / sqrt(Ball(2.0)));
  acb_hypgeom_erfc(result.raw(), result.raw(), PrecisionScope::bits());
  return result * Ball(0.5);
}

bool far_right(const ComplexBall& v) { return (v.real() - Ball(8.0)).surely_positive(); }

// By the asymptotic series of U(1/2, 1/2, v^2/2), whose remainder Arb bounds.
ComplexBall scaled_normal_above(const ComplexBall& v) {
  const ComplexBall half(Ball(0.5)), z = v * v * Ball(0.5);
  ComplexBall series;
  acb_hypgeom_u_asymp(series.raw(), half.raw(), half.raw(), z.raw(), -1, PrecisionScope::bits());
  return series / (v * sqrt(Ball::pi() * 2.0));
}

Ball normal_density(const Ball& x) { return exp(-x * x / 2.0) / sqrt(Ball::pi() * 2.0); }

}  // namespace modicum
