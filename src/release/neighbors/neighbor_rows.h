// One pass over the rows of an audited table, as a release clips them.
#pragma once

#include <functional>
#include <map>
#include <memory>
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

/// The row that clipping makes of this one.
Eigen::VectorXd clipped_row(const Eigen::VectorXd& row, double row_norm_bound);

}  // namespace modicum
