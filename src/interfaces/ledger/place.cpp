#include "interfaces/ledger/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "modicum/ledger/reservation.h"
#include "modicum/release/release_files.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/certificate_tree.h"

namespace modicum {
namespace {

std::string user_name() {
  if (const passwd* user = ::getpwuid(::geteuid())) return user->pw_name;
  return fmt::format("user {}", ::geteuid());
}

// The tree, and where paths inside it begin.
struct SourceTree {
  Value tree;
  std::string name, folder, text;
};

SourceTree tree_of(const LossSource& source) {
  if (source.path.empty()) return {source.tree, "", "", ""};
  const bool standard_input = source.path == "-";
  SourceTree result{{},
                    standard_input ? "standard input" : source.path,
                    standard_input ? "" : std::filesystem::path(source.path).parent_path().string(),
                    read_file(source.path)};
  try {
    result.tree = parse_json(result.text);
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(fmt::format("{}: {}", one_line(result.name, 200), error.what()));
  }
  return result;
}

Description described(const SourceTree& source, const Value& tree) {
  try {
    return describe(tree, Accuracy::certified, source.folder);
  } catch (const InvalidDescription& error) {
    if (source.name.empty()) throw;
    throw InvalidDescription(fmt::format("{}: {}", one_line(source.name, 200), error.what()));
  }
}

// Whether a part of a composition is no certificate.
bool has_description(const Value& tree) {
  if (is_certificate(tree)) return false;
  const Value* const parts = tree.is_record() ? tree.find("compose") : nullptr;
  return parts == nullptr || !parts->is_list() ||
         std::ranges::any_of(parts->items(), has_description);
}

// Whom the certificates of a composition protect, if it has any; a part that does not say so is
// about rows.
std::optional<ProtectedUnit> unit_of_parts(const Description& found, const Value& tree) {
  if (found.unit && !found.unit->is_row() && has_description(tree))
    throw InvalidParameter("description", "a composition for different units",
                           "must be charged part by part");
  return found.unit;
}

}  // namespace

void LedgerPlace::fields(Fields& fields) {
  fields.add("ledger", store, "where the ledger is: a file, or postgresql://...")
      .shown_as("STORE")
      .required();
  asked = &fields;
}

Circumstances circumstances_of(const Fields* asked) {
  Value command = Value::record();
  const Value given = asked != nullptr ? asked->values() : Value::record();
  for (const auto& [name, value] : given.members())
    if (name != "ledger") command[name] = value;
  std::string text = json_line(command);
  while (text.ends_with('\n')) text.pop_back();
  return {std::chrono::system_clock::now(), user_name(), text};
}

void BudgetPlace::fields(Fields& fields) {
  ledger.fields(fields);
  fields.add("budget", budget, "its name; may be left out if there is only one").shown_as("NAME");
}

void ChargedLoss::fields(Fields& fields) {
  source.fields(fields);
  fields.add("slack", slack, "pay with exactly this probability of an infinite loss");
  fields.choice(
      "guarantee", guarantee, charged_guarantees(),
      "what is known of this loss, proved by default; a certificate that promises less is "
      "refused");
  fields
      .add("unit", unit,
           "what the loss is about: row, the default, or the column that says whose row it is")
      .shown_as("COLUMN");
  add_part_field(fields, part);
}

void add_part_field(Fields& fields, std::string& part) {
  fields.add("part", part, "whose records are read, where that is one declared part: region=north")
      .shown_as("PARTITION=PART");
}

Spending ChargedLoss::spending() const {
  Spending spending = found();
  spending.slack = slack;
  const std::optional<ProtectedUnit> told =
      unit.empty() ? std::nullopt : std::optional(unit_in("unit", unit));
  if (told && spending.unit && *told != *spending.unit)
    throw InvalidParameter("unit", in_quotes(unit),
                           fmt::format("must be that of the certificate, which protects {}",
                                       one_line(spending.unit->words(), 300)));
  // Who says nothing speaks of rows.
  if (!spending.unit) spending.unit = told.value_or(ProtectedUnit{});
  if (!part.empty()) spending.part = part_in("part", part);
  return spending;
}

Spending ChargedLoss::found() const {
  // Whoever has a loss at hand has said nothing of its neighbors: they are what is usual.
  if (source.loss)
    return {source.loss->loss, source.loss->label, {}, guarantee, Adjacency::add_remove};
  const SourceTree file = tree_of(source);
  if (!is_certificate(file.tree)) {
    const Value tree = file.tree.is_list()
                           ? Value(std::initializer_list<Value::Member>{{"compose", file.tree}})
                           : file.tree;
    const Description found = described(file, tree);
    Spending spending{found.loss, found.label, tree, guarantee, found.adjacency};
    spending.unit = unit_of_parts(found, tree);
    return spending;
  }
  Spending spending = spending_of(file.tree, guarantee, file.folder);
  if (!file.text.empty()) spending.certificate_sha256 = sha256(file.text);
  return spending;
}

Value numbers_of(const Clocks& clocks) {
  Value numbers = Value::record();
  for (const ClockKind& each : clock_kinds)
    if (each.reading != &Clocks::zcdp || !clocks.zcdp.is_zero())
      numbers[each.key] = (clocks.*each.reading).upper();
  return numbers;
}

std::string words_of(const Clocks& clocks) {
  std::vector<std::string> parts;
  for (const ClockKind& each : clock_kinds)
    if (const Reading& reading = clocks.*each.reading; !reading.is_zero())
      parts.push_back(fmt::format("{} {}", each.words, rounded_up(reading.upper())));
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

// An earlier version had words alone.
std::string unit_words_of(const BudgetStatus& status) {
  const Value& unit = status.declared.at("unit");
  return unit.is_text() ? unit.text() : status.declared.at("unit_words").text();
}

std::string unit_clause(const BudgetStatus& status) {
  if (!status.unit) return " of rows or persons, mixed by an earlier version";
  std::string clause = status.unit->is_row() ? "" : " of " + one_line(status.unit->words(), 300);
  if (const std::string words = unit_words_of(status); !words.empty())
    clause += " (a record is " + one_line(words, 200) + ")";
  if (status.declared.contains("one_part_each")) clause += ", each in one part for good";
  return clause;
}

}  // namespace

Value budget_value(const BudgetStatus& status) {
  const Clocks spent = status.spent();
  const auto clock = [&](Reading Clocks::*reading) {
    return Value{{"total", (status.total.*reading).lower()}, {"spent", (spent.*reading).upper()}};
  };
  Value entry{{"name", status.name},
              {"epsilon", status.declared.at("epsilon")},
              {"delta", status.declared.at("delta")},
              {"mu_squared", clock(&Clocks::mu_squared)},
              {"slack", clock(&Clocks::slack)},
              {"pure", clock(&Clocks::pure)},
              {"entries", status.entries}};
  if (!status.total.zcdp.is_zero()) entry["zcdp"] = clock(&Clocks::zcdp);
  for (const char* key : {"mu", "rho", "neighbors", "population"})
    if (const Value& value = status.declared.at(key); !value.is_null() && value != Value(""))
      entry[key] = value;
  entry["unit"] = status.unit ? status.unit->tree() : Value();
  if (const std::string words = unit_words_of(status); !words.empty()) entry["unit_words"] = words;
  entry["guarantee"] = to_string(status.guarantee);
  Value parts = Value::list();
  for (const Partition& partition : status.partitions())
    for (const std::string& name : partition.parts)
      parts.push_back({{"partition", partition.name},
                       {"part", name},
                       {"spent", numbers_of(status.expenses.of_part(Part{partition.name, name}))},
                       {"left", numbers_of(status.left(Part{partition.name, name}))}});
  if (parts.size() > 0) entry["parts"] = parts;
  return entry;
}

std::string what_is_left_in_words(const Clocks& left) {
  const double mu_squared = left.mu_squared.lower(), pure = left.pure.lower(),
               rho = left.zcdp.lower();
  std::vector<std::string> ways;
  if (mu_squared > 0.0)
    ways.push_back(fmt::format("a standard deviation of at least {}",
                               rounded_up(1.0 / std::sqrt(mu_squared) * (1.0 + 0x1p-50))));
  if (pure > 0.0)
    ways.push_back(
        fmt::format("a Laplace scale of at least {}", rounded_up(1.0 / pure * (1.0 + 0x1p-50))));
  if (rho > 0.0)
    ways.push_back(fmt::format("a discrete Gaussian with sigma of at least {}",
                               rounded_up(std::sqrt(0.5 / rho) * (1.0 + 0x1p-50))));
  if (ways.empty()) return "Nothing is left.\n";
  return fmt::format("One more answer of sensitivity 1 needs {}.\n", fmt::join(ways, ", or "));
}

namespace {

std::string promise_in_words(const BudgetStatus& status) {
  const Value& declared = status.declared;
  const auto number = [&](const char* key) { return declared.at(key).number(); };
  if (!declared.at("epsilon").is_null())
    return fmt::format("({}, {})-differential privacy", number("epsilon"), number("delta"));
  std::string words = !declared.at("mu").is_null()
                          ? fmt::format("Gaussian privacy with mu {}", number("mu"))
                          : fmt::format("zero-concentrated privacy with rho {}", number("rho"));
  if (!status.total.pure.is_zero())
    words += fmt::format(" beside a pure epsilon of {}", status.total.pure.upper());
  if (!status.total.slack.is_zero())
    words += fmt::format(" except with probability {}", rounded_up(status.total.slack.upper()));
  return words;
}

}  // namespace

std::string promise_line(const BudgetStatus& status) {
  const Value& declared = status.declared;
  return fmt::format("{}{}, neighbors by {}{}, {} {}{}", promise_in_words(status),
                     declared.at("population").text().empty()
                         ? ""
                         : " for " + one_line(declared.at("population").text(), 200),
                     declared.at("neighbors").text(), unit_clause(status), status.entries,
                     status.entries == 1 ? "entry" : "entries",
                     status.guarantee == Guarantee::proved
                         ? ""
                         : fmt::format(", {}", to_string(status.guarantee)));
}

std::vector<std::vector<std::string>> clock_rows(const BudgetStatus& status) {
  std::vector<std::vector<std::string>> rows{{"clock", "in all", "spent", "left"}};
  const Clocks left = status.left(), spent = status.spent();
  for (const auto& [key, words, clock] : clock_kinds)
    if (!(status.total.*clock).is_zero())
      rows.push_back({words, rounded_down((status.total.*clock).lower()),
                      rounded_up((spent.*clock).upper()), rounded_down((left.*clock).lower())});
  return rows;
}

std::vector<std::vector<std::string>> part_rows(const BudgetStatus& status) {
  std::vector<std::vector<std::string>> rows{{"part", "spent by its records"}};
  for (const Partition& partition : status.partitions())
    for (const std::string& name : partition.parts)
      rows.push_back({one_line(partition.name + "=" + name, 60),
                      words_of(status.expenses.of_part(Part{partition.name, name}))});
  return rows;
}

std::vector<std::string> entry_heading() {
  return {"entry", "time", "who", "budget", "state", "price", "what"};
}

namespace {

// "laplace, scale 50, sensitivity 1, 20 times".
std::string item_in_words(const Value& item) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : item.members())
    if (key != "count" && key != "steps")
      parts.push_back(key == "mechanism" && value.is_text()
                          ? value.text()
                          : fmt::format("{} {}", key, shown(value)));
  for (const char* key : {"count", "steps"})
    if (const Value* times = item.find(key)) parts.push_back(shown(*times) + " times");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string description_of(const Value& body) {
  const Value* items = body.find("plan");
  if (items == nullptr || items->size() == 1) return body.at("description").text();
  std::vector<std::string> all;
  for (const Value& each : items->items()) all.push_back(item_in_words(each));
  return fmt::format("{}", fmt::join(all, "; "));
}

}  // namespace

