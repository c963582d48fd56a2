// Tails of the normal law in the complex plane, for laws that are functions of a normal variable.
#pragma once

#include "numerics/ball.h"

namespace modicum {

/// P[N > x], continued analytically.
ComplexBall normal_above(const ComplexBall& x);
/// Where e^{v^2/2} and P[N > v] are better computed as one number: their exponents cancel.
bool far_right(const ComplexBall& v);
/// e^{v^2/2} P[N > v], for v that are far to the right.
ComplexBall scaled_normal_above(const ComplexBall& v);
Ball normal_density(const Ball& x);

}  // namespace modicum
