// What a budget is, how it is declared and how it is kept.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/cells/number_text.h"
#include "ledger/charging.h"
#include "ledger/earlier_unit.h"
#include "ledger/record.h"

namespace modicum {

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

Clocks BudgetDeclaration::check() const {
  for (const auto& [field, text] :
       {std::pair{"budget", name}, {"unit_words", unit_words}, {"population", population}})
    if (text.size() > 200 || one_line(text, 1000) != text)
      throw InvalidParameter(field, in_quotes(one_line(text, 200)),
                             "must be a line of text of at most 200 bytes");
  if (name.empty()) throw InvalidParameter("budget", "empty", "must be a name");
  if (!partitions.empty() && neighbors != Adjacency::add_remove && !one_part_each)
    throw InvalidParameter(
        "neighbors", word_of(adjacency_words(), neighbors),
        "must be add_remove for a budget with parts: a record that changes leaves one part and "
        "enters another; give `one_part_each` if it is public knowledge that none can");
  if (!unit.is_row()) unit_in("unit", unit.column);
  if (!partitions.empty() && !unit.is_row() && !one_part_each)
    throw InvalidParameter(
        "parts", in_quotes(partitions.front().name),
        fmt::format("must not be given for {}: a person may have rows in several parts, and would "
                    "be charged for one of them only; give `one_part_each` if it is public "
                    "knowledge that nobody has",
                    unit.words()));
  if (one_part_each &&
      (partitions.empty() || (unit.is_row() && neighbors == Adjacency::add_remove)))
    throw UsageError(
        "`one_part_each` must not be given without `parts`, and a person as `unit` or records that "
        "are replaced");
  for (std::size_t i = 0; i < partitions.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (partitions[i].name == partitions[k].name)
        throw InvalidParameter("parts", in_quotes(partitions[i].name), "must be declared once");
  return split(terms);
}

BudgetStatus Ledger::create(const BudgetDeclaration& declaration,
                            const Circumstances& circumstances) {
  const BudgetTerms& terms = declaration.terms;
  BudgetStatus status{declaration.name, Value::record(), declaration.check()};
  status.declared = {{"epsilon", terms.epsilon},
                     {"delta", terms.delta},
                     {"mu", terms.mu},
                     {"rho", terms.rho},
                     {"neighbors", word_of(adjacency_words(), declaration.neighbors)},
                     {"unit", declaration.unit.tree()},
                     {"unit_words", declaration.unit_words},
                     {"population", declaration.population}};
  status.unit = declaration.unit;
  if (declaration.one_part_each) status.declared["one_part_each"] = true;
  for (const Partition& each : declaration.partitions) {
    Value& all = status.declared["partitions"];
    if (all.is_null()) all = Value::record();
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
    row.insert(row.end(),
               {"0", word_of(charged_guarantees(), Guarantee::proved), "", unit_text(status.unit)});
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

}  // namespace modicum