std::vector<std::vector<std::string>> entry_rows(const Entry& entry) {
  const std::string budget = one_line(
      entry.part ? fmt::format("{}, {}={}", entry.budget, entry.part->partition, entry.part->name)
                 : entry.budget,
      60);
  const auto row = [&](std::string number, const Value& body, std::string state,
                       std::string price) -> std::vector<std::string> {
    return {std::move(number),
            body.at("time").text(),
            one_line(body.at("who").text(), 40),
            budget,
            std::move(state),
            std::move(price),
            one_line(description_of(body), body.contains("plan") ? 300 : 100)};
  };
  std::vector<std::vector<std::string>> rows{row(
      std::to_string(entry.number), entry.body,
      entry.drawn == 0 ? word_of(state_words(), entry.state) : fmt::format("drawn {}", entry.drawn),
      words_of(entry.price))};
  for (const Draw& each : entry.draws)
    rows.push_back(row(fmt::format("{} of {}", each.number, entry.number), each.body,
                       word_of(state_words(), each.state), "by the plan"));
  return rows;
}

void tell_budget(Reply& reply, const BudgetStatus& status) {
  const auto add = [&](const std::vector<std::vector<std::string>>& rows) {
    ReplyTable table(rows.front());
    for (std::size_t i = 1; i < rows.size(); ++i) table.add({}, rows[i]);
    reply.add("", table);
  };
  reply.say(fmt::format("{}: {}\n", one_line(status.name, 200), promise_line(status)));
  add(clock_rows(status));
  if (!status.partitions().empty()) {
    add(part_rows(status));
    reply.say("What all have spent is the most that any of their records may have.\n");
  }
  reply.say(what_is_left_in_words(status.left()));
}

}  // namespace modicum
