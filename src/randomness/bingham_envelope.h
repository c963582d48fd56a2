// The Gaussian whose direction proposes draws of a Bingham law on the complement of some columns.
#pragma once

#include <Eigen/Core>

#include "modicum/randomness/random_source.h"

namespace modicum {

/// y of the law N(0, M^{-1}) within {y : W^T y = 0}, where M = 2 (diag(a) + shift) is positive
/// there; elsewhere it need not be.
class BinghamEnvelope {
 public:
  /// a ascending, W orthonormal (or with no column).
  BinghamEnvelope(const Eigen::VectorXd& exponents, const Eigen::MatrixXd& columns, double shift);

  /// Whether M was found to be positive on the complement. Nothing else may be asked if not.
  bool positive() const { return positive_; }
  /// Trace of M^{-1} on the complement, E |y|^2. Rejection wastes least where it is 1.
  double trace() const { return trace_; }
  /// A lower bound on the standard deviation of |y|^2: how far from 1 the trace may be at no cost.
  double spread() const { return spread_; }
  double shift() const { return shift_; }

  struct Proposal {
    double energy;  ///< y^T M y, chi-square with p - columns degrees of freedom
    double square;  ///< |y|^2
  };
  Proposal propose(Eigen::VectorXd& y, RandomSource& source) const;

 private:
  void take_out(const Eigen::MatrixXd& columns, const Eigen::VectorXd& diagonal);

  bool positive_ = false;
  double shift_, trace_ = 0.0, spread_ = 0.0;
  Eigen::Index dimension_, head_, kept_;  // J has `head_` rows; Phi begins with `kept_` columns
  Eigen::VectorXd root_;                  // D_R^{-1/2}
  Eigen::MatrixXd tie_;                   // B: y_J = -B^T y_R
  Eigen::MatrixXd basis_;                 // Phi
  Eigen::VectorXd weights_;               // how much of each column of Phi is removed
};

}  // namespace modicum
