// Releases fixed in advance, drawn one by one.
#include <fmt/format.h>

#include "data/number_text.h"
#include "ledger/charging.h"
#include "ledger/record.h"
#include "modicum/data/json.h"
#include "modicum/release/description.h"

namespace modicum {
namespace {

// A description without how often, and how often.
struct Item {
  Value description;
  std::int64_t count = 1;
};
Item item_of(const Value& tree) {
  Item item;
  if (!tree.is_record())
    throw InvalidParameter("plan", shown(tree), "must have descriptions in it");
  if (tree.contains("count") && tree.contains("steps"))
    throw InvalidParameter("count", "given twice", "must be given once: `steps` is the same");
  for (const auto& [key, value] : tree.members()) {
    if (key == "count" || key == "steps")
      item.count = static_cast<std::int64_t>(require_count("count", value.number()));
    else item.description[key] = value;
  }
  item.description = canonical(item.description);
  return item;
}

// The descriptions that a plan is made of.
Value::List items_in(const Value& description) {
  const Value* parts = description.find("compose");
  return parts != nullptr && description.size() == 1 ? parts->items() : Value::List{description};
}

}  // namespace

Entry Ledger::plan(const std::string& budget, const Spending& spending,
                   const Circumstances& circumstances) {
  if (spending.description.is_null())
    throw UsageError("a plan needs descriptions, not losses at hand");
  if (names_a_file(spending.description))
    throw InvalidParameter("plan", "a table in a file", "must not be: it may change");
  const Value::List items = items_in(spending.description);
  for (const Value& each : items) item_of(each);
  // What is drawn later are the descriptions: these are what is paid for.
  Spending whole = spending;
  whole.loss = describe(spending.description, Accuracy::certified).loss;
  return charge_as(budget, whole, EntryState::reserved, Value(items), circumstances);
}

Entry Ledger::draw(std::int64_t plan, const Spending& spending,
                   const Circumstances& circumstances) {
  if (spending.description.is_null())
    throw UsageError("`plan` needs a description, not a loss at hand");
  const Item wanted = item_of(spending.description);
  const std::string loss = loss_hash(wanted.description);
  Entry after;
  database_->change([&] {
    const Entry before = entry(plan);
    const Value* items = before.body.find("plan");
    if (items == nullptr || before.state == EntryState::cancelled)
      throw InvalidParameter("plan", fmt::format("{}", plan),
                             "must be a plan that is not cancelled");
    BudgetStatus now = budget(before.budget);
    require_charged(now, spending);
    if (spending.part && spending.part != before.part)
      throw InvalidParameter("part", in_quotes(spending.part->name), "must be that of the plan");
    std::int64_t left = 0;
    for (const Value& each : items->items())
      if (const Item item = item_of(each); item.description == wanted.description)
        left += item.count;
    for (const Database::Row& row :
         database_->ask("SELECT body FROM modicum_entries WHERE loss = $1 AND entry = $2",
                        {loss, std::to_string(plan)}))
      if (const Value body = parse_json(*row.front()); body.at("state") == Value("drawn"))
        left -= body.at("count").whole();
    if (wanted.count > left)
      throw TargetUnreachable(
          fmt::format("the plan {} has {} of this description left, but {} {} to be drawn", plan,
                      left == 0 ? "none" : std::to_string(left), wanted.count,
                      wanted.count == 1 ? "is" : "are"));
    if (spending.guarantee > now.guarantee) {
      now.guarantee = spending.guarantee;
      save(now);
    }
    append({before.budget,
            EntryState::drawn,
            plan,
            loss,
            {{"count", wanted.count},
             {"guarantee", word_of(charged_guarantees(), spending.guarantee)}}},
           circumstances);
    after = entry(plan);
  });
  return after;
}

void Ledger::cancel(std::int64_t plan, const Circumstances& circumstances) {
  database_->change([&] {
    const Entry before = entry(plan);
    if (!before.body.contains("plan") || before.state != EntryState::reserved)
      throw InvalidParameter("plan", fmt::format("{}", plan),
                             "must be a plan of which nothing was drawn");
    BudgetStatus now = budget(before.budget);
    now.expenses.give_back(before.price, before.part);
    save(now);
    append({before.budget, EntryState::cancelled, plan}, circumstances);
  });
}

}  // namespace modicum
