// Rigorous integrals of analytic functions (Arb's adaptive Gauss-Legendre rule).
#pragma once

#include <functional>

#include "numerics/ball.h"

namespace modicum {

/// `analytic` asks for a result that is not finite unless the function is analytic on the whole
/// ball. What it throws reaches the caller of integrate().
using BallIntegrand = std::function<ComplexBall(const ComplexBall& z, bool analytic)>;

/// When to stop: at this absolute error, or so many bits relative to the result; or after so many
/// evaluations (0: as many as Arb thinks right).
struct IntegralEffort {
  double absolute_error;
  long relative_bits;
  long evaluations = 0;
};

/// Encloses the integral of f from a to b along a straight line; to all bits where nothing is said.
ComplexBall integrate(const BallIntegrand& f, const ComplexBall& a, const ComplexBall& b,
                      const IntegralEffort& effort);
ComplexBall integrate(const BallIntegrand& f, const Ball& a, const Ball& b);

/// base^exponent, principal branch; not finite where a branch cut is met and `analytic` is asked.
ComplexBall power(const ComplexBall& base, const ComplexBall& exponent, bool analytic);

}  // namespace modicum
