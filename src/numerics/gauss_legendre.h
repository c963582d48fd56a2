// Gauss-Legendre rules.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "numerics/ball.h"

namespace modicum {

struct GaussRule {
  std::vector<double> points, weights;  // on [-1, 1]
};

/// Exact for polynomials of degree 2 n - 1, to rounding. 2 <= n <= 200; computed once for each n.
const GaussRule& gauss_legendre(int n);

struct BallGaussPoint {
  Ball place, weight;
};
/// The same in balls of 192 bits.
const std::vector<BallGaussPoint>& ball_gauss_legendre(int n);

/// Half axes of the ellipses around [-1, 1], with the foci at its ends, on which one may bound a
/// function that the rule integrates, and the sum of both half axes.
inline constexpr std::array<double, 4> gauss_spreads{1.3, 1.8, 2.8, 5.0};
inline double sum_of_axes(double spread) { return spread + std::sqrt(spread * spread - 1.0); }
/// The logarithm of the error, relative to the length, of a function that is at most 1 there:
/// polynomials of degree 2 n - 1 come as close as 2 rho^{1-2n}/(rho - 1), and the rule is exact for
/// them.
inline double log_gauss_error(double rho, double points) {
  return std::log(4.0 / (rho - 1.0)) + (1.0 - 2.0 * points) * std::log(rho);
}

}  // namespace modicum
