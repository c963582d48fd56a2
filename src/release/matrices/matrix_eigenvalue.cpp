#include "release/matrices/matrix_eigenvalue.h"

#include "modicum/numerics/errors.h"
#include "numerics/ball_matrix.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr long first_bits = 128, most_bits = 4096;

// v^T H v / v^T v: never below the least eigenvalue, and above it by the square of the error of v.
Ball rayleigh_quotient(const Eigen::MatrixXd& symmetric, const Eigen::VectorXd& vector) {
  const PrecisionScope scope(first_bits);
  Ball quotient = 0.0, square = 0.0;
  for (Eigen::Index i = 0; i < vector.size(); ++i) {
    Ball row = 0.0;
    for (Eigen::Index j = 0; j < vector.size(); ++j) row += Ball(symmetric(i, j)) * Ball(vector[j]);
    quotient += row * Ball(vector[i]);
    square += Ball(vector[i]) * Ball(vector[i]);
  }
  return quotient / square;
}

// Whether every eigenvalue is above `bound`: by Cholesky's factors, in balls. Balls grow in each
// step, by a bit or less, so that many rows take more precision.
bool all_above(const Eigen::MatrixXd& symmetric, const Ball& bound) {
  for (long bits = first_bits; bits <= most_bits; bits *= 2) {
    const PrecisionScope scope(bits);
    BallMatrix shifted(symmetric);
    for (long i = 0; i < shifted.rows(); ++i)
      arb_sub(shifted.at(i, i), shifted.at(i, i), bound.raw(), bits);
    BallMatrix factor(shifted.rows(), shifted.columns());
    if (cholesky(factor, shifted)) return true;
  }
  return false;
}

}  // namespace

double least_eigenvalue_within(const Eigen::MatrixXd& symmetric, double precision) {
  const SymmetricEigen found = symmetric_eigen(symmetric);
  const Ball quotient = rayleigh_quotient(symmetric, found.vectors.col(0));
  if (quotient.finite()) {
    const double value = quotient.middle();
    const PrecisionScope scope(first_bits);
    const bool near = (quotient - Ball(value) - Ball(precision)).surely_nonpositive();
    if (near && all_above(symmetric, Ball(value) - Ball(precision))) return value;
  }
  // Nothing about the matrix is said.
  throw Error("the least eigenvalue could not be proved to be accurate; nothing is released");
}

}  // namespace modicum
