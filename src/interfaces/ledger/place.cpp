#include "interfaces/ledger/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "data/number_text.h"
#include "modicum/data/json.h"
#include "modicum/ledger/reservation.h"
#include "modicum/release/release_files.h"
#include "release/certificates/read_file.h"

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

// The neighbors that a description names, anywhere in it.
std::optional<Neighbors> neighbors_in(const Value& tree) {
  std::optional<Neighbors> found;
  const auto meet = [&](const std::optional<Neighbors>& other) {
    if (other && found && *other != *found)
      throw TargetUnreachable("parts of this protect different neighbors: they do not add up");
    if (other) found = other;
  };
  if (tree.is_list())
    for (const Value& each : tree.items()) meet(neighbors_in(each));
  if (tree.is_record())
    for (const auto& [key, value] : tree.members()) {
      if (key != "adjacency") meet(neighbors_in(value));
      else if (value.is_text())
        for (const Choice<Neighbors>& each : neighbor_words())
          if (each.word == value.text()) meet(each.value);
    }
  return found;
}

bool is_certificate(const Value& tree) {
  return tree.contains("guarantee") && tree.contains("loss") && tree.contains("mechanism");
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
  fields.add("budget", budget, "its name; may be left out where there is one only")
      .shown_as("NAME");
}

void ChargedLoss::fields(Fields& fields) {
  source.fields(fields);
  fields.add("slack", slack, "pay with this probability of an infinite loss, and with no other");
  fields.choice(
      "guarantee", guarantee, charged_guarantees(),
      "what is known of this loss, proved by default; a certificate that promises less is "
      "refused");
}

Spending ChargedLoss::spending() const {
  if (source.loss) return {source.loss->loss, source.loss->label, {}, guarantee, {}, slack, ""};
  const SourceTree file = tree_of(source);
  if (!is_certificate(file.tree)) {
    const Value tree = file.tree.is_list()
                           ? Value(std::initializer_list<Value::Member>{{"compose", file.tree}})
                           : file.tree;
    const Description found = described(file, tree);
    return {found.loss, found.label, tree, guarantee, neighbors_in(tree), slack, ""};
  }
  Spending spending = spending_of(file.tree, guarantee, file.folder);
  spending.slack = slack;
  if (!file.text.empty()) spending.certificate_sha256 = sha256(file.text);
  return spending;
}

Value numbers_of(const Clocks& clocks) {
  return {{"mu_squared", clocks.mu_squared.upper()},
          {"slack", clocks.slack.upper()},
          {"pure", clocks.pure.upper()}};
}

std::string words_of(const Clocks& clocks) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const Reading& reading) {
    if (!reading.is_zero())
      parts.push_back(fmt::format("{} {}", name, rounded_up(reading.upper())));
  };
  add("mu^2", clocks.mu_squared);
  add("slack", clocks.slack);
  add("pure epsilon", clocks.pure);
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

Value budget_value(const BudgetStatus& status) {
  const auto clock = [](const Reading& total, const Reading& spent) {
    return Value{{"total", total.lower()}, {"spent", spent.upper()}};
  };
  Value entry{{"name", status.name},
              {"epsilon", status.declared.at("epsilon")},
              {"delta", status.declared.at("delta")},
              {"mu_squared", clock(status.total.mu_squared, status.spent.mu_squared)},
              {"slack", clock(status.total.slack, status.spent.slack)},
              {"pure", clock(status.total.pure, status.spent.pure)},
              {"entries", status.entries}};
  for (const char* key : {"mu", "rho", "neighbors", "unit", "population"})
    if (const Value& value = status.declared.at(key); !value.is_null() && value != Value(""))
      entry[key] = value;
  entry["guarantee"] = to_string(status.guarantee);
  return entry;
}

std::string what_is_left_in_words(const BudgetStatus& status) {
  const Clocks left = status.left();
  const double mu_squared = left.mu_squared.lower(), pure = left.pure.lower();
  std::vector<std::string> ways;
  if (mu_squared > 0.0)
    ways.push_back(fmt::format("a standard deviation of at least {}",
                               rounded_up(1.0 / std::sqrt(mu_squared) * (1.0 + 0x1p-50))));
  if (pure > 0.0)
    ways.push_back(
        fmt::format("a Laplace scale of at least {}", rounded_up(1.0 / pure * (1.0 + 0x1p-50))));
  if (ways.empty()) return "Nothing is left.\n";
  return fmt::format("One more answer of sensitivity 1 needs {}.\n", fmt::join(ways, ", or "));
}

void tell_budget(Reply& reply, const BudgetStatus& status) {
  const Value& declared = status.declared;
  const auto number = [&](const char* key) { return declared.at(key).number(); };
  const std::string promise =
      !declared.at("epsilon").is_null()
          ? fmt::format("({}, {})-differential privacy", number("epsilon"), number("delta"))
      : !declared.at("mu").is_null()
          ? fmt::format("Gaussian privacy with mu {}", number("mu"))
          : fmt::format("zero-concentrated privacy with rho {}", number("rho"));
  reply.say(fmt::format(
      "{}: {}{}, neighbors by {}{}, {} {}{}\n", one_line(status.name, 200), promise,
      declared.at("population").text().empty()
          ? ""
          : " for " + one_line(declared.at("population").text(), 200),
      declared.at("neighbors").text(),
      declared.at("unit").text().empty()
          ? ""
          : " (a record is " + one_line(declared.at("unit").text(), 200) + ")",
      status.entries, status.entries == 1 ? "entry" : "entries",
      status.guarantee == Guarantee::proved ? ""
                                            : fmt::format(", {}", to_string(status.guarantee))));
  ReplyTable table({"clock", "in all", "spent", "left"});
  const Clocks left = status.left();
  const auto row = [&](const char* name, const Reading& all, const Reading& spent,
                       const Reading& rest) {
    if (!all.is_zero())
      table.add({}, {name, rounded_down(all.lower()), rounded_up(spent.upper()),
                     rounded_down(rest.lower())});
  };
  row("mu^2", status.total.mu_squared, status.spent.mu_squared, left.mu_squared);
  row("slack", status.total.slack, status.spent.slack, left.slack);
  row("pure epsilon", status.total.pure, status.spent.pure, left.pure);
  reply.add("", table);
  reply.say(what_is_left_in_words(status));
}

}  // namespace modicum
