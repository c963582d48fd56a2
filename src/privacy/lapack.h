// The few dense factorizations that reductions need (LAPACK). One thread always: threads of the
// linear algebra library spin while they wait, which costs seconds on a busy machine, and results
// must not depend on their number.
#pragma once

#include <Eigen/Core>

namespace modicum {

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< columns
};

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// M = L L^T of a symmetric matrix, with an estimate of its condition number.
class CholeskyFactor {
 public:
  explicit CholeskyFactor(const Eigen::MatrixXd& matrix);
  bool positive_definite() const { return positive_definite_; }
  double condition() const { return condition_; }
  /// L^-1 B
  Eigen::MatrixXd half_solve(const Eigen::MatrixXd& right) const;
  /// L^-1 S L^-T of a symmetric S
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& symmetric) const;

 private:
  Eigen::MatrixXd lower_;
  bool positive_definite_;
  double condition_;
};

}  // namespace modicum
