// Looking for the worst row that could be added to a table.
#pragma once

#include <functional>
#include <vector>

#include "modicum/release/neighbor_audit.h"

namespace modicum {

/// The rows that a table can hold: a range clamps, an intercept is one, a norm is clipped. A wish
/// that no row of the file would fulfill is not a neighbor.
class AddedRows {
 public:
  explicit AddedRows(const AuditedTable& audited) : audited_(audited) {}

  /// A clipped row close to this one or to its negative, in coordinates, which some row of the file
  /// becomes.
  Eigen::VectorXd realized(const Eigen::VectorXd& wanted) const;
  /// The same before it is clipped.
  Eigen::VectorXd unclipped(const Eigen::VectorXd& wanted) const;
  Eigen::Index width() const { return static_cast<Eigen::Index>(audited_.rule.width()); }
  double row_norm_bound() const { return audited_.row_norm_bound; }

 private:
  const AuditedTable& audited_;
};

struct FoundRow {
  Eigen::VectorXd row;
  double value = -1.0;
};

/// Steps along the coordinates, half as long where none is better, from the best three of the
/// starts, of rows along the coordinates and of corners. What it finds is attained: a lower bound
/// on the largest.
FoundRow search_added_row(const AddedRows& rows, const std::vector<Eigen::VectorXd>& starts,
                          const std::function<double(const Eigen::VectorXd& row)>& value);

}  // namespace modicum
