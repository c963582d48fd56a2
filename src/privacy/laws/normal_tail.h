// Tails of the normal law in the complex plane, for laws that are functions of a normal variable.
#pragma once

#include "numerics/ball.h"

namespace modicum {

inline constexpr long double log_root_two_pi = 0.918938533204672741780329736405617640L;

/// P[N > x], continued analytically.
ComplexBall normal_above(const ComplexBall& x);
/// Where e^{v^2/2} and P[N > v] are better computed as one number: their exponents cancel.
bool far_right(const ComplexBall& v);
/// e^{v^2/2} P[N > v], for v that are far to the right.
ComplexBall scaled_normal_above(const ComplexBall& v);
Ball normal_density(const Ball& x);

}  // namespace modicum
