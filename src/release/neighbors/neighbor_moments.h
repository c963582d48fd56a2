// The second moments of an audited table over a ridge, C = D^T D + ridge I, and the leverages of
// rows in them.
#pragma once

#include <Eigen/Core>

#include "modicum/data/gram.h"
#include "modicum/release/neighbor_audit.h"
#include "numerics/dense.h"
#include "release/neighbors/inverse_form.h"

namespace modicum {

/// A leverage as far as it is known.
struct LeverageBounds {
  double lower, upper;
};

/// Of a leverage in a database that has the row: no row of the norm bound has more.
LeverageBounds leverage_in(const Ball& found, double ridge, double row_norm_bound);

class RidgedMoments {
 public:
  /// One pass. Throws InvalidParameter unless ridge > 0.
  RidgedMoments(const AuditedTable& audited, double ridge);

  Eigen::Index width() const { return gram_.dimension; }
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
  /// Of so many of the first rows and columns of C: proved.
  InverseForm proved_inverse(Eigen::Index size) const;

 private:
  RidgedMoments(IntegerGram gram, double row_norm_bound, double ridge);

  IntegerGram gram_;
  double row_norm_bound_, ridge_;
  CholeskyFactor factor_;
  double relative_error_, least_eigenvalue_;
  Eigen::VectorXd weakest_direction_;
};

}  // namespace modicum
