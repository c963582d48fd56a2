// What charges and plans share.
#pragma once

#include <map>
#include <string>

#include "modicum/ledger/ledger.h"

namespace modicum {

/// What is to be written.
struct Ledger::News {
  std::string budget;
  EntryState state;
  std::optional<std::int64_t> entry = {};  ///< its own number where it begins one
  std::string loss = {};
  Value more = Value::record();
};

/// Whether a description names a table in a file, which may be another one tomorrow.
bool names_a_file(const Value& tree);
/// What an equal loss is found by; nothing where none can be told from its description.
std::string loss_hash(const Value& description);
/// How often a plan, the list of its descriptions, has each of them, by loss_hash.
std::map<std::string, std::int64_t> planned_counts(const Value& plan);
/// Throws TargetUnreachable unless this may be charged to the budget, InvalidParameter for a part
/// that it does not have.
void require_charged(const BudgetStatus& status, const Spending& spending);

}  // namespace modicum
