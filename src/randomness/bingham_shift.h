// The shift at which rejection from an angular central Gaussian law wastes least, nearly.
#pragma once

#include <Eigen/Core>

namespace modicum {

/// Where the trace of (2 (diag(a) + shift))^{-1} on the complement of c orthonormal columns is
/// nearly 1. a ascending with a_{c+1} = 0, the dimension above 3 c + 2; `start` > 0. In doubles and
/// for speed only: any shift that makes the matrix positive draws the same law.
double balanced_shift(const Eigen::VectorXd& exponents, const Eigen::MatrixXd& columns,
                      double start);

}  // namespace modicum
