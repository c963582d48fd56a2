// Eigenvalues and eigenvectors of a real symmetric matrix (LAPACK dsyevd).
#pragma once

#include <Eigen/Core>

namespace modicum {

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< columns
};

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

}  // namespace modicum
