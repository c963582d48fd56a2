// Rigorous integrals of analytic functions (Arb's adaptive Gauss-Legendre rule).
#pragma once

#include <functional>

#include "numerics/ball.h"

namespace modicum {

/// Encloses the integral of f from a to b. `analytic` asks f for a result that is not finite unless
/// it is analytic on the whole ball.
ComplexBall integrate(const std::function<ComplexBall(const ComplexBall& z, bool analytic)>& f,
                      const Ball& a, const Ball& b);

/// base^exponent, principal branch; not finite where a branch cut is met and `analytic` is asked.
ComplexBall power(const ComplexBall& base, const ComplexBall& exponent, bool analytic);

}  // namespace modicum
