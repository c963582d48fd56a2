// What the jobs about principal components of a table share: the table, and how its rows are
// scaled.
#pragma once

#include <Eigen/Core>
#include <string>
#include <variant>

#include "interfaces/reply.h"
#include "modicum/release/centered_components.h"
#include "modicum/release/component_release.h"
#include "modicum/release/table_source.h"

namespace modicum {

struct ComponentFields {
  TableSource source = {};
  RowChoice choice = {};
  bool ranks = false;

  /// The table.
  void table_fields(Fields& fields) { source.fields(fields); }
  /// Columns, ranges, the norm bound, `ranks`.
  void scaling_fields(Fields& fields);
  /// All of them.
  void fields(Fields& fields) {
    table_fields(fields);
    scaling_fields(fields);
  }
  RowScaling scaling() const { return ranks ? RowScaling::ranks : RowScaling::separate; }
};

using SecondMoments = std::variant<IntegerGram, RankMoments>;

/// A table with what is public about its rows. Reads none of them.
struct ComponentRows {
  /// The column of labels, if there is one, is no coordinate unless it was selected. Throws
  /// UsageError, InvalidParameter, UnreadableFile.
  explicit ComponentRows(const ComponentFields& asked, const std::string& label = "");
  /// One pass.
  SecondMoments moments(const ComponentFields& asked, Progress& progress) const;
  /// Sum of x x^T over the rows x, scaled to norm at most sqrt p.
  Eigen::MatrixXd normalized(const SecondMoments& moments) const;
  double dimension() const { return static_cast<double>(rows.dimension()); }

  Table table;
  RowRule rule;
  PublicRows rows;
};

/// What to expect of components about private means; the errors only where eigenvalues were
/// declared.
void tell_outlook(Reply& reply, const ComponentOutlook& outlook, double rows, bool declared);

}  // namespace modicum
