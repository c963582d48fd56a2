// One pass over the rows of an audited table, as a release clips them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "modicum/release/neighbor_audit.h"

namespace modicum {

/// A row by its number, counted from 1, and how bad it is.
struct RankedRow {
  double score;
  double number;
  Eigen::VectorXd row;  ///< in coordinates
};

/// The rows of the largest scores; of equal ones the first. No result depends on how the rows were
/// cut into blocks.
class WorstRows {
 public:
  explicit WorstRows(std::size_t size) : size_(size) {}
  /// `scores` has one for each of `rows`, the first of which has the number `first`.
  void add(const Eigen::VectorXd& scores, const RowBlock& rows, double first);
  void add(const WorstRows& later, double numbers_before);
  const std::vector<RankedRow>& rows() const { return rows_; }  ///< the worst first

 private:
  void add(RankedRow row);
  std::size_t size_;
  std::vector<RankedRow> rows_;
};

/// Counts numbers of at least 0 in bins of one percent, in any order.
class FigureCounts {
 public:
  void add(const Eigen::VectorXd& values);
  void add(const FigureCounts& other);
  double count() const { return count_; }
  RowFigures figures(std::string name) const;

 private:
  double quantile(double share) const;
  double count_ = 0.0, largest_ = 0.0;
  std::map<int, double> bins_;
};

/// What a block comes to, found on any thread, and joined in the order of the rows.
using JoinBlock = std::function<void(double rows_before)>;
using ClippedWork = std::function<JoinBlock(const RowBlock& rows)>;

/// Rows in coordinates: whole numbers of the grid, exactly. The number of rows.
double for_each_clipped_block(const AuditedTable& audited, const ClippedWork& work);

/// `work` gives a score for each row of a block: the worst rows, and how the scores are spread.
struct ScoredRows {
  WorstRows worst;
  FigureCounts counts;
};
ScoredRows score_rows(const AuditedTable& audited, std::size_t worst_count,
                      const std::function<Eigen::VectorXd(const RowBlock& rows)>& scores);

/// The number in the table of a row that is this one, from 1 on, among those that are used.
double number_in_table(const AuditedTable& audited, double used);

/// A row that one table has and its neighbor has not.
struct RowChange {
  double sign;                 ///< -1: the neighbor is without it; +1: with it
  std::optional<double> used;  ///< its place among the rows of the table, from 0 on, if it has it
  Eigen::VectorXd row;
};
/// Calls with all rows of a table, in their order.
using RowsInOrder = std::function<void(const std::function<void(const RowBlock& rows)>&)>;
/// Throws InvalidParameter, naming `neighbor`, where the two do not differ by just one row.
RowChange change_between(const RowsInOrder& table, const RowsInOrder& neighbor);
/// Of a row that is removed; nothing for one that is added.
std::optional<double> number_of(const AuditedTable& audited, const RowChange& change);
/// The same of an audited table and its neighbor, as clipped.
RowChange change_to_neighbor(const AuditedTable& audited);

/// The row that clipping makes of this one.
Eigen::VectorXd clipped_row(const Eigen::VectorXd& row, double row_norm_bound);

}  // namespace modicum
