#include "modicum/ledger/ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "data/cells/number_text.h"
#include "ledger/charging.h"
#include "ledger/record.h"
#include "ledger/schema.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/ledger/concentration.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/release_files.h"
#include "modicum/version.h"

namespace modicum {

const Choices<Guarantee>& charged_guarantees() {
  static const Choices<Guarantee> words{{"proved", Guarantee::proved},
                                        {"relative", Guarantee::relative},
                                        {"asymptotic", Guarantee::asymptotic}};
  return words;
}

const Choices<EntryState>& state_words() {
  static const Choices<EntryState> words{
      {"created", EntryState::created},   {"reserved", EntryState::reserved},
      {"released", EntryState::released}, {"failed", EntryState::failed},
      {"drawn", EntryState::drawn},       {"cancelled", EntryState::cancelled}};
  return words;
}

bool names_a_file(const Value& tree) {
  const auto inside = [](const Value& each) { return names_a_file(each); };
  if (tree.is_list()) return std::ranges::any_of(tree.items(), inside);
  return tree.is_record() && (tree.contains("file") ||
                              std::ranges::any_of(tree.members(), [&](const Value::Member& member) {
                                return inside(member.second);
                              }));
}

std::string loss_hash(const Value& description) {
  return description.is_null() || names_a_file(description)
             ? ""
             : sha256(one_text(canonical(description)));
}

namespace {

// What to do about it is said as well.
void require_unit(const BudgetStatus& status, const Spending& spending) {
  if (!status.unit)
    throw TargetUnreachable(
        fmt::format("the budget {} has entries of an earlier version that protect rows, or "
                    "persons, or cannot be told: no more can be promised for both, make a new "
                    "budget",
                    in_quotes(status.name)));
  if (!spending.unit || *spending.unit == *status.unit) return;
  const std::string advice =
      status.unit->is_row()
          ? fmt::format("give no `unit` here, or make a budget with the `unit` {}",
                        in_quotes(spending.unit->column))
          : fmt::format(
                "give the `unit` {} here if this can protect persons, or make a budget "
                "{}",
                in_quotes(status.unit->column),
                spending.unit->is_row() ? "without one"
                                        : "with the `unit` " + in_quotes(spending.unit->column));
  throw TargetUnreachable(fmt::format(
      "this protects {}, the budget {} {}: one is not the other; {}",
      one_line(spending.unit->words(), 300), in_quotes(status.name), status.unit->words(), advice));
}

}  // namespace

void require_charged(const BudgetStatus& status, const Spending& spending) {
  if (spending.guarantee == Guarantee::per_instance)
    throw TargetUnreachable(
        "what holds for one data set only cannot be charged: it is no promise to the others");
  const std::string& declared = status.declared.at("neighbors").text();
  if (spending.neighbors && word_of(adjacency_words(), *spending.neighbors) != declared)
    throw TargetUnreachable(fmt::format(
        "this protects neighbors by {}, the budget {} those by {}: one is not the other",
        word_of(adjacency_words(), *spending.neighbors), in_quotes(status.name), declared));
  require_unit(status, spending);
  if (!spending.part) return;
  for (const Partition& each : status.partitions())
    if (each.name == spending.part->partition &&
        std::ranges::find(each.parts, spending.part->name) != each.parts.end())
      return;
  throw InvalidParameter(
      "part", in_quotes(spending.part->partition + "=" + spending.part->name),
      fmt::format("must be one that was declared with the budget {}", in_quotes(status.name)));
}

namespace {

std::string needs(const char* what, const Reading& price, const Reading& left) {
  return fmt::format("{} {} of which {} is left", what, rounded_up(price.upper()),
                     rounded_down(left.lower()));
}

// Who spends all at once meets the slack that was set aside: the promise would allow it.
std::string slack_clause(const BudgetStatus& status, const Spending& spending,
                         const Offers& offers) {
  const Value &epsilon = status.declared.at("epsilon"), &delta = status.declared.at("delta");
  if (epsilon.is_null() || status.total.slack.is_zero() || status.spent() != Clocks{}) return "";
  if (std::ranges::none_of(offers.prices, [](const Clocks& each) { return each.slack.is_zero(); }))
    return "";
  if (!(profile(spending.loss, epsilon.number()).delta().upper() <= delta.number())) return "";
  return fmt::format(
      "; alone it would keep what the budget promises, but {:.3g} of the `delta` is set aside as "
      "`slack` for what is no Gaussian noise: a budget made with `slack` 0 has room for it",
      status.total.slack.upper());
}

[[noreturn]] void refuse_price(const BudgetStatus& status, const Spending& spending,
                               const Offers& offers) {
  const Clocks left = status.left(spending.part);
  if (offers.prices.empty())
    throw TargetUnreachable(fmt::format(
        "the budget {} cannot pay for this: {}", in_quotes(status.name),
        !offers.refusal.empty()             ? offers.refusal
        : status.total.mu_squared.is_zero() ? "it has no mu^2, and this has no price in what it has"
                                            : "nothing is left of it"));
  std::vector<std::string> ways;
  for (const Clocks& each : offers.prices) {
    std::vector<std::string> parts;
    for (const auto& [key, words, clock] : clock_kinds)
      if (!(each.*clock <= left.*clock)) parts.push_back(needs(words, each.*clock, left.*clock));
    const std::string way = fmt::format("{}", fmt::join(parts, " and "));
    if (!way.empty() && std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
  }
  throw DoesNotFit(fmt::format("this does not fit into the budget {}: it needs {}{}",
                               in_quotes(status.name), fmt::join(ways, ", or "),
                               slack_clause(status, spending, offers)));
}

Value part_tree(const std::optional<Part>& part) {
  if (!part) return {};
  return {{"partition", part->partition}, {"part", part->name}};
}

}  // namespace

Ledger::Ledger(std::unique_ptr<Database> database) : database_(std::move(database)) {
  upgrade(*database_);
}
Ledger::Ledger(const std::string& store) : database_(open_database(store, OpenStore::existing)) {
  const int found = schema_of(*database_);
  if (found == 0) refuse_missing(store);
  if (found != newest_schema()) upgrade(*database_);
}
Ledger Ledger::open_or_make(const std::string& store) {
  return Ledger(open_database(store, OpenStore::or_make_new));
}
Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&&) noexcept = default;

// Inside a transaction.
std::int64_t Ledger::append(const News& news, const Circumstances& circumstances) {
  const auto last =
      database_->ask("SELECT number, hash FROM modicum_entries ORDER BY number DESC LIMIT 1");
  const std::int64_t number = last.empty() ? 1 : std::stoll(*last.front().at(0)) + 1;
  const std::string previous = last.empty() ? "" : *last.front().at(1);
  const std::int64_t entry = news.entry.value_or(number);
  const std::string& state = word_of(state_words(), news.state);
  Value body{{"number", number},         {"entry", entry},
             {"budget", news.budget},    {"state", state},
             {"loss_sha256", news.loss}, {"time", utc_time(circumstances.time)},
             {"who", circumstances.who}, {"command", circumstances.command},
             {"version", version}};
  for (const auto& [key, value] : news.more.members()) body[key] = value;
  const std::string text = one_text(body);
  database_->ask(
      fmt::format("INSERT INTO modicum_entries ({}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                  record_columns),
      {std::to_string(number), std::to_string(entry), news.budget, state, news.loss, text, previous,
       chained_hash(previous, text)});
  return number;
}

// A loss that was priced before, by this version, costs the same again.
Offers Ledger::offers(const BudgetStatus& status, const Spending& spending,
                      const std::string& loss) {
  const Clocks left = status.left(spending.part);
  if (spending.at_most) {
    const Clocks most = smaller_of(left, *spending.at_most);
    Offers within = offers_for(spending.loss, most, most, spending.slack,
                               known_concentration(spending.description, most));
    std::erase_if(within.prices, [&](const Clocks& each) { return !fits(each, most); });
    if (within.prices.empty() && within.refusal.empty())
      within.refusal = "it takes more than the share that was asked for";
    return within;
  }
  if (!spending.slack && !loss.empty()) {
    Offers before;
    for (const Database::Row& row : database_->ask(
             "SELECT body FROM modicum_entries WHERE loss = $1 ORDER BY number DESC LIMIT 8",
             {loss})) {
      const Value body = tree_in(row.front().value_or(""));
      if (body.contains("price") && body.at("version") == Value(version) &&
          body.at("budget") == Value(status.name))
        before.prices.push_back(clocks_in(body.at("price")));
    }
    if (best_of(before.prices, status.total, status.expenses.of_part(spending.part)) != nullptr)
      return before;
  }
  return offers_for(spending.loss, status.total, left, spending.slack,
                    known_concentration(spending.description, left));
}

Quote Ledger::quote(const std::string& name, const Spending& spending) {
  BudgetStatus status = budget(name);
  require_charged(status, spending);
  const Offers known = offers(status, spending, loss_hash(spending.description));
  const Clocks* price = best_of(known.prices, status.total, status.expenses.of_part(spending.part));
  if (price == nullptr) refuse_price(status, spending, known);
  status.expenses.add(*price, spending.part);
  return {*price, status.left(spending.part)};
}

Entry Ledger::charge_as(const std::string& name, const Spending& spending, EntryState state,
                        const Value& items, const Circumstances& circumstances) {
  // Prices take a while; nobody waits for them.
  const BudgetStatus before = budget(name);
  require_charged(before, spending);
  const std::string loss = loss_hash(spending.description);
  const Offers known = offers(before, spending, loss);
  Entry entry;
  database_->change([&] {
    BudgetStatus now = budget(before.name);
    const Clocks* price = best_of(known.prices, now.total, now.expenses.of_part(spending.part));
    if (price == nullptr) refuse_price(now, spending, known);
    now.expenses.add(*price, spending.part);
    ++now.entries;
    now.guarantee = std::max(now.guarantee, spending.guarantee);
    save(now);
    Value more{{"description", spending.label},
               {"loss", spending.description},
               {"guarantee", word_of(charged_guarantees(), spending.guarantee)},
               {"unit", now.unit->tree()},
               {"price", tree_of(*price)},
               {"certificate_sha256", spending.certificate_sha256}};
    if (!items.is_null()) more["plan"] = items;
    if (spending.part) more["part"] = part_tree(spending.part);
    entry = {0, now.name, state, *price, 0, more, spending.certificate_sha256, "", spending.part};
    entry.number = append({now.name, state, {}, loss, more}, circumstances);
  });
  return entry;
}

Entry Ledger::charge(const std::string& budget, const Spending& spending, EntryState state,
                     const Circumstances& circumstances) {
  if (state != EntryState::reserved && state != EntryState::released)
    throw Error("a charge is reserved or released");
  return charge_as(budget, spending, state, {}, circumstances);
}

Entry Ledger::entry(std::int64_t number) {
  std::optional<Entry> entry;
  for (const Database::Row& row :
       database_->ask(fmt::format("SELECT {} FROM modicum_entries WHERE entry = $1 ORDER BY number",
                                  record_columns),
                      {std::to_string(number)})) {
    const Record record = record_in(row);
    if (entry) go_on(*entry, record);
    else entry = begun_with(record);
  }
  if (!entry)
    throw InvalidParameter("entry", fmt::format("{}", number), "must be that of an entry");
  return *std::move(entry);
}

void Ledger::settle(std::int64_t number, EntryState state, const std::string& certificate_sha256,
                    const std::string& file_sha256, const Circumstances& circumstances,
                    const Value& certificate) {
  if (state != EntryState::released && state != EntryState::failed)
    throw Error("an entry is released or failed");
  database_->change([&] {
    const Entry before = entry(number);
    if (before.state != EntryState::reserved || before.body.contains("plan"))
      throw InvalidParameter("entry", fmt::format("{}", number), "must be one that is reserved");
    Value more{{"certificate_sha256", certificate_sha256}, {"file_sha256", file_sha256}};
    if (!certificate.is_null()) more["certificate"] = certificate;
    append({before.budget, state, number, "", std::move(more)}, circumstances);
  });
}

std::vector<Entry> Ledger::entries(const std::string& name) {
  std::map<std::int64_t, Entry> all;
  for (const Database::Row& row : database_->ask(
           fmt::format("SELECT {} FROM modicum_entries ORDER BY number", record_columns))) {
    const Record record = record_in(row);
    if (!name.empty() && record.budget != name) continue;
    if (auto entry = begun_with(record)) all.emplace(record.number, *std::move(entry));
    else if (const auto found = all.find(record.entry); found != all.end())
      go_on(found->second, record);
  }
  std::vector<Entry> list;
  for (auto& [number, entry] : all) list.push_back(std::move(entry));
  return list;
}

Value Ledger::records() {
  Value all = Value::list();
  for (const Database::Row& row : database_->ask(
           fmt::format("SELECT {} FROM modicum_entries ORDER BY number", record_columns))) {
    const Record record = record_in(row);
    all.push_back({{"body", record.body}, {"previous", record.previous}, {"hash", record.hash}});
  }
  return all;
}

}  // namespace modicum
