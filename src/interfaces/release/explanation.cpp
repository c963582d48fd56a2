#include "interfaces/release/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "data/cells/number_text.h"
#include "modicum/release/certificate.h"

namespace modicum {
namespace {

constexpr std::size_t longest_name = 40;

std::string number_in_words(const std::optional<Range>& range) {
  return range ? fmt::format("a number, clamped to [{}, {}] and mapped onto [-1, 1]", range->low,
                             range->high)
               : "a number, as it is";
}

ColumnUse number_use(std::size_t column, const std::optional<Range>& range) {
  return {column, "number", number_in_words(range), range};
}

ColumnUse target_use(std::size_t column, const std::optional<Range>& range) {
  return {column, "target", "to be predicted: " + number_in_words(range), range};
}

std::string known_of(const FileAssumptions& files) {
  if (!files.query.empty()) return "the query, the names of columns and the options";
  if (files.typed) return "the names of columns and the options";
  if (files.public_shape) return "the options, the header and the shape of the first row";
  return files.width_of_first_line ? "the options and the number of fields in the first line"
                                   : "the header and the options";
}

// What the rules of the table make of a field before it is used.
std::string read_as(const Table& table, const ColumnUse& use) {
  const FieldRules& rules = table.assumptions().rules;
  const std::string& name = table.columns()[use.column];
  const bool category = use.use == "category";
  std::string words;
  if (std::ranges::find(rules.booleans, name) != rules.booleans.end())
    words = category ? "true or false (also yes, no, t, f, y, n, 1, 0): "
                     : "1 for true, 0 for false (also yes, no, t, f, y, n, 1, 0): ";
  if (const auto date = rules.dates.find(name); date != rules.dates.end())
    words = fmt::format("of a date, {}, its {}: ", to_string(rules.date_order),
                        date->second == DateUnit::days    ? "days since 1970-01-01"
                        : date->second == DateUnit::years ? "year with a fraction"
                                                          : to_string(date->second));
  return words;
}

std::string which_rows_count(const TableSource& source, const Table& table,
                             const std::vector<ColumnUse>& uses) {
  const FieldRules& rules = table.assumptions().rules;
  bool numbers = false, categories = false;
  for (const ColumnUse& each : uses) (each.use != "category" ? numbers : categories) = true;
  std::string needs;
  if (numbers)
    needs = fmt::format(" and a finite number{} in every column that is used as one",
                        rules.decimal == ',' ? ", such as 3,5," : "");
  const bool dropped = rules.missing == MissingValues::dropped;
  if (categories && dropped) needs += ", and a value in every column of categories";
  std::string words = fmt::format("A row counts if it has {} field{}{}.\n", table.columns().size(),
                                  table.columns().size() == 1 ? "" : "s", needs);
  if (categories && !dropped)
    words += "An empty field, NA, N/A, NaN or null in a column of categories is \"missing\".\n";
  return words + (source.bad_rows() == BadRows::dropped
                      ? "All others are dropped silently.\n"
                      : "Any other ends the run, which is not private.\n");
}

Reply explained_labeled(const TableSource& source, const Table& table, const RowRule& features,
                        double row_norm_bound, ColumnUse response) {
  std::vector<ColumnUse> uses = uses_of(features);
  table.require_numbers(response.column);
  uses.push_back(std::move(response));
  return explained(source, table, uses, row_norm_bound);
}

}  // namespace

void ExplainField::fields(Fields& fields) {
  Field& field =
      fields.add("explain", explain,
                 "only say what would be done with each column, from the header and the options:\n"
                 "no row is read, nothing is released, and no budget or output is needed; with a\n"
                 "budget also what would be promised, how large the noise is and what it costs");
  field.set = [set = field.set, &fields](const Value& given) {
    set(given);
    for (const char* name : {"output", "epsilon", "delta"})
      if (Field* other = fields.find(name)) other->is_required = false;
  };
}

std::vector<ColumnUse> uses_of(const RowRule& rule, const std::string& target) {
  const std::size_t first = rule.width() - rule.table_columns().size();  // behind the ones
  std::vector<ColumnUse> uses;
  for (std::size_t i = 0; i < rule.table_columns().size(); ++i) {
    const std::string& name = rule.names()[first + i];
    const auto found = rule.ranges().find(name);
    const auto range =
        found != rule.ranges().end() ? std::optional<Range>(found->second) : std::nullopt;
    const auto use = !target.empty() && name == target ? target_use : number_use;
    uses.push_back(use(rule.table_columns()[i], range));
  }
  return uses;
}

Reply explained(const TableSource& source, const Table& table, const std::vector<ColumnUse>& uses,
                std::optional<double> row_norm_bound) {
  std::unordered_map<std::size_t, const ColumnUse*> by_column;
  for (const ColumnUse& each : uses) by_column[each.column] = &each;
  ReplyTable columns({"column", "what would be done with it"});
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const auto found = by_column.find(i);
    const ColumnUse* const use = found == by_column.end() ? nullptr : found->second;
    Value entry{{"name", table.columns()[i]}, {"use", use == nullptr ? "none" : use->use}};
    if (use != nullptr && use->range)
      entry["range"] = std::vector<double>{use->range->low, use->range->high};
    columns.add(std::move(entry),
                {one_line(table.columns()[i], longest_name),
                 use == nullptr ? "not used" : read_as(table, *use) + use->words});
  }
  Reply reply;
  reply.say(fmt::format("From {} alone: no {}row was read, and nothing is released.\n",
                        known_of(table.assumptions()),
                        table.assumptions().public_shape ? "other " : ""));
  reply.tell("explained", true);
  reply.add("columns", columns);
  reply.tell("fields", table.columns().size()).tell("bad_rows", to_string(source.bad_rows()));
  reply.say(which_rows_count(source, table, uses));
  if (row_norm_bound) {
    reply.tell("row_norm_bound", *row_norm_bound);
    reply.say(fmt::format("Rows that are longer than {}, in these units, are scaled down to it.\n",
                          *row_norm_bound));
  }
  return reply;
}

Reply explained(const TableSource& source, const RowChoice& choice, const std::string& target) {
  const OpenedTable from(source, choice, target);
  return explained(source, from.table, uses_of(from.rule, target), from.rows.row_norm_bound);
}

Reply explained(const TableSource& source, const RowChoice& choice, const LabelRule& label) {
  const Table table = source.open();
  const RowRule features = choice.feature_rule(table, label.column);
  return explained_labeled(
      source, table, features, choice.norm_bound(features),
      {table.index_of("target", label.column), "label",
       fmt::format("to be predicted: whether a number is above {}", label.threshold)});
}

Reply explained(const TableSource& source, const Table& table, const RowChoice& choice,
                const TargetRule& target) {
  const RowRule features = choice.feature_rule(table, target.column, true);
  return explained_labeled(source, table, features, choice.norm_bound(features),
                           target_use(table.index_of("target", target.column), target.range));
}

}  // namespace modicum
