// Releases fixed in advance, drawn one by one.
#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "ledger/charging.h"
#include "ledger/domination.h"
#include "ledger/record.h"
#include "modicum/data/json.h"
#include "modicum/release/description.h"
#include "release/descriptions/certificate_tree.h"

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
  // Paid for is its loss, but its other keys could be read as a mechanism.
  if (is_certificate(tree))
    throw InvalidParameter("plan", "a certificate",
                           "must have descriptions in it, such as its loss");
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

// Those of a plan that may be drawn for it: first what is described alike, then, in their order,
// what dominates it. Equal ones are one.
std::vector<Item> items_covering(const Entry& plan, const Item& wanted) {
  std::vector<Item> same, covering;
  const Value* items = plan.body.find("plan");
  if (items == nullptr) return {};
  for (const Value& each : items->items()) {
    Item item = item_of(each);
    const bool equal = item.description == wanted.description;
    std::vector<Item>& to = equal ? same : covering;
    const auto known = std::ranges::find_if(
        to, [&](const Item& other) { return other.description == item.description; });
    if (known != to.end()) known->count += item.count;
    else if (equal || dominates(item.description, wanted.description)) to.push_back(item);
  }
  same.insert(same.end(), covering.begin(), covering.end());
  return same;
}

}  // namespace

std::map<std::string, std::int64_t> planned_counts(const Value& plan) {
  std::map<std::string, std::int64_t> counts;
  for (const Value& each : plan.items()) {
    const Item item = item_of(each);
    counts[loss_hash(item.description)] += item.count;
  }
  return counts;
}

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

namespace {

// What a release is taken from.
struct Drawable {
  std::string loss;       // the hash of an item
  std::int64_t left = 0;  // of it, before
};

// Throws what Ledger::draw throws.
Drawable drawable_for(Database& database, const Entry& plan, const BudgetStatus& status,
                      const Spending& spending, const Item& wanted,
                      const std::vector<Item>& covering) {
  require_charged(status, spending);
  if (spending.part != plan.part)
    throw InvalidParameter(
        "part", spending.part ? in_quotes(spending.part->name) : "missing",
        plan.part ? "must be that of the plan" : "must not be given: the plan is for all records");
  if (covering.empty())
    throw TargetUnreachable(
        fmt::format("the plan {} has nothing that is proved to give away at least as much as "
                    "this; its descriptions are those that modicum ledger list shows",
                    plan.number));
  Drawable most;
  for (const Item& each : covering) {
    Drawable found{loss_hash(each.description), each.count};
    for (const Database::Row& row :
         database.ask("SELECT body FROM modicum_entries WHERE loss = $1 AND entry = $2",
                      {found.loss, std::to_string(plan.number)}))
      if (const Value body = tree_in(row.front().value_or("")); body.at("state") == Value("drawn"))
        found.left -= body.at("count").whole();
    if (found.left >= wanted.count) return found;
    if (found.left > most.left) most = found;
  }
  throw TargetUnreachable(
      fmt::format("the plan {} has {} of this description left, but {} {} to be drawn", plan.number,
                  most.left == 0 ? "none" : std::to_string(most.left), wanted.count,
                  wanted.count == 1 ? "is" : "are"));
}

Item item_drawn(const Spending& spending) {
  if (spending.description.is_null())
    throw UsageError("`plan` needs a description, not a loss at hand");
  return item_of(spending.description);
}

}  // namespace

Entry Ledger::planned(std::int64_t plan) {
  try {
    Entry found = entry(plan);
    if (found.body.contains("plan") && found.state != EntryState::cancelled) return found;
  } catch (const InvalidParameter&) {  // there is no such entry
  }
  throw InvalidParameter("plan", fmt::format("{}", plan),
                         "must be the number of a plan that is not cancelled");
}

std::int64_t Ledger::drawable(std::int64_t plan, const Spending& spending) {
  const Item wanted = item_drawn(spending);
  const Entry found = planned(plan);
  return drawable_for(*database_, found, budget(found.budget), spending, wanted,
                      items_covering(found, wanted))
      .left;
}

Entry Ledger::draw(std::int64_t plan, const Spending& spending,
                   const Circumstances& circumstances) {
  const Item wanted = item_drawn(spending);
  const std::vector<Item> covering = items_covering(planned(plan), wanted);
  Entry after;
  database_->change([&] {
    const Entry before = planned(plan);
    BudgetStatus now = budget(before.budget);
    const std::string loss = drawable_for(*database_, before, now, spending, wanted, covering).loss;
    if (spending.guarantee > now.guarantee) {
      now.guarantee = spending.guarantee;
      save(now);
    }
    append({before.budget,
            EntryState::drawn,
            plan,
            loss,
            {{"count", wanted.count},
             {"description", spending.label},
             {"loss", spending.description},
             {"guarantee", word_of(charged_guarantees(), spending.guarantee)}}},
           circumstances);
    after = entry(plan);
  });
  return after;
}

void Ledger::settle_draw(std::int64_t plan, std::int64_t draw, EntryState state,
                         const std::string& certificate_sha256, const std::string& file_sha256,
                         const Circumstances& circumstances, const Value& certificate) {
  if (state != EntryState::released && state != EntryState::failed)
    throw Error("a draw is released or failed");
  database_->change([&] {
    bool drawn = false, settled = false;
    for (const Database::Row& row :
         database_->ask("SELECT body FROM modicum_entries WHERE entry = $1 AND number >= $2",
                        {std::to_string(plan), std::to_string(draw)})) {
      const Value body = tree_in(row.front().value_or(""));
      drawn = drawn || (body.at("number") == Value(draw) && body.at("state") == Value("drawn"));
      const Value* other = body.find("draw");
      settled = settled || (other != nullptr && *other == Value(draw));
    }
    if (!drawn || settled)
      throw InvalidParameter("draw", fmt::format("{}", draw),
                             "must be one of this plan that is not settled");
    Value more{
        {"draw", draw}, {"certificate_sha256", certificate_sha256}, {"file_sha256", file_sha256}};
    if (!certificate.is_null()) more["certificate"] = certificate;
    append({entry(plan).budget, state, plan, "", std::move(more)}, circumstances);
  });
}

void Ledger::cancel(std::int64_t plan, const Circumstances& circumstances) {
  database_->change([&] {
    const Entry before = planned(plan);
    if (before.state != EntryState::reserved)
      throw InvalidParameter("plan", fmt::format("{}", plan),
                             "must be a plan of which nothing was drawn");
    BudgetStatus now = budget(before.budget);
    now.expenses.give_back(before.price, before.part);
    save(now);
    append({before.budget, EntryState::cancelled, plan}, circumstances);
  });
}

}  // namespace modicum
