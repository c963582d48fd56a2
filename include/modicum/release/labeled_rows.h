// Rows with what is to be predicted of them, each made from one row of a table alone.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "modicum/data/gathered.h"
#include "modicum/data/rows.h"

namespace modicum {

/// y = +1 where the value of the column, in the units of the file, is above the threshold, else -1:
/// a rule that is public and has an answer for every value.
struct LabelRule {
  std::string column;
  double threshold = 0.0;
  bool operator==(const LabelRule&) const = default;
};

/// y is the value, clamped to the range and mapped onto [-1, 1].
struct TargetRule {
  std::string column;
  Range range;
  bool operator==(const TargetRule&) const = default;
};

using ResponseRule = std::variant<LabelRule, TargetRule>;
const std::string& column_of(const ResponseRule& rule);
/// y of a value of the column.
double response(const ResponseRule& rule, double value);

/// Rows as the release sees them.
struct LabeledBlock {
  RowBlock features;       ///< clipped, in whole numbers of grids (IntegerClip)
  Eigen::VectorXd labels;  ///< y
  double clipped = 0.0;    ///< how many of the rows were longer than the bound
};
/// As BlockWork of a table.
using LabeledWork = std::function<std::function<void()>(const LabeledBlock&)>;

/// One pass over all rows, which may lie elsewhere: then only sums can be had of them.
class PassOverRows {
 public:
  template <class Pass>
  requires(std::invocable<const Pass&, const LabeledWork&> && !std::same_as<Pass, PassOverRows>)
      PassOverRows(Pass pass)
      : pass_(std::move(pass)) {}
  /// `rows` says which there are.
  PassOverRows(std::shared_ptr<RowsElsewhere> elsewhere, Value rows)
      : elsewhere_(std::move(elsewhere)), rows_(std::move(rows)) {}

  /// Throws UsageError where they lie elsewhere.
  void operator()(const LabeledWork& work) const;
  bool lie_elsewhere() const { return elsewhere_ != nullptr; }
  /// The same rows, each mapped as it is said.
  PassOverRows mapped(const char* how, Value map) const;
  /// What `read` finds; of rows that lie elsewhere, what `question` and they say. Throws Error
  /// where there are not so many entries.
  std::vector<Integer128> sums(Value question, std::size_t entries,
                               const std::function<std::vector<Integer128>()>& read) const;

 private:
  std::function<void(const LabeledWork&)> pass_;
  std::shared_ptr<RowsElsewhere> elsewhere_;
  Value rows_;
};

/// The rows of a table with their labels. A row is dropped if the label or a feature is missing.
class LabeledRows {
 public:
  /// `features` has no column for the label. Throws InvalidParameter otherwise, for a column that
  /// is not there and for a threshold that is not finite. Keeps a reference to the table.
  LabeledRows(const Table& table, RowRule features, ResponseRule response, double row_norm_bound);

  const ResponseRule& response() const { return response_; }
  const RowRule& features() const { return features_; }
  const IntegerClip& clip() const { return clip_; }
  /// Of the table, the label last.
  const std::vector<std::size_t>& columns() const { return columns_; }
  Eigen::Index dimension() const { return static_cast<Eigen::Index>(features_.width()); }
  /// As Table::for_each_block.
  void for_each_block(const ReadOptions& options, const LabeledWork& work) const;
  PassOverRows pass(const ReadOptions& options) const;
  /// For who has the rows, and back. Throws Error, InvalidParameter.
  Value to_value() const;
  static LabeledRows in(const Table& table, const Value& value);
  /// As Table::dropped_rows.
  std::vector<std::uint64_t> dropped(const ReadOptions& options) const {
    return table_.dropped_rows(columns_, options);
  }

 private:
  const Table& table_;
  RowRule features_;
  ResponseRule response_;
  IntegerClip clip_;
  std::vector<std::size_t> columns_;
};

}  // namespace modicum
