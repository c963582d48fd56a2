// The functions that a query may use: each depends on its arguments alone and is defined, or NULL,
// for all of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "data/cells/number_text.h"
#include "data/queries/duckdb_library.h"
#include "data/queries/query_expression.h"

namespace modicum::data {
namespace {

using Arguments = std::vector<QueryExpression>;

// {0}, {1}: the arguments as the kinds say. The same one may stand twice: it has no side effects.
struct QueryFunction {
  std::vector<QueryKind> kinds;
  const char* sql;
  QueryKind result;
  const char* type = nullptr;  // of the result, if it is not that of its kind
};

constexpr QueryKind real_kind = QueryKind::real, text_kind = QueryKind::text,
                    whole_kind = QueryKind::whole, truth_kind = QueryKind::truth;

const std::multimap<std::string, QueryFunction>& plain_functions() {
  static const std::multimap<std::string, QueryFunction> all{
      {"+", {{real_kind, real_kind}, "({0} + {1})", real_kind}},
      {"+", {{real_kind}, "{0}", real_kind}},
      {"-", {{real_kind, real_kind}, "({0} - {1})", real_kind}},
      {"-", {{real_kind}, "(-{0})", real_kind}},
      {"*", {{real_kind, real_kind}, "({0} * {1})", real_kind}},
      {"/", {{real_kind, real_kind}, "({0} / {1})", real_kind}},
      {"%", {{real_kind, real_kind}, "({0} % {1})", real_kind}},
      {"mod", {{real_kind, real_kind}, "({0} % {1})", real_kind}},
      {"^", {{real_kind, real_kind}, "pow({0}, {1})", real_kind}},
      {"**", {{real_kind, real_kind}, "pow({0}, {1})", real_kind}},
      {"pow", {{real_kind, real_kind}, "pow({0}, {1})", real_kind}},
      {"power", {{real_kind, real_kind}, "pow({0}, {1})", real_kind}},
      {"abs", {{real_kind}, "abs({0})", real_kind}},
      {"floor", {{real_kind}, "floor({0})", real_kind}},
      {"ceil", {{real_kind}, "ceil({0})", real_kind}},
      {"ceiling", {{real_kind}, "ceil({0})", real_kind}},
      {"round", {{real_kind}, "round({0})", real_kind}},
      {"trunc", {{real_kind}, "trunc({0})", real_kind}},
      {"sign", {{real_kind}, "sign({0})", whole_kind, "TINYINT"}},
      {"exp", {{real_kind}, "exp({0})", real_kind}},
      {"sqrt", {{real_kind}, "sqrt(CASE WHEN {0} >= 0 THEN {0} END)", real_kind}},
      {"ln", {{real_kind}, "ln(CASE WHEN {0} > 0 THEN {0} END)", real_kind}},
      {"log10", {{real_kind}, "log10(CASE WHEN {0} > 0 THEN {0} END)", real_kind}},
      {"log2", {{real_kind}, "log2(CASE WHEN {0} > 0 THEN {0} END)", real_kind}},
      {"lower", {{text_kind}, "lower({0})", text_kind}},
      {"upper", {{text_kind}, "upper({0})", text_kind}},
      {"trim", {{text_kind}, "trim({0})", text_kind}},
      {"ltrim", {{text_kind}, "ltrim({0})", text_kind}},
      {"rtrim", {{text_kind}, "rtrim({0})", text_kind}},
      {"length", {{text_kind}, "length({0})", whole_kind}},
      {"||", {{text_kind, text_kind}, "({0} || {1})", text_kind}},
      {"starts_with", {{text_kind, text_kind}, "starts_with({0}, {1})", truth_kind}},
      {"prefix", {{text_kind, text_kind}, "starts_with({0}, {1})", truth_kind}},
      {"ends_with", {{text_kind, text_kind}, "suffix({0}, {1})", truth_kind}},
      {"suffix", {{text_kind, text_kind}, "suffix({0}, {1})", truth_kind}},
      {"contains", {{text_kind, text_kind}, "contains({0}, {1})", truth_kind}}};
  return all;
}

QueryExpression made(std::string sql, QueryKind kind, const char* type = nullptr) {
  return {std::move(sql), type != nullptr ? type : type_of_kind(kind), kind};
}

std::int64_t whole_constant(const QueryExpression& value, std::int64_t least, std::int64_t most,
                            const char* what) {
  if (!value.number || *value.number < least || *value.number > most)
    refuse_query(fmt::format("{} that is no whole number from {} to {} written in the query", what,
                             least, most));
  return *value.number;
}

const std::string& text_constant(const QueryExpression& value, const char* what) {
  if (!value.literal) refuse_query(fmt::format("{} that is no text written in the query", what));
  return *value.literal;
}

// Behind a % the database tries every place; with another behind it, every pair of places, so that
// one long cell could hold up a run. A % at the end costs nothing.
const std::string& quick_pattern(const QueryExpression& value) {
  const std::string& pattern = text_constant(value, "a pattern");
  const auto all = std::ranges::count(pattern, '%');
  if (all > 2 || (all == 2 && !pattern.ends_with('%')))
    refuse_query(
        "a pattern with several % (there may be one, and one more at the end), slow for long "
        "texts; write contains(text, 'part'), starts_with or ends_with");
  return pattern;
}

// a LIKE 'pattern'.
std::optional<QueryExpression> pattern_match(const std::string& name, const Arguments& values,
                                             const QueryScope& scope) {
  static const std::map<std::string, const char*> words{
      {"~~", "LIKE"}, {"!~~", "NOT LIKE"}, {"~~*", "ILIKE"}, {"!~~*", "NOT ILIKE"}};
  const auto word = words.find(name);
  if (word == words.end() || values.size() != 2) return {};
  return made(fmt::format("({} {} {})", as_kind(values[0], text_kind, scope), word->second,
                          quoted_text(quick_pattern(values[1]))),
              truth_kind);
}

// A longer text in its place, several times over, would let one cell take all memory.
std::string replacement(const Arguments& values, const QueryScope& scope) {
  const std::string& from = text_constant(values[1], "a text to replace");
  const std::string& to = text_constant(values[2], "a text in its place");
  if (from.empty()) refuse_query("an empty text to replace");
  if (to.size() > from.size())
    refuse_query(
        "a text in place of a shorter one (in bytes), which could make cells too long for memory");
  return fmt::format("replace({}, {}, {})", as_kind(values[0], text_kind, scope), quoted_text(from),
                     quoted_text(to));
}

std::optional<QueryExpression> part_of_text(const std::string& name, const Arguments& values,
                                            const QueryScope& scope) {
  constexpr std::int64_t most = 1000000;
  if ((name == "substr" || name == "substring") && (values.size() == 2 || values.size() == 3)) {
    std::string sql = fmt::format("substring({}, {}", as_kind(values[0], text_kind, scope),
                                  whole_constant(values[1], 1, most, "a place in a text"));
    if (values.size() == 3)
      sql += fmt::format(", {}", whole_constant(values[2], 0, most, "a length of a text"));
    return made(sql + ")", text_kind);
  }
  if ((name == "left" || name == "right") && values.size() == 2)
    return made(fmt::format("{}({}, {})", name == "left" ? "\"left\"" : "\"right\"",
                            as_kind(values[0], text_kind, scope),
                            whole_constant(values[1], 0, most, "a length of a text")),
                text_kind);
  if (name == "replace" && values.size() == 3) return made(replacement(values, scope), text_kind);
  if (name == "concat" && !values.empty()) {
    std::string sql;
    for (const QueryExpression& each : values)
      sql += (sql.empty() ? "concat(" : ", ") + as_kind(each, text_kind, scope);
    return made(sql + ")", text_kind);
  }
  return {};
}

std::string calendar(const QueryExpression& value, const QueryScope& scope) {
  return as_kind(value, value.kind == QueryKind::moment ? QueryKind::moment : QueryKind::date,
                 scope);
}

std::optional<QueryExpression> part_of_date(const std::string& name, const Arguments& values,
                                            const QueryScope& scope) {
  static constexpr std::array parts{"year",   "quarter", "month",     "day",  "dayofweek", "dow",
                                    "isodow", "doy",     "dayofyear", "hour", "minute"};
  const auto is_part = [](const std::string& part) {
    return std::ranges::find(parts, part) != parts.end();
  };
  if (values.size() == 1 && is_part(name))
    return made(fmt::format("date_part({}, {})", quoted_text(name), calendar(values[0], scope)),
                whole_kind);
  if ((name == "date_part" || name == "datepart") && values.size() == 2) {
    const std::string& part = text_constant(values[0], "a part of a date");
    if (!is_part(part)) refuse_query("a part of a date that is not known here");
    return made(fmt::format("date_part({}, {})", quoted_text(part), calendar(values[1], scope)),
                whole_kind);
  }
  if ((name == "date_diff" || name == "datediff") && values.size() == 3) {
    const std::string& part = text_constant(values[0], "a unit of time");
    if (part != "day" && part != "month" && part != "year")
      refuse_query("a unit of time other than day, month and year");
    return made(fmt::format("date_diff({}, {}, {})", quoted_text(part),
                            as_kind(values[1], QueryKind::date, scope),
                            as_kind(values[2], QueryKind::date, scope)),
                whole_kind);
  }
  return {};
}

// Of several values, one.
std::optional<QueryExpression> chosen_value(const std::string& name, const Arguments& values,
                                            const QueryScope& scope) {
  const bool several = (name == "greatest" || name == "least") && !values.empty();
  const bool two = (name == "nullif" || name == "ifnull") && values.size() == 2;
  if (!several && !two) return {};
  const QueryKind kind = common_kind(values);
  std::string sql;
  for (const QueryExpression& each : values)
    sql += (sql.empty() ? (name == "ifnull" ? "coalesce" : name) + "(" : ", ") +
           as_kind(each, kind, scope);
  return made(sql + ")", kind);
}

}  // namespace

void refuse_many_rows(const std::string& name) {
  static constexpr std::array aggregates{
      "count_star", "count",      "sum",    "avg",       "mean",  "min",
      "max",        "median",     "stddev", "variance",  "first", "last",
      "any_value",  "string_agg", "list",   "array_agg", "mode",  "quantile"};
  if (std::ranges::find(aggregates, name) != aggregates.end())
    refuse_query(
        fmt::format("the aggregate {}: it makes one row of many; the statistic is for the "
                    "release to compute",
                    name == "count_star" ? "count(*)" : name));
  if (name == "unnest" || name == "generate_series" || name == "range")
    refuse_query(fmt::format("the function {}, which makes several rows of one", name));
}

std::optional<QueryExpression> checked_function(const std::string& name, const Arguments& values,
                                                const QueryScope& scope) {
  const auto [first, last] = plain_functions().equal_range(name);
  for (auto each = first; each != last; ++each) {
    const QueryFunction& own = each->second;
    if (own.kinds.size() != values.size()) continue;
    std::vector<std::string> sql;
    for (std::size_t i = 0; i < values.size(); ++i)
      sql.push_back(as_kind(values[i], own.kinds[i], scope));
    sql.resize(2);
    return made(fmt::format(fmt::runtime(own.sql), sql[0], sql[1]), own.result, own.type);
  }
  if (name == "round" && values.size() == 2) {
    constexpr std::int64_t digits = 15;
    return made(fmt::format("round({}, {})", as_kind(values[0], real_kind, scope),
                            whole_constant(values[1], 0, digits, "a number of digits")),
                real_kind);
  }
  for (const auto& group : {pattern_match, part_of_text, part_of_date, chosen_value})
    if (auto found = group(name, values, scope)) return found;
  return {};
}

}  // namespace modicum::data
