// What is written in the tables of a ledger, and how it is read back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ledger/database.h"
#include "modicum/ledger/ledger.h"

namespace modicum {

/// A line of the chain.
struct Record {
  std::int64_t number = 0, entry = 0;
  std::string budget = {}, state = {}, loss = {}, text = {}, previous = {}, hash = {};
  Value body = {};  ///< what the text says
};
inline constexpr const char* record_columns =
    "number, entry, budget, state, loss, body, previous, hash";
Record record_in(const Database::Row& row);
/// SHA-256 of the previous hash and the text of the body.
std::string chained_hash(const std::string& previous, const std::string& text);

/// name, declared, each clock in all, each clock spent, entries, guarantee, parts, unit.
std::string budget_columns();
BudgetStatus status_in(const Database::Row& row);

/// JSON on one line, without a break at its end; and back. Throws Error for a text that is none:
/// it was written by nobody but this.
std::string one_text(const Value& tree);
Value tree_in(const std::string& text);
/// The same for trees that say the same: members in order of their names, 1 for 1.0.
Value canonical(const Value& tree);
Value tree_of(const Clocks& clocks);
Clocks clocks_in(const Value& tree);
/// Whose records an entry is about.
std::optional<Part> part_of(const Value& body);
EntryState state_of(const std::string& word);
Guarantee guarantee_of(const std::string& word);

/// The entry that begins with this record; nothing where none does.
std::optional<Entry> begun_with(const Record& record);
/// What a later record says about it.
void go_on(Entry& entry, const Record& record);

}  // namespace modicum
