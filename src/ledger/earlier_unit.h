// The unit of a budget that was declared when units were words.
#pragma once

#include <optional>
#include <string>

#include "ledger/database.h"
#include "modicum/release/unit.h"

namespace modicum {

/// Words said what a record is, and a record was a row; but releases that protect persons entered
/// as well. What a budget protects is therefore what all its entries do, as far as that can be told
/// from what was asked: a row where there are none, and nothing that could be promised where they
/// differ or one cannot be told, nor where it has parts and protects persons: nobody declared that
/// a person is in one of them alone.
class EarlierUnit {
 public:
  explicit EarlierUnit(const Value& declared) : in_parts_(declared.contains("partitions")) {}
  /// An entry as it was first recorded.
  void take(const Value& body);
  std::optional<ProtectedUnit> found() const;

 private:
  bool in_parts_, any_ = false;
  std::optional<ProtectedUnit> common_ = {};
};

/// As a column of the table of budgets has it: JSON of the unit, "null" where there is none that
/// could be promised.
std::string unit_text(const std::optional<ProtectedUnit>& unit);

/// Writes the units of all budgets whose unit is words.
void tell_earlier_units(Database& database);

}  // namespace modicum
