// What a release would do with each column of a table, from the header and the options alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interfaces/reply.h"
#include "modicum/data/fields.h"
#include "modicum/release/labeled_rows.h"
#include "modicum/release/table_source.h"

namespace modicum {

/// Whether to explain instead of releasing. What a release costs and where it goes need not be
/// given then.
struct ExplainField {
  bool explain = false;
  void fields(Fields& fields);
};

/// What is done with the values of one column.
struct ColumnUse {
  std::size_t column;  ///< of the table
  std::string use;     ///< for programs: "number", "target", "label", "category", "rank"
  std::string words;   ///< for people
  std::optional<Range> range = {};
};

/// Of all columns; those without a use are left out. No row is read.
Reply explained(const TableSource& source, const Table& table, const std::vector<ColumnUse>& uses,
                std::optional<double> row_norm_bound = {});

/// Numbers by a rule; `target`, if there is one, is the last of its columns.
std::vector<ColumnUse> uses_of(const RowRule& rule, const std::string& target = "");

// Tables whose rows are vectors, alone or with what is to be predicted.
Reply explained(const TableSource& source, const RowChoice& choice, const std::string& target = "");
Reply explained(const TableSource& source, const RowChoice& choice, const LabelRule& label);
Reply explained(const TableSource& source, const Table& table, const RowChoice& choice,
                const TargetRule& target);

}  // namespace modicum
