// Several budgets that protect the same records.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/cells/number_text.h"
#include "interfaces/ledger/place.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

constexpr double delta_where_none_is_declared = 1e-6;

std::vector<std::string> names_of(const std::vector<BudgetStatus>& budgets) {
  std::vector<std::string> names;
  for (const BudgetStatus& each : budgets) names.push_back(one_line(each.name, 200));
  return names;
}

}  // namespace

double SharedPopulation::delta() const {
  double sum = 0.0;
  bool undeclared = false;
  for (const BudgetStatus& each : budgets) {
    const Value& declared = each.declared.at("delta");
    if (!declared.is_null()) sum += declared.number();
    else sum += each.total.slack.upper();
    undeclared = undeclared || declared.is_null();
  }
  return std::min(1.0, undeclared ? sum + delta_where_none_is_declared : sum);
}

std::optional<double> SharedPopulation::epsilon() const {
  std::vector<Clocks> spent;
  for (const BudgetStatus& each : budgets) spent.push_back(allowed(each.total));
  try {
    return epsilon_at(loss_of(spent), delta(), Accuracy::certified).value.upper();
  } catch (const TargetUnreachable&) {
    return std::nullopt;
  } catch (const InvalidParameter&) {  // clocks beyond doubles
    return std::nullopt;
  }
}

Value SharedPopulation::tree() const {
  return {{"population", population},
          {"budgets", names_of(budgets)},
          {"neighbors", budgets.front().declared.at("neighbors")},
          {"unit", budgets.front().unit->tree()},
          {"epsilon", epsilon()},
          {"delta", delta()}};
}

std::string SharedPopulation::sentence() const {
  const std::optional<double> found = epsilon();
  return fmt::format(
      "\nThe budgets {} {}: all together they promise {}.\n", fmt::join(names_of(budgets), ", "),
      population.empty() ? "name no population, and may protect the same records"
                         : "protect the same population",
      found ? fmt::format("({}, {})-differential privacy", rounded_up(*found), rounded_up(delta()))
            : "what composing them gives");
}

std::vector<SharedPopulation> shared_populations(const std::vector<BudgetStatus>& budgets) {
  std::map<std::vector<std::string>, SharedPopulation> all;
  for (const BudgetStatus& each : budgets) {
    if (!each.unit) continue;
    const std::string& population = each.declared.at("population").text();
    SharedPopulation& own =
        all[{population, each.declared.at("neighbors").text(), each.unit->column}];
    own.population = population;
    own.budgets.push_back(each);
  }
  std::vector<SharedPopulation> several;
  for (auto& [key, own] : all)
    if (own.budgets.size() > 1) several.push_back(std::move(own));
  return several;
}

std::string UnlikeBudgets::reason() const {
  return fmt::format(
      "{} but not the same neighbors or units: what they promise together is not told",
      population.empty() ? "name no population and may protect the same records,"
                         : "protect the same population,");
}

Value UnlikeBudgets::tree() const {
  return {{"population", population}, {"budgets", names}, {"reason", "they " + reason()}};
}

std::vector<UnlikeBudgets> unlike_budgets(const std::vector<BudgetStatus>& budgets) {
  std::map<std::string, std::vector<BudgetStatus>> by_population;
  for (const BudgetStatus& each : budgets)
    by_population[each.declared.at("population").text()].push_back(each);
  std::vector<UnlikeBudgets> all;
  for (const auto& [population, same] : by_population) {
    const BudgetStatus& first = same.front();
    const auto is_like_first = [&](const BudgetStatus& each) {
      return each.unit && each.unit == first.unit &&
             each.declared.at("neighbors") == first.declared.at("neighbors");
    };
    if (same.size() > 1 && !std::ranges::all_of(same, is_like_first))
      all.push_back({population, names_of(same)});
  }
  return all;
}

std::string shared_in_words(const std::vector<BudgetStatus>& budgets) {
  std::string sentences;
  for (const SharedPopulation& each : shared_populations(budgets)) sentences += each.sentence();
  for (const UnlikeBudgets& each : unlike_budgets(budgets))
    sentences += fmt::format("\nThe budgets {} {}.\n", fmt::join(each.names, ", "), each.reason());
  return sentences;
}

}  // namespace modicum
