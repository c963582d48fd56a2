#include "ledger/earlier_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ledger/record.h"
#include "modicum/data/json.h"

namespace modicum {

namespace {

bool has_key(const Value& tree, const char* key) {
  const auto inside = [&](const Value& each) { return has_key(each, key); };
  if (tree.is_list()) return std::ranges::any_of(tree.items(), inside);
  if (!tree.is_record()) return false;
  return tree.contains(key) ||
         std::ranges::any_of(tree.members(),
                             [&](const Value::Member& member) { return inside(member.second); });
}

// Nothing where it cannot be told: a file said what was asked, or a certificate was charged.
std::optional<ProtectedUnit> unit_of_earlier(const Value& body) {
  if (const Value* told = body.find("unit")) return ProtectedUnit::from_tree(*told);
  if (body.at("certificate_sha256") != Value("")) return std::nullopt;
  Value command;
  try {
    command = parse_json(body.at("command").text());
  } catch (const InvalidDescription&) {
    return std::nullopt;
  }
  const Value* unit = command.find("unit");
  if (unit != nullptr && unit->is_text()) return ProtectedUnit{unit->text()};
  if (has_key(command, "unit") || command.contains("jobs")) return std::nullopt;
  return ProtectedUnit{};
}

}  // namespace

void EarlierUnit::take(const Value& body) {
  const std::optional<ProtectedUnit> own = unit_of_earlier(body);
  if (!any_) common_ = own;
  else if (common_ != own) common_.reset();
  any_ = true;
}

std::optional<ProtectedUnit> EarlierUnit::found() const {
  if (!any_) return ProtectedUnit{};
  return in_parts_ && common_ && !common_->is_row() ? std::nullopt : common_;
}

std::string unit_text(const std::optional<ProtectedUnit>& unit) {
  return unit ? one_text(unit->tree()) : "null";
}

void tell_earlier_units(Database& database) {
  std::map<std::string, EarlierUnit> units;
  for (const Database::Row& row : database.ask("SELECT name, declared FROM modicum_budgets"))
    units.emplace(row.front().value_or(""), EarlierUnit(tree_in(row.at(1).value_or("{}"))));
  for (const Database::Row& row : database.ask(
           fmt::format("SELECT {} FROM modicum_entries ORDER BY number", record_columns))) {
    const Record record = record_in(row);
    const auto unit = units.find(record.budget);
    if (unit != units.end() && begun_with(record)) unit->second.take(record.body);
  }
  for (const auto& [name, unit] : units)
    database.ask("UPDATE modicum_budgets SET unit = $1 WHERE name = $2",
                 {unit_text(unit.found()), name});
}

}  // namespace modicum
