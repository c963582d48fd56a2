// Dense linear algebra in doubles, by LAPACK: the one place where matrices are factorized.
//
// Matrices may be empty. Entries that are not finite are refused with Error, where LAPACK might
// not return, and so are sizes that do not agree. Of a symmetric matrix the lower triangle is read.
// All is computed in the thread that calls (single_threaded_blas.h). The last digits depend on the
// processor that OpenBLAS finds.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace modicum {

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< columns, orthonormal; the sign of each is left open
};

/// Backward stable: values and vectors are those of a matrix within p(d) 2^-53 |A| of A, p(d) a
/// small multiple of the dimension d [LAPACK].
SymmetricEigen symmetric_eigen(Eigen::MatrixXd symmetric);
Eigen::VectorXd symmetric_eigenvalues(Eigen::MatrixXd symmetric);

/// A = L L^T of a symmetric matrix.
class CholeskyFactor {
 public:
  explicit CholeskyFactor(Eigen::MatrixXd symmetric);
  /// To working precision; never if it is not finite. What needs L throws Error if not.
  bool positive_definite() const { return positive_definite_; }
  /// L, with zeros above its diagonal.
  const Eigen::MatrixXd& lower() const;
  /// An estimate of the condition number of A; infinite if it is not positive definite.
  double condition() const;
  /// A^-1 B
  Eigen::MatrixXd solve(Eigen::MatrixXd right) const;
  /// L^-1 B
  Eigen::MatrixXd half_solve(Eigen::MatrixXd right) const;
  /// L^-T B
  Eigen::MatrixXd other_half_solve(Eigen::MatrixXd right) const;
  /// L^-1 S L^-T of a symmetric S
  Eigen::MatrixXd whitened(Eigen::MatrixXd symmetric) const;
  /// A^-1
  Eigen::MatrixXd inverse() const;

 private:
  Eigen::MatrixXd lower_;
  double norm_;  // of A, the largest sum of a column
  bool positive_definite_;
};

/// A x = B of a symmetric matrix without negative eigenvalues. Coordinates that depend on others,
/// as far as doubles can tell, stay 0.
Eigen::MatrixXd solve_semidefinite(Eigen::MatrixXd symmetric, const Eigen::MatrixXd& right);

/// A = Q R by Householder's reflections. Diagonal entries of R may have either sign.
class HouseholderQr {
 public:
  explicit HouseholderQr(Eigen::MatrixXd matrix);
  /// R, with as many rows as the smaller side of A.
  Eigen::MatrixXd triangle() const;
  /// As many columns of Q.
  Eigen::MatrixXd thin_orthogonal() const;
  /// All of Q.
  Eigen::MatrixXd orthogonal() const;

 private:
  Eigen::MatrixXd first_columns(Eigen::Index columns) const;
  Eigen::MatrixXd reflections_;  // below the diagonal; R above
  Eigen::VectorXd scales_;
};

/// A P = Q R, each column the longest of those left once the span of those before is taken away.
struct PivotedQr {
  Eigen::MatrixXd triangle;
  std::vector<Eigen::Index> order;  ///< which columns of A
  /// How many diagonal entries exceed this share of the largest.
  Eigen::Index rank(double share) const;
};
PivotedQr pivoted_qr(Eigen::MatrixXd matrix);

/// A = U diag(values) V^T, with as many columns as the smaller side of A.
struct ThinSvd {
  Eigen::MatrixXd left;
  Eigen::VectorXd values;  ///< descending
  Eigen::MatrixXd right;
};
ThinSvd thin_svd(Eigen::MatrixXd matrix);
Eigen::VectorXd singular_values(Eigen::MatrixXd matrix);

/// A^-1 B of a square matrix. Throws Error where A is singular.
Eigen::MatrixXd solve_square(Eigen::MatrixXd matrix, Eigen::MatrixXd right);
double determinant(Eigen::MatrixXd matrix);

}  // namespace modicum
