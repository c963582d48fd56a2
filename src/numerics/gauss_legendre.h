// Gauss-Legendre rules.
#pragma once

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

}  // namespace modicum
