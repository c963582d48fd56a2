// Gauss-Legendre rules in double arithmetic.
#pragma once

#include <vector>

namespace modicum {

struct GaussRule {
  std::vector<double> points, weights;  // on [-1, 1]
};

/// Exact for polynomials of degree 2 n - 1, to rounding. 2 <= n <= 200; computed once for each n.
const GaussRule& gauss_legendre(int n);

}  // namespace modicum
