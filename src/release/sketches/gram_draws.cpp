#include "release/sketches/gram_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "modicum/data/rows.h"
#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "release/tables/whole_numbers.h"

namespace modicum {

Eigen::MatrixXd with_ridge(const IntegerGram& gram, double ridge) {
  Eigen::MatrixXd result = gram.matrix();
  result.diagonal().array() += ridge;
  return result;
}

Eigen::MatrixXd square_root(const Eigen::MatrixXd& matrix, double ridge) {
  const CholeskyFactor cholesky(matrix);
  if (cholesky.positive_definite()) return cholesky.lower();
  const SymmetricEigen axes = symmetric_eigen(matrix);
  const Eigen::VectorXd roots = axes.values.cwiseMax(std::max(ridge, 0.0)).cwiseSqrt();
  return axes.vectors * roots.asDiagonal();
}

void refuse_singular() {
  throw Error(
      "the system of equations is singular; nothing is released, and that the run ended so is not "
      "private");
}

Eigen::MatrixXd lower_triangle(const Eigen::MatrixXd& matrix) {
  const CholeskyFactor cholesky(matrix);
  if (!cholesky.positive_definite()) refuse_singular();
  return cholesky.lower();
}

Eigen::MatrixXd draw_columns(const Eigen::MatrixXd& root, Eigen::Index columns,
                             RandomSource& source) {
  Eigen::MatrixXd normals(root.cols(), columns);
  fill_standard_normals({normals.data(), static_cast<std::size_t>(normals.size())}, source);
  return root * normals;
}

Eigen::MatrixXd draw_moment_root(const Eigen::MatrixXd& root, double columns,
                                 RandomSource& source) {
  if (columns > static_cast<double>(root.cols() - 1))
    return root * wishart_factor(root.cols(), columns, source);
  return draw_columns(root, static_cast<Eigen::Index>(columns), source);
}

double moment_grid(double deviation, double row_norm_bound) {
  const double rows = IntegerClip(row_norm_bound).grid(), finest = rows * rows;
  return std::clamp(grid_below(deviation), finest, finest * 0x1p52);
}

Eigen::MatrixXd noisy_moments(const IntegerGram& gram, double off_diagonal, double diagonal,
                              double grid, RandomSource& source) {
  Eigen::MatrixXd result(gram.dimension, gram.dimension);
  const double entry_grid = gram.grid * gram.grid;
  for (Eigen::Index i = 0; i < gram.dimension; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const OnGrid entry = split(gram.at(i, j), entry_grid, grid);
      const double deviation = i == j ? diagonal : off_diagonal;
      result(i, j) = result(j, i) =
          to_double(add_rounded_normal(entry, deviation, grid, source), grid);
    }
  return result;
}

double least_eigenvalue_bound(const Eigen::MatrixXd& matrix) {
  const double least = symmetric_eigenvalues(matrix)[0];
  // Tridiagonal reduction and iteration are backward stable: the eigenvalues are those of a matrix
  // that differs by at most p(d) epsilon |C|, p(d) a small multiple of d; 64 d is ample.
  const double error = 64.0 * static_cast<double>(matrix.rows()) *
                       std::numeric_limits<double>::epsilon() * matrix.norm();
  return least - error;
}

Eigen::MatrixXd rounded(const Eigen::MatrixXd& values, double grid) {
  return (values / grid).unaryExpr([](double x) { return std::nearbyint(x); }) * grid;
}

}  // namespace modicum
