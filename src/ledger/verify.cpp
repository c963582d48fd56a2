// Whether the chain is whole, and the sums are what it says.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/number_text.h"
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
          own->second.total != each.total || own->second.spent != each.spent ||
          own->second.entries != each.entries || own->second.guarantee != each.guarantee)
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
    if (state == EntryState::created)
      return budgets_
          .emplace(record.budget, BudgetStatus{record.budget,
                                               record.body.at("declared"),
                                               clocks_in(record.body.at("total")),
                                               {},
                                               0,
                                               Guarantee::proved})
          .second;
    const auto budget = budgets_.find(record.budget);
    if (budget == budgets_.end()) return false;
    BudgetStatus& status = budget->second;
    if (auto entry = begun_with(record)) {
      status.spent = status.spent + entry->price;
      ++status.entries;
      status.guarantee =
          std::max(status.guarantee, guarantee_of(record.body.at("guarantee").text()));
      open_.emplace(record.number, std::pair{record.budget, entry->price});
      return fits(status.spent, status.total);
    }
    const auto entry = open_.find(record.entry);
    if (entry == open_.end() || entry->second.first != record.budget) return false;
    if (state == EntryState::cancelled) status.spent = status.spent - entry->second.second;
    if (state != EntryState::drawn) open_.erase(entry);
    return true;
  }

  std::int64_t records_ = 0;
  std::string head_;
  std::map<std::string, BudgetStatus> budgets_;
  std::map<std::int64_t, std::pair<std::string, Clocks>> open_;
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
