// Rows of a table seen through a map that is public: centered, scaled or turned by what was
// released before. Each row is mapped by itself, by the same operations in the same order.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "modicum/data/gram.h"
#include "modicum/release/released.h"

namespace modicum {

/// A constant, and then M (v - center) of the coordinates v of a row.
class AffineMap {
 public:
  /// M diagonal.
  static AffineMap scaled(double constant, Eigen::VectorXd center, Eigen::VectorXd scales);
  /// M any matrix.
  static AffineMap turned(double constant, Eigen::VectorXd center, const Eigen::MatrixXd& matrix);
  /// All but the last of these numbers, each times the last: with a residual there, what a row adds
  /// to the gradient of a squared error.
  AffineMap products() const;

  std::size_t width() const { return width_ - (products_ ? 1 : 0); }
  Value to_value() const;
  /// Throws Error where that is none.
  explicit AffineMap(const Value& value);
  /// All zeros where a number would not be finite. `scratch` is overwritten.
  void apply(const double* row, std::vector<double>& scratch, double* to) const;

 private:
  AffineMap(double constant, Eigen::VectorXd center)
      : constant_(constant), center_(std::move(center)) {}
  double constant_;
  Eigen::VectorXd center_;
  std::vector<double> matrix_;  // by columns; of a diagonal one the diagonal
  bool diagonal_ = true, products_ = false;
  std::size_t width_ = 0;  // with the constant, before products
};

/// Coordinates from `first` on, scaled down to the norm bound, then mapped.
RowMap affine_row_map(AffineMap map, Eigen::Index first, Eigen::Index dimension, double norm_bound);
/// By its description.
RowMap affine_row_map(const Value& description);
/// See MappedRows::norm_counts.
std::vector<Integer128> count_norms(const Table& table, const RowRule& rule, const RowMap& map,
                                    const std::vector<double>& edges, const ReadOptions& options);

/// Coordinates are those of the rule but a column of ones, scaled down to the norm bound.
class MappedRows {
 public:
  /// `begin` is called before every pass. Keeps references to table and rule.
  MappedRows(const Table& table, const RowRule& rule, const PublicRows& rows,
             std::function<ReadOptions()> begin);

  Eigen::Index dimension() const { return dimension_; }

  // One pass each, over mapped rows that are clipped to a bound, or over all of them.
  IntegerSum sum(const AffineMap& map, double bound) const;
  IntegerGram moments(const AffineMap& map, double bound) const;
  /// How many have a norm above edge i + 1 and up to edge i; edges fall. The first count has the
  /// longer ones, too, the last all that are left.
  std::vector<Integer128> norm_counts(const AffineMap& map, const std::vector<double>& edges) const;

 private:
  RowMap row_map(const AffineMap& map) const;
  const Table& table_;
  const RowRule& rule_;
  Eigen::Index first_, dimension_;
  double norm_bound_;
  std::function<ReadOptions()> begin_;
};

}  // namespace modicum
