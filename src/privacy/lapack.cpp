#include "privacy/lapack.h"

#include <lapacke.h>

#include <limits>

#include "modicum/numerics/errors.h"

extern "C" void openblas_set_num_threads(int);

namespace modicum {
namespace {

lapack_int order(const Eigen::MatrixXd& matrix) {
  static const bool single = (openblas_set_num_threads(1), true);
  (void)single;
  return static_cast<lapack_int>(matrix.rows());
}

}  // namespace

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  SymmetricEigen result{Eigen::VectorXd(matrix.rows()), matrix};
  const lapack_int n = order(matrix);
  if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, result.vectors.data(), n,
                     result.values.data()) != 0)
    throw Error("the symmetric eigenvalue problem did not converge");
  return result;
}

CholeskyFactor::CholeskyFactor(const Eigen::MatrixXd& matrix)
    : lower_(matrix),
      positive_definite_(false),
      condition_(std::numeric_limits<double>::infinity()) {
  const lapack_int n = order(matrix);
  const double norm = matrix.cwiseAbs().colwise().sum().maxCoeff();
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, lower_.data(), n) != 0) return;
  double reciprocal = 0.0;
  if (LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, lower_.data(), n, norm, &reciprocal) != 0) return;
  positive_definite_ = true;
  condition_ = 1.0 / reciprocal;
}

Eigen::MatrixXd CholeskyFactor::half_solve(const Eigen::MatrixXd& right) const {
  Eigen::MatrixXd result = right;
  const lapack_int n = order(lower_), columns = static_cast<lapack_int>(right.cols());
  if (LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, columns, lower_.data(), n, result.data(),
                     n) != 0)
    throw Error("the triangular system is singular");
  return result;
}

Eigen::MatrixXd CholeskyFactor::whitened(const Eigen::MatrixXd& symmetric) const {
  Eigen::MatrixXd result = symmetric;
  const lapack_int n = order(lower_);
  if (LAPACKE_dsygst(LAPACK_COL_MAJOR, 1, 'L', n, result.data(), n, lower_.data(), n) != 0)
    throw Error("the whitening failed");
  return result.selfadjointView<Eigen::Lower>();
}

}  // namespace modicum
