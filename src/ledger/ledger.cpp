#include "modicum/ledger/ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "data/number_text.h"
#include "ledger/record.h"
#include "ledger/schema.h"
#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/ledger/concentration.h"
#include "modicum/release/description.h"
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

namespace {

// A table in a file may be another one tomorrow.
bool names_a_file(const Value& tree) {
  const auto inside = [](const Value& each) { return names_a_file(each); };
  if (tree.is_list()) return std::ranges::any_of(tree.items(), inside);
  return tree.is_record() && (tree.contains("file") ||
                              std::ranges::any_of(tree.members(), [&](const Value::Member& member) {
                                return inside(member.second);
                              }));
}

// What an equal loss is found by; nothing where none can be told from its description.
std::string loss_hash(const Value& description) {
  return description.is_null() || names_a_file(description)
             ? ""
             : sha256(one_text(canonical(description)));
}

std::string needs(const char* what, const Reading& price, const Reading& left) {
  return fmt::format("{} {} of which {} is left", what, rounded_up(price.upper()),
                     rounded_down(left.lower()));
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
  throw TargetUnreachable(fmt::format("this does not fit into the budget {}: it needs {}",
                                      in_quotes(status.name), fmt::join(ways, ", or ")));
}

void require_charged(const BudgetStatus& status, const Spending& spending) {
  if (spending.guarantee == Guarantee::per_instance)
    throw TargetUnreachable(
        "what holds for one data set only cannot be charged: it is no promise to the others");
  const std::string& declared = status.declared.at("neighbors").text();
  if (spending.neighbors && word_of(adjacency_words(), *spending.neighbors) != declared)
    throw TargetUnreachable(fmt::format(
        "this protects neighbors by {}, the budget {} those by {}: one is not the other",
        word_of(adjacency_words(), *spending.neighbors), in_quotes(status.name), declared));
  if (!spending.part) return;
  for (const Partition& each : status.partitions())
    if (each.name == spending.part->partition &&
        std::ranges::find(each.parts, spending.part->name) != each.parts.end())
      return;
  throw InvalidParameter(
      "part", in_quotes(spending.part->partition + "=" + spending.part->name),
      fmt::format("must be one that was declared with the budget {}", in_quotes(status.name)));
}

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

Value part_tree(const std::optional<Part>& part) {
  if (!part) return {};
  return {{"partition", part->partition}, {"part", part->name}};
}

}  // namespace

Clocks BudgetStatus::left(const std::optional<Part>& part) const {
  return what_is_left(total, expenses.of_part(part));
}

std::vector<Partition> BudgetStatus::partitions() const {
  std::vector<Partition> all;
  if (const Value* declared_ones = declared.find("partitions"))
    for (const auto& [partition, parts] : declared_ones->members()) {
      all.push_back({partition, {}});
      for (const Value& each : parts.items()) all.back().parts.push_back(each.text());
    }
  return all;
}

// What is to be written.
struct Ledger::News {
  std::string budget;
  EntryState state;
  std::optional<std::int64_t> entry = {};  // its own number where it begins one
  std::string loss = {};
  Value more = Value::record();
};

