// From the fields of a row to a vector of bounded norm. Every step looks at one row alone, so it
// keeps neighboring tables neighbors.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "modicum/data/table.h"

namespace modicum {

/// Public knowledge about a column: values are clamped to it and mapped onto [-1, 1].
struct Range {
  /// InvalidParameter unless low < high, both finite.
  Range(double low, double high);
  double low, high;
  /// Half of each end first: the difference of two finite numbers may overflow.
  double middle() const { return 0.5 * low + 0.5 * high; }
  double half_width() const { return 0.5 * high - 0.5 * low; }
  bool operator==(const Range&) const = default;
};

/// Which columns, in which order, and how they are scaled.
class RowRule {
 public:
  /// `columns` empty: all of the table. InvalidParameter for a column that is not there, is there
  /// several times or is named twice, and for a range of a column that is not selected.
  RowRule(const Table& table, const std::vector<std::string>& columns,
          const std::map<std::string, Range>& ranges = {}, bool intercept = false);

  /// Of the resulting row; with an intercept the first is a column of ones.
  std::size_t width() const;
  const std::vector<std::string>& names() const { return names_; }  ///< "intercept" first, if any
  const std::vector<std::size_t>& table_columns() const { return table_columns_; }
  const FileAssumptions& assumptions() const { return assumptions_; }  ///< of the table
  /// The largest norm that a row can have, sqrt(width), rounded up, if every column has a range;
  /// else infinity.
  double natural_norm_bound() const { return natural_norm_bound(width()); }
  /// The same for so many of the first entries.
  double natural_norm_bound(std::size_t columns) const;
  /// Whether its values are clamped to a range; `column` counts in the resulting row.
  bool has_range(std::size_t column) const { return ranged_.at(column); }
  const std::map<std::string, Range>& ranges() const { return ranges_; }
  /// x = offset + scale * (standardized), for reporting in the units of the file. `column` counts
  /// in the resulting row.
  double offset(std::size_t column) const;
  double scale(std::size_t column) const;

  /// Clamps, scales and prepends the ones.
  RowBlock apply(const RowBlock& block) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> table_columns_;
  std::vector<double> offsets_, scales_;
  std::vector<bool> ranged_;
  std::map<std::string, Range> ranges_;
  bool intercept_ = false;
  FileAssumptions assumptions_;
};

/// Rows of norm at most `row_norm_bound` whose entries are whole multiples of `grid`, a power of
/// two: rows that are too long are scaled down, then every entry is rounded to the nearest
/// multiple. An entry is at most 2^20 grids, so sums of products of two are exact in double
/// arithmetic over 8192 rows. The norm is checked in whole numbers, never trusted.
///
/// A row that lies on the grid and in the ball of `inner_radius` is kept as it is. What becomes of
/// a row depends on that row alone, to the last bit.
class IntegerClip {
 public:
  /// InvalidParameter unless it lies between 1e-100 and 1e100: squares of the grid, and sums of
  /// them, then are doubles, too.
  explicit IntegerClip(double row_norm_bound);
  double row_norm_bound() const { return bound_; }
  /// row_norm_bound / 2^20 <= grid < row_norm_bound / 2^19
  double grid() const { return grid_; }
  /// Rows up to this norm are rounded but not scaled: the bound, less what rounding can add to the
  /// norm, grid sqrt(dimension) / 2. InvalidParameter if that is not small against the bound (from
  /// about 4 * 10^9 columns on).
  double inner_radius(std::size_t dimension) const;
  /// In place: entries become whole numbers of grids. InvalidParameter for entries that are not
  /// finite.
  void apply(RowBlock& block) const;

 private:
  void clip_row(std::span<double> row, double radius) const;
  double bound_, grid_;
  double largest_square_;  // the whole part of (bound / grid)^2
};

}  // namespace modicum
