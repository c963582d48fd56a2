#include "modicum/data/gathered.h"

namespace modicum {
namespace {

void add_to(Integer128& sum, Integer128 more) {
  if (__builtin_add_overflow(sum, more, &sum))
    throw Error("gathered sums do not fit into 128 bits; nothing is released");
}

void add_to(std::vector<Integer128>& sum, const std::vector<Integer128>& more) {
  if (sum.size() != more.size())
    throw Error("gathered pieces have sums of different lengths; nothing is released");
  for (std::size_t i = 0; i < sum.size(); ++i) add_to(sum[i], more[i]);
}

Value dates_of(const FieldRules& rules) {
  Value dates = Value::record();
  for (const auto& [column, unit] : rules.dates) dates[column] = static_cast<int>(unit);
  return dates;
}

// One of the values 0 to `last` of an enumeration.
template <class Kind>
Kind kind_in(const Value& value, Kind last) {
  const std::int64_t place = value.whole();
  if (place < 0 || place > static_cast<std::int64_t>(last))
    throw Error("a gathered piece has a rule that is not known");
  return static_cast<Kind>(place);
}

}  // namespace

WholeSums& WholeSums::operator+=(const WholeSums& more) {
  add_to(entries, more.entries);
  for (const auto& [cell, own] : more.groups) {
    std::vector<Integer128>& sum = groups[cell];
    if (sum.empty()) sum = own;
    else add_to(sum, own);
  }
  for (const auto& [point, count] : more.points) add_to(points[point], count);
  return *this;
}

Value to_value(const TableShape& shape) {
  const FileAssumptions& assumed = shape.assumptions;
  const FieldRules& rules = assumed.rules;
  return Value{{"columns", shape.columns},
               {"malformed_rows_end_the_run", shape.bad_rows == BadRows::refused},
               {"multiline", assumed.multiline},
               {"width_of_first_line", assumed.width_of_first_line},
               {"header", assumed.header},
               {"public_shape", assumed.public_shape},
               {"decimal_comma", rules.decimal == ','},
               {"missing_is_a_category", rules.missing == MissingValues::category},
               {"booleans", rules.booleans},
               {"dates", dates_of(rules)},
               {"date_order", static_cast<int>(rules.date_order)},
               {"query", assumed.query},
               {"query_rule", assumed.query_rule},
               {"typed", assumed.typed}};
}

TableShape shape_in(const Value& value) {
  TableShape shape;
  shape.columns = value.at("columns").texts();
  if (value.at("malformed_rows_end_the_run").boolean()) shape.bad_rows = BadRows::refused;
  FileAssumptions& assumed = shape.assumptions;
  assumed.multiline = value.at("multiline").boolean();
  assumed.width_of_first_line = value.at("width_of_first_line").boolean();
  assumed.header = value.at("header").boolean();
  assumed.public_shape = value.at("public_shape").boolean();
  assumed.query = value.at("query").text();
  assumed.query_rule = value.at("query_rule").text();
  assumed.typed = value.at("typed").boolean();
  FieldRules& rules = assumed.rules;
  rules.decimal = value.at("decimal_comma").boolean() ? ',' : '.';
  if (value.at("missing_is_a_category").boolean()) rules.missing = MissingValues::category;
  rules.booleans = value.at("booleans").texts();
  for (const auto& [column, unit] : value.at("dates").members())
    rules.dates.emplace(column, kind_in(unit, DateUnit::weekday));
  rules.date_order = kind_in(value.at("date_order"), DateOrder::month_first);
  return shape;
}

WholeSums sums_over(const Table& table, const Value& question, std::size_t entries,
                    const std::function<WholeSums()>& read) {
  WholeSums sums = table.elsewhere() ? table.elsewhere()->sums(question) : read();
  if (sums.entries.size() != entries)
    throw Error("gathered pieces answer with another number of sums; nothing is released");
  return sums;
}

Value to_value(const RowRule& rule) {
  const bool ones = rule.width() > rule.table_columns().size();
  Value ranges = Value::record();
  for (const auto& [name, range] : rule.ranges())
    ranges[name] = std::vector<double>{range.low, range.high};
  return Value{{"columns", std::vector<std::string>(rule.names().begin() + (ones ? 1 : 0),
                                                    rule.names().end())},
               {"ranges", std::move(ranges)},
               {"intercept", ones}};
}

RowRule rule_in(const Table& table, const Value& value) {
  std::map<std::string, Range> ranges;
  for (const auto& [name, ends] : value.at("ranges").members()) {
    const std::vector<double> both = ends.numbers();
    if (both.size() != 2) throw Error("a range must have two ends");
    ranges.emplace(name, Range(both[0], both[1]));
  }
  const std::vector<std::string> columns = value.at("columns").texts();
  if (columns.empty()) throw Error("a question must name a column");
  return {table, columns, ranges, value.at("intercept").boolean()};
}

}  // namespace modicum