Ledger::Ledger(std::unique_ptr<Database> database) : database_(std::move(database)) {
  upgrade(*database_);
}
Ledger::Ledger(const std::string& store) : database_(open_database(store, OpenStore::existing)) {
  if (schema_of(*database_) == 0)
    throw UnreadableFile(fmt::format("there is no ledger in {}", shown_store(store)));
  upgrade(*database_);
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

void Ledger::save(const BudgetStatus& status) {
  const Clocks spent = status.spent();
  std::string columns;
  Database::Row values;
  const auto set = [&](const std::string& column, std::string value) {
    values.emplace_back(std::move(value));
    columns += fmt::format("{}{} = ${}", columns.empty() ? "" : ", ", column, values.size());
  };
  for (const auto& [key, words, clock] : clock_kinds)
    set(std::string(key) + "_spent", (spent.*clock).text());
  set("entries", std::to_string(status.entries));
  set("guarantee", word_of(charged_guarantees(), status.guarantee));
  set("parts", one_text(status.expenses.tree()));
  values.emplace_back(status.name);
  database_->ask(
      fmt::format("UPDATE modicum_budgets SET {} WHERE name = ${}", columns, values.size()),
      values);
}

BudgetStatus Ledger::create(const BudgetDeclaration& declaration,
                            const Circumstances& circumstances) {
  for (const auto& [field, text] : {std::pair{"budget", declaration.name},
                                    {"unit", declaration.unit},
                                    {"population", declaration.population}})
    if (text.size() > 200 || one_line(text, 1000) != text)
      throw InvalidParameter(field, in_quotes(one_line(text, 200)),
                             "must be a line of text of at most 200 bytes");
  if (declaration.name.empty()) throw InvalidParameter("budget", "empty", "must be a name");
  if (!declaration.partitions.empty() && declaration.neighbors != Adjacency::add_remove)
    throw InvalidParameter(
        "neighbors", word_of(adjacency_words(), declaration.neighbors),
        "must be add_remove for a budget with parts: a record that changes leaves one part and "
        "enters another");
  const BudgetTerms& terms = declaration.terms;
  BudgetStatus status{declaration.name, Value::record(), split(terms)};
  status.declared = {{"epsilon", terms.epsilon},
                     {"delta", terms.delta},
                     {"mu", terms.mu},
                     {"rho", terms.rho},
                     {"neighbors", word_of(adjacency_words(), declaration.neighbors)},
                     {"unit", declaration.unit},
                     {"population", declaration.population}};
  for (const Partition& each : declaration.partitions) {
    Value& all = status.declared["partitions"];
    if (all.is_null()) all = Value::record();
    if (all.contains(each.name))
      throw InvalidParameter("parts", in_quotes(each.name), "must be declared once");
    all[each.name] = each.parts;
  }
  database_->change([&] {
    if (!database_->ask("SELECT name FROM modicum_budgets WHERE name = $1", {declaration.name})
             .empty())
      throw InvalidParameter("budget", in_quotes(declaration.name),
                             "must be a new name: there is one in this ledger already");
    Database::Row row{declaration.name, one_text(status.declared)};
    for (const auto& [key, words, clock] : clock_kinds)
      row.emplace_back((status.total.*clock).text());
    for (std::size_t i = 0; i < clock_kinds.size(); ++i) row.emplace_back("0");
    row.insert(row.end(), {"0", word_of(charged_guarantees(), Guarantee::proved), ""});
    std::string places;
    for (std::size_t i = 1; i <= row.size(); ++i)
      places += fmt::format("{}${}", i == 1 ? "" : ", ", i);
    database_->ask(
        fmt::format("INSERT INTO modicum_budgets ({}) VALUES ({})", budget_columns(), places), row);
    append({declaration.name,
            EntryState::created,
            {},
            "",
            {{"declared", status.declared}, {"total", tree_of(status.total)}}},
           circumstances);
  });
  return status;
}

std::vector<BudgetStatus> Ledger::budgets() {
  std::vector<BudgetStatus> all;
  for (const Database::Row& row : database_->ask(
           fmt::format("SELECT {} FROM modicum_budgets ORDER BY name", budget_columns())))
    all.push_back(status_in(row));
  return all;
}

BudgetStatus Ledger::budget(const std::string& name) {
  std::vector<std::string> names;
  for (BudgetStatus& each : budgets()) {
    if (each.name == name) return std::move(each);
    names.push_back(each.name);
  }
  if (!name.empty())
    throw InvalidParameter(
        "budget", in_quotes(name),
        names.empty()
            ? "there is none in this ledger"
            : fmt::format("must be one of: {}{}", fmt::join(names, ", "), suggestion(name, names)));
  if (names.size() != 1)
    throw InvalidParameter("budget", "missing",
                           names.empty()
                               ? "there is none in this ledger"
                               : fmt::format("must be one of: {}", fmt::join(names, ", ")));
  return budget(names.front());
}

// A loss that was priced before, by this version, costs the same again.
Offers Ledger::offers(const BudgetStatus& status, const Spending& spending,
                      const std::string& loss) {
  if (!spending.slack && !loss.empty()) {
    Offers before;
    for (const Database::Row& row : database_->ask(
             "SELECT body FROM modicum_entries WHERE loss = $1 ORDER BY number DESC LIMIT 8",
             {loss})) {
      const Value body = parse_json(*row.front());
      if (body.contains("price") && body.at("version") == Value(version) &&
          body.at("budget") == Value(status.name))
        before.prices.push_back(clocks_in(body.at("price")));
    }
    if (best_of(before.prices, status.total, status.expenses.of_part(spending.part)) != nullptr)
      return before;
  }
  const Clocks left = status.left(spending.part);
  const auto rho = left.zcdp.is_zero() || spending.description.is_null()
                       ? std::nullopt
                       : concentration_of(spending.description);
  return offers_for(spending.loss, status.total, left, spending.slack, rho);
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

void Ledger::settle(std::int64_t number, EntryState state, const std::string& certificate_sha256,
                    const std::string& file_sha256, const Circumstances& circumstances) {
  if (state != EntryState::released && state != EntryState::failed)
    throw Error("an entry is released or failed");
  database_->change([&] {
    const Entry before = entry(number);
    if (before.state != EntryState::reserved || before.body.contains("plan"))
      throw InvalidParameter("entry", fmt::format("{}", number), "must be one that is reserved");
    append({before.budget,
            state,
            number,
            "",
            {{"certificate_sha256", certificate_sha256}, {"file_sha256", file_sha256}}},
           circumstances);
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
