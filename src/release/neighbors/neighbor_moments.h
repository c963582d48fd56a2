// The second moments of an audited table over a ridge, C = D^T D + ridge I, and the leverages of
// rows in them.
#pragma once

#include <Eigen/Core>

#include "modicum/release/neighbor_audit.h"
#include "numerics/dense.h"

namespace modicum {

/// A leverage as far as it is known.
struct LeverageBounds {
  double lower, upper;
};

class RidgedMoments {
 public:
  /// One pass. Throws InvalidParameter unless ridge > 0.
  RidgedMoments(const AuditedTable& audited, double ridge);

  /// z = L^-1 v for each row v, C = L L^T: |z|^2 is its leverage, and so is that of the first
  /// entries in the first columns alone.
  Eigen::MatrixXd whitened(const RowBlock& rows) const;
  Eigen::VectorXd whitened(const Eigen::VectorXd& row) const;

  /// Bound on the relative error of the leverages that come from `whitened`, by the standard model
  /// of rounding (docs/derivations/neighbors.md). May be infinite.
  double relative_error() const { return relative_error_; }
  /// At least the ridge, and not above the least eigenvalue of C but for the solver's error.
  double least_eigenvalue() const { return least_eigenvalue_; }
  /// Of length 1, in the direction of the least eigenvalue.
  const Eigen::VectorXd& weakest_direction() const { return weakest_direction_; }
  /// The largest leverage of a row of norm at most the bound, once it is added.
  double largest_added_leverage() const;
  /// A leverage in a database that contains the row, from its computed value.
  LeverageBounds bounds(double leverage) const;
  /// C^-1, estimated.
  Eigen::MatrixXd inverse() const;

 private:
  RidgedMoments(const Eigen::MatrixXd& moments, double row_norm_bound, double ridge);

  double row_norm_bound_, ridge_;
  CholeskyFactor factor_;
  double relative_error_, least_eigenvalue_;
  Eigen::VectorXd weakest_direction_;
};

}  // namespace modicum
