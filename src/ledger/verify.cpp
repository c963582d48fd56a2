// Whether the chain is whole, and the sums are what it says.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/cells/number_text.h"
#include "ledger/charging.h"
#include "ledger/earlier_unit.h"
#include "ledger/record.h"
#include "modicum/data/json.h"

namespace modicum {
namespace {

// Adds up again what the chain says, in the same order, so that sums must agree to the last digit.
class Replay {
 public:
  void follow(const Record& record) {
    const auto broken = [&](const char* why) {
      throw Error(fmt::format("the chain is broken at record {}: {}", record.number, why));
    };
    if (record.number != records_ + 1) broken("a record before it is missing");
    if (record.previous != head_) broken("it does not follow the record before it");
    if (record.hash != chained_hash(record.previous, record.text)) broken("it was changed");
    const Value& body = record.body;
    if (body.at("number") != Value(record.number) || body.at("entry") != Value(record.entry) ||
        body.at("budget") != Value(record.budget) || body.at("state") != Value(record.state) ||
        body.at("loss_sha256") != Value(record.loss))
      broken("its columns were changed");
    ++records_;
    head_ = record.hash;
    if (!add(record)) broken("it does not fit to those before it");
  }
  void compare(const std::vector<BudgetStatus>& found) const {
    for (const BudgetStatus& each : found) {
      const auto own = budgets_.find(each.name);
      if (own == budgets_.end() || own->second.declared != each.declared ||
          own->second.total != each.total || own->second.expenses != each.expenses ||
          own->second.entries != each.entries || own->second.guarantee != each.guarantee ||
          unit_of(own->second) != each.unit)
        throw Error(fmt::format("the sums of the budget {} are not those of the chain",
                                in_quotes(each.name)));
    }
    if (found.size() != budgets_.size()) throw Error("a budget of the chain is missing");
  }
  std::int64_t records() const { return records_; }
  const std::string& head() const { return head_; }

 private:
  bool add(const Record& record) {
    const EntryState state = state_of(record.state);
    if (state == EntryState::created) {
      BudgetStatus made{record.budget, record.body.at("declared"),
                        clocks_in(record.body.at("total"))};
      if (const Value& unit = made.declared.at("unit"); unit.is_record())
        made.unit = ProtectedUnit::from_tree(unit);
      else earlier_.emplace(record.budget, EarlierUnit(made.declared));
      return budgets_.emplace(record.budget, std::move(made)).second;
    }
    const auto budget = budgets_.find(record.budget);
    if (budget == budgets_.end()) return false;
    BudgetStatus& status = budget->second;
    if (const Value* guarantee = record.body.find("guarantee"))
      status.guarantee = std::max(status.guarantee, guarantee_of(guarantee->text()));
    if (auto entry = begun_with(record)) {
      const std::optional<Part> part = part_of(record.body);
      status.expenses.add(entry->price, part);
      ++status.entries;
      if (const auto words = earlier_.find(record.budget); words != earlier_.end())
        words->second.take(record.body);
      else if (record.body.at("unit") != status.unit->tree()) return false;
      open_.emplace(record.number, *std::move(entry));
      return fits(status.expenses.of_part(part), status.total);
    }
    return go_on_with(record, state, status);
  }
  // What may become of an entry: a plan is drawn, never more than it has, or given back untouched;
  // anything else is settled once.
  bool go_on_with(const Record& record, EntryState state, BudgetStatus& status) {
    const auto found = open_.find(record.entry);
    if (found == open_.end() || found->second.budget != record.budget) return false;
    Entry& entry = found->second;
    const Value* plan = entry.body.find("plan");
    if (state == EntryState::drawn) {
      if (plan == nullptr) return false;
      const auto planned = planned_counts(*plan);
      std::int64_t all = 0;
      for (const auto& [loss, count] : planned) all += count;
      go_on(entry, record);
      draws_.emplace(record.number, record.entry);
      const auto item = planned.find(record.loss);
      std::int64_t& of_item = drawn_[{record.entry, record.loss}];
      of_item += record.body.at("count").whole();
      return entry.drawn <= all && (item == planned.end() || of_item <= item->second);
    }
    if (const Value* draw = record.body.find("draw")) {
      const auto drawn = draws_.find(draw->whole());
      if (drawn == draws_.end() || drawn->second != record.entry) return false;
      draws_.erase(drawn);
      return state == EntryState::released || state == EntryState::failed;
    }
    if (state == EntryState::cancelled) {
      if (plan == nullptr || entry.drawn != 0) return false;
      status.expenses.give_back(entry.price, entry.part);
    } else if (plan != nullptr || entry.state != EntryState::reserved) {
      return false;
    }
    open_.erase(found);
    return true;
  }

  std::optional<ProtectedUnit> unit_of(const BudgetStatus& status) const {
    const auto words = earlier_.find(status.name);
    return words == earlier_.end() ? status.unit : words->second.found();
  }

  std::int64_t records_ = 0;
  std::string head_;
  std::map<std::string, BudgetStatus> budgets_;
  std::map<std::string, EarlierUnit> earlier_;  // of budgets whose unit is words
  std::map<std::int64_t, Entry> open_;
  std::map<std::int64_t, std::int64_t> draws_;  // of plans, not settled: the record and its plan
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> drawn_;  // of a plan and its item
};

}  // namespace

Verification Ledger::verify(const std::string& head) {
  Replay replay;
  bool seen = head.empty();
  database_->look([&] {
    for (;;) {
      const auto rows = database_->ask(
          fmt::format("SELECT {} FROM modicum_entries WHERE number > {} ORDER BY number LIMIT 1000",
                      record_columns, replay.records()));
      if (rows.empty()) break;
      for (const Database::Row& row : rows) {
        replay.follow(record_in(row));
        seen = seen || replay.head() == head;
      }
    }
    const auto count = database_->ask("SELECT COUNT(*) FROM modicum_entries");
    if (count.front().front() != std::to_string(replay.records()))
      throw Error("the chain has records that are out of order");
    replay.compare(budgets());
  });
  if (!seen)
    throw Error(fmt::format("the chain does not have the record {}: it was cut off, or is another",
                            in_quotes(head)));
  return {replay.records(), replay.head()};
}

}  // namespace modicum
