// What the commands about principal components of a table share: the table, and how its rows are
// scaled.
#pragma once

#include <variant>

#include "interfaces/data_commands.h"
#include "modicum/release/component_release.h"

namespace modicum {

using SecondMoments = std::variant<IntegerGram, RankMoments>;

struct ComponentOptions : ReleaseOptions {
  bool ranks = false;

  /// Columns, ranges, the norm bound, --ranks.
  void add_scaling_to(CLI::App& command);
  RowScaling scaling() const { return ranks ? RowScaling::ranks : RowScaling::separate; }
};

/// A table with what is public about it.
struct ComponentTable {
  /// The column of labels, if there is one, is no coordinate unless it was selected.
  explicit ComponentTable(const ComponentOptions& options, const std::string& label = "");
  SecondMoments moments(const ComponentOptions& options) const;
  double dimension() const { return static_cast<double>(rows.dimension()); }

  Table table;
  RowRule rule;
  PublicRows rows;
};

/// Sum of x x^T over the rows x, scaled to norm at most sqrt p.
Eigen::MatrixXd normalized(const ComponentTable& from, const SecondMoments& moments);

}  // namespace modicum
