// Whose presence a budget, or a release, protects.
#pragma once

#include <optional>
#include <string>

#include "modicum/data/value.h"

namespace modicum {

/// One row, or all rows of one person, told by the value of a column. A promise about the one is
/// none about the other: a person has several rows, and a row that comes to a person is no person
/// who comes.
struct ProtectedUnit {
  std::string column = {};  ///< empty: one row
  bool is_row() const { return column.empty(); }
  bool operator==(const ProtectedUnit&) const = default;
  /// "one row", or "all rows with one value of person_id".
  std::string words() const;
  /// {"kind": "row"}, or {"kind": "person", "column": "person_id"}.
  Value tree() const;
  static ProtectedUnit from_tree(const Value& tree);
};

/// "row", or the name of a column. Throws InvalidParameter that names `field`.
ProtectedUnit unit_in(const char* field, const std::string& text);

/// Whom a certificate, as a tree, protects: by its parameters; else a row, where the neighbors are
/// said to differ in one. None where it does not say.
std::optional<ProtectedUnit> unit_of_certificate(const Value& certificate);

}  // namespace modicum
