// Tables in memory for the tests of releases that read more than once.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "modicum/data/rows.h"

namespace modicum::testing {

/// Keeps its rows. The last column is the target "y".
class MemoryTable {
 public:
  explicit MemoryTable(const Eigen::MatrixXd& rows) : rows_(std::make_unique<RowBlock>(rows)) {
    TableFiles files;
    files.memory = RowsInMemory{rows_->data(), static_cast<std::size_t>(rows.rows()),
                                static_cast<std::size_t>(rows.cols()),
                                static_cast<std::ptrdiff_t>(rows.cols()), 1};
    for (Eigen::Index i = 0; i + 1 < rows.cols(); ++i)
      files.names.push_back("x" + std::to_string(i));
    files.names.push_back("y");
    table_ = std::make_unique<Table>(files);
  }
  const Table& table() const { return *table_; }
  RowRule rule(bool intercept = false, const std::map<std::string, Range>& ranges = {}) const {
    return {*table_, {}, ranges, intercept};
  }
  /// The same range for every column.
  RowRule ranged(double low, double high, bool intercept = true) const {
    std::map<std::string, Range> ranges;
    for (const std::string& name : table_->columns()) ranges.emplace(name, Range(low, high));
    return rule(intercept, ranges);
  }

 private:
  std::unique_ptr<RowBlock> rows_;
  std::unique_ptr<Table> table_;
};

}  // namespace modicum::testing
