#include "data/queries/query_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "data/cells/number_text.h"
#include "data/queries/duckdb_library.h"
#include "modicum/data/fields.h"

namespace modicum::data {
namespace {

const char* kind_in_words(QueryKind kind) {
  switch (kind) {
    case QueryKind::nothing:
      return "nothing";
    case QueryKind::truth:
      return "a truth value";
    case QueryKind::whole:
    case QueryKind::huge:
    case QueryKind::real:
      return "a number";
    case QueryKind::text:
      return "text";
    case QueryKind::date:
      return "a date";
    case QueryKind::moment:
      return "a date with a time";
    case QueryKind::other:
      break;
  }
  return "of a type that no cell of a table has";
}

bool is_number(QueryKind kind) {
  return kind == QueryKind::whole || kind == QueryKind::huge || kind == QueryKind::real;
}

bool is_blank(const Value& value) {
  if (value.is_null()) return true;
  if (value.is_bool()) return !value.boolean();
  if (value.is_text()) return value.text().empty();
  if (value.is_list()) return value.size() == 0;
  if (!value.is_record()) return false;
  return std::ranges::all_of(value.members(), [](const Value::Member& each) {
    return (each.first == "type" && each.second == Value("ORDER_MODIFIER")) ||
           is_blank(each.second);
  });
}

const std::string& text_in(const Value& node, const char* key) {
  const Value* const found = node.find(key);
  if (found == nullptr || !found->is_text()) refuse_query("something that is not known here");
  return found->text();
}

const Value& member(const Value& node, const char* key) {
  const Value* const found = node.find(key);
  if (found == nullptr) refuse_query("something that is not known here");
  return *found;
}

const Value::List& list_in(const Value& node, const char* key) {
  const Value& found = member(node, key);
  if (!found.is_list()) refuse_query("something that is not known here");
  return found.items();
}

// Whatever is said of a node beside what it is about.
void require_node(const Value& node, std::vector<std::string> known) {
  known.insert(known.end(), {"class", "type", "query_location"});
  require_known_members(node, known);
}

QueryExpression whole_literal(const Value& value) {
  if (!value.is_whole()) refuse_query("a whole number of more than 18 digits");
  return {
      fmt::format("({})::BIGINT", value.whole()), "BIGINT", QueryKind::whole, {}, value.whole()};
}

QueryExpression real_literal(const std::string& digits) {
  const double number = std::strtod(digits.c_str(), nullptr);
  if (!std::isfinite(number)) refuse_query("a number that is not finite");
  return {fmt::format("({:.17e})::DOUBLE", number), "DOUBLE", QueryKind::real};
}

QueryExpression text_literal(const std::string& text) {
  if (text.find('\0') != std::string::npos) refuse_query("a text with a NUL character");
  return {quoted_text(text), "VARCHAR", QueryKind::text, text};
}

QueryExpression constant(const Value& node) {
  require_node(node, {"value"});
  const Value& own = member(node, "value");
  require_known_members(own, {"type", "is_null", "value"});
  const std::string& type = text_in(member(own, "type"), "id");
  if (const Value* const null = own.find("is_null"); null != nullptr && *null == Value(true))
    return {"NULL", "", QueryKind::nothing};
  const Value& value = member(own, "value");
  if (type == "VARCHAR" && value.is_text()) return text_literal(value.text());
  if (type == "BOOLEAN" && value.is_bool())
    return {value.boolean() ? "true" : "false", "BOOLEAN", QueryKind::truth};
  if (type == "INTEGER" || type == "BIGINT" || type == "HUGEINT") return whole_literal(value);
  if (type == "DOUBLE" && value.is_number())
    return real_literal(fmt::format("{:.17e}", value.number()));
  if (type == "DECIMAL" && value.is_whole()) {
    const Value& scale = member(member(member(own, "type"), "type_info"), "scale");
    return real_literal(fmt::format("{}e-{}", value.whole(), scale.whole()));
  }
  if (type == "DECIMAL") refuse_query("a number of more than 18 digits");
  refuse_query("a constant of a type that is not known here");
}

std::vector<QueryExpression> checked_all(const Value::List& nodes, const QueryScope& scope) {
  std::vector<QueryExpression> all;
  for (const Value& each : nodes) all.push_back(checked_expression(each, scope));
  return all;
}

std::vector<std::string> in_common(const std::vector<QueryExpression>& values,
                                   const QueryScope& scope) {
  const QueryKind kind = common_kind(values);
  std::vector<std::string> all;
  for (const QueryExpression& each : values) all.push_back(as_kind(each, kind, scope));
  return all;
}

QueryExpression comparison(const Value& node, const QueryScope& scope) {
  static const std::map<std::string, const char*> signs{
      {"COMPARE_EQUAL", "="},
      {"COMPARE_NOTEQUAL", "<>"},
      {"COMPARE_LESSTHAN", "<"},
      {"COMPARE_GREATERTHAN", ">"},
      {"COMPARE_LESSTHANOREQUALTO", "<="},
      {"COMPARE_GREATERTHANOREQUALTO", ">="},
      {"COMPARE_DISTINCT_FROM", "IS DISTINCT FROM"},
      {"COMPARE_NOT_DISTINCT_FROM", "IS NOT DISTINCT FROM"}};
  require_node(node, {"left", "right"});
  const auto sign = signs.find(text_in(node, "type"));
  if (sign == signs.end()) refuse_query("a comparison that is not known here");
  const auto sides = in_common({checked_expression(member(node, "left"), scope),
                                checked_expression(member(node, "right"), scope)},
                               scope);
  return {fmt::format("({} {} {})", sides[0], sign->second, sides[1]), "BOOLEAN", QueryKind::truth};
}

QueryExpression between(const Value& node, const QueryScope& scope) {
  require_node(node, {"input", "lower", "upper"});
  const auto all = in_common({checked_expression(member(node, "input"), scope),
                              checked_expression(member(node, "lower"), scope),
                              checked_expression(member(node, "upper"), scope)},
                             scope);
  return {fmt::format("({} BETWEEN {} AND {})", all[0], all[1], all[2]), "BOOLEAN",
          QueryKind::truth};
}

std::string joined(const std::vector<std::string>& texts, const std::string& between_them) {
  std::string all;
  for (const std::string& each : texts) all += (all.empty() ? "" : between_them) + each;
  return all;
}

QueryExpression conjunction(const Value& node, const QueryScope& scope) {
  require_node(node, {"children"});
  const std::string& type = text_in(node, "type");
  if (type != "CONJUNCTION_AND" && type != "CONJUNCTION_OR")
    refuse_query("something that is not known here");
  std::vector<std::string> parts;
  for (const Value& each : list_in(node, "children"))
    parts.push_back(checked_condition(each, scope).sql);
  return {"(" + joined(parts, type == "CONJUNCTION_AND" ? " AND " : " OR ") + ")", "BOOLEAN",
          QueryKind::truth};
}

QueryExpression operation(const Value& node, const QueryScope& scope) {
  require_node(node, {"children"});
  const std::string& type = text_in(node, "type");
  const Value::List& children = list_in(node, "children");
  if (type == "OPERATOR_NOT" && children.size() == 1)
    return {fmt::format("(NOT {})", checked_condition(children[0], scope).sql), "BOOLEAN",
            QueryKind::truth};
  if ((type == "OPERATOR_IS_NULL" || type == "OPERATOR_IS_NOT_NULL") && children.size() == 1)
    return {fmt::format("({} {})", checked_expression(children[0], scope).sql,
                        type == "OPERATOR_IS_NULL" ? "IS NULL" : "IS NOT NULL"),
            "BOOLEAN", QueryKind::truth};
  if (type == "OPERATOR_COALESCE" && !children.empty()) {
    const std::vector<QueryExpression> values = checked_all(children, scope);
    const QueryKind kind = common_kind(values);
    return {"coalesce(" + joined(in_common(values, scope), ", ") + ")", type_of_kind(kind), kind};
  }
  if ((type == "COMPARE_IN" || type == "COMPARE_NOT_IN") && children.size() >= 2) {
    const auto all = in_common(checked_all(children, scope), scope);
    return {fmt::format("({} {} ({}))", all[0], type == "COMPARE_IN" ? "IN" : "NOT IN",
                        joined({all.begin() + 1, all.end()}, ", ")),
            "BOOLEAN", QueryKind::truth};
  }
  refuse_query("an operator that is not known here (" + one_line(type, 40) + ")");
}

QueryExpression choice(const Value& node, const QueryScope& scope) {
  require_node(node, {"case_checks", "else_expr"});
  std::vector<std::string> conditions;
  std::vector<QueryExpression> values;
  for (const Value& each : list_in(node, "case_checks")) {
    require_known_members(each, {"when_expr", "then_expr"});
    conditions.push_back(checked_condition(member(each, "when_expr"), scope).sql);
    values.push_back(checked_expression(member(each, "then_expr"), scope));
  }
  values.push_back(checked_expression(member(node, "else_expr"), scope));
  const QueryKind kind = common_kind(values);
  const auto all = in_common(values, scope);
  std::string sql = "CASE";
  for (std::size_t i = 0; i < conditions.size(); ++i)
    sql += fmt::format(" WHEN {} THEN {}", conditions[i], all[i]);
  return {fmt::format("({} ELSE {} END)", sql, all.back()), type_of_kind(kind), kind};
}

QueryExpression cast(const Value& node, const QueryScope& scope) {
  static const std::map<std::string, QueryKind> targets{
      {"BOOLEAN", QueryKind::truth},   {"TINYINT", QueryKind::whole},
      {"SMALLINT", QueryKind::whole},  {"INTEGER", QueryKind::whole},
      {"BIGINT", QueryKind::whole},    {"UTINYINT", QueryKind::whole},
      {"USMALLINT", QueryKind::whole}, {"UINTEGER", QueryKind::whole},
      {"HUGEINT", QueryKind::huge},    {"FLOAT", QueryKind::real},
      {"DOUBLE", QueryKind::real},     {"VARCHAR", QueryKind::text},
      {"DATE", QueryKind::date},       {"TIMESTAMP", QueryKind::moment}};
  require_node(node, {"child", "cast_type", "try_cast"});
  const Value& asked = member(node, "cast_type");
  const auto target = targets.find(text_in(asked, "id"));
  if (target == targets.end())
    refuse_query(
        "a cast to a type that is not known here; there are boolean, integer, bigint, double, "
        "varchar, date, timestamp");
  require_known_members(asked, {"id"});
  const QueryExpression value = checked_expression(member(node, "child"), scope);
  if (value.literal && target->second != QueryKind::text &&
      !scope.can_cast(*value.literal, target->first))
    refuse_query(fmt::format("the constant {}, which is not of type {}", in_quotes(*value.literal),
                             target->first));
  const auto fits = [&](QueryKind from, QueryKind to) {
    if (from == QueryKind::nothing || to == QueryKind::text || from == QueryKind::text ||
        from == to)
      return true;
    const bool calendar = from == QueryKind::date || from == QueryKind::moment;
    return calendar == (to == QueryKind::date || to == QueryKind::moment);
  };
  if (value.kind == QueryKind::other || !fits(value.kind, target->second))
    refuse_query(
        fmt::format("a cast to {} of what is {}", target->first, kind_in_words(value.kind)));
  const std::string sql = fmt::format("TRY_CAST({} AS {})", value.sql, target->first);
  return {value.literal ? sql : within_range(sql, target->first), target->first, target->second};
}

QueryExpression function(const Value& node, const QueryScope& scope) {
  const std::string& name = text_in(node, "function_name");
  refuse_many_rows(name);
  require_node(node, {"function_name", "schema", "children", "is_operator"});
  const std::string& schema = text_in(node, "schema");
  if (!schema.empty() && schema != "main") refuse_query("a function of another schema");
  const std::vector<QueryExpression> arguments = checked_all(list_in(node, "children"), scope);
  if (auto made = checked_function(name, arguments, scope)) return *std::move(made);
  refuse_query(fmt::format(
      "the function {}, which is not one of those that treat rows one by one and cannot fail "
      "(docs/sources.md names them)",
      one_line(name, 40)));
}

}  // namespace

void refuse_query(const std::string& why) {
  throw UsageError(fmt::format(
      "`query` must treat rows one by one, so that a person stays one row, but has {}", why));
}

void require_known_members(const Value& node, const std::vector<std::string>& known) {
  if (!node.is_record()) refuse_query("something that is not known here");
  for (const auto& [key, value] : node.members())
    if (std::ranges::find(known, key) == known.end() && !is_blank(value))
      refuse_query(fmt::format("something that is not known here ({})", one_line(key, 40)));
}

const char* type_of_kind(QueryKind kind) {
  switch (kind) {
    case QueryKind::truth:
      return "BOOLEAN";
    case QueryKind::whole:
      return "BIGINT";
    case QueryKind::huge:
      return "HUGEINT";
    case QueryKind::real:
      return "DOUBLE";
    case QueryKind::date:
      return "DATE";
    case QueryKind::moment:
      return "TIMESTAMP";
    case QueryKind::nothing:
    case QueryKind::text:
    case QueryKind::other:
      break;
  }
  return "VARCHAR";
}

QueryKind common_kind(const std::vector<QueryExpression>& values) {
  QueryKind common = QueryKind::nothing;
  for (const QueryExpression& each : values) {
    const QueryKind own = each.kind;
    if (own == QueryKind::other) refuse_query("a value " + std::string(kind_in_words(own)));
    if (own == common || own == QueryKind::nothing) continue;
    if (common == QueryKind::nothing || common == QueryKind::text) {
      common = own;
      continue;
    }
    if (own == QueryKind::text) continue;
    const auto either = [&](QueryKind kind) { return own == kind || common == kind; };
    if (is_number(own) && is_number(common))
      common = either(QueryKind::real) ? QueryKind::real : QueryKind::huge;
    else if (either(QueryKind::date) && either(QueryKind::moment)) common = QueryKind::moment;
    else
      refuse_query(fmt::format("{} beside {}, of which one must be cast", kind_in_words(common),
                               kind_in_words(own)));
  }
  // Text among whole numbers may have a fraction; numbers that a double cannot tell apart must not.
  const bool texts = std::ranges::any_of(
      values, [](const QueryExpression& each) { return each.kind == QueryKind::text; });
  if (!texts || !is_number(common)) return common;
  constexpr std::int64_t first_unsure = std::int64_t{1} << 53;
  for (const QueryExpression& each : values)
    if (each.number && (*each.number >= first_unsure || *each.number <= -first_unsure))
      refuse_query("a text beside a whole number beyond 2^53; put the number in quotes");
  return QueryKind::real;
}

std::string as_kind(const QueryExpression& value, QueryKind kind, const QueryScope& scope) {
  const char* const type = type_of_kind(kind);
  const auto cast_to = [&](const char* how) {
    return fmt::format("{}({} AS {})", how, value.sql, type);
  };
  if (value.kind == QueryKind::nothing) return cast_to("CAST");
  if (value.type == type) return value.sql;
  if (value.literal && kind != QueryKind::text && !scope.can_cast(*value.literal, type))
    refuse_query(fmt::format("the text {}, where there must be {}", in_quotes(*value.literal),
                             kind_in_words(kind)));
  const bool widened = is_number(value.kind) && is_number(kind) &&
                       (kind == QueryKind::real || value.kind == QueryKind::whole);
  if (widened) return cast_to("CAST");
  const bool fits = value.kind == kind || value.kind == QueryKind::text ||
                    kind == QueryKind::text || (is_number(value.kind) && is_number(kind)) ||
                    (value.kind == QueryKind::date && kind == QueryKind::moment);
  if (!fits || value.kind == QueryKind::other)
    refuse_query(
        fmt::format("{} where there must be {}", kind_in_words(value.kind), kind_in_words(kind)));
  return value.literal ? cast_to("TRY_CAST") : within_range(cast_to("TRY_CAST"), type);
}

// Beyond, the database fails in casts to text and in parts of dates, or crashes, although they are
// tried. Comparing is safe: it looks at the numbers behind.
std::string within_range(const std::string& sql, const std::string& type) {
  struct Range {
    const char *first, *last;
  };
  static const std::map<std::string, Range> ranges{
      {"TIME", {"00:00:00", "23:59:59.999999"}},
      {"DATE", {"0001-01-01", "9999-12-31"}},
      {"TIMESTAMP", {"0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"}},
      {"TIMESTAMP_S", {"0001-01-01 00:00:00", "9999-12-31 23:59:59"}},
      {"TIMESTAMP_MS", {"0001-01-01 00:00:00", "9999-12-31 23:59:59.999"}},
      {"TIMESTAMP_NS", {"1678-01-01 00:00:00", "2261-12-31 23:59:59.999999999"}}};
  const auto found = ranges.find(type);
  if (found == ranges.end()) return sql;
  const auto& [first, last] = found->second;
  return fmt::format("(CASE WHEN {0} BETWEEN {1} '{2}' AND {1} '{3}' THEN {0} END)", sql, type,
                     first, last);
}

namespace {

QueryExpression expression_of_any_length(const Value& node, const QueryScope& scope) {
  if (!node.is_record()) refuse_query("something that is not known here");
  const std::string& kind = text_in(node, "class");
  if (kind == "COLUMN_REF") {
    require_node(node, {"column_names", "alias"});
    return scope.column(member(node, "column_names").texts());
  }
  if (const Value* const alias = node.find("alias"); alias != nullptr && !is_blank(*alias))
    refuse_query("a name inside an expression");
  if (kind == "CONSTANT") return constant(node);
  if (kind == "COMPARISON") return comparison(node, scope);
  if (kind == "BETWEEN") return between(node, scope);
  if (kind == "CONJUNCTION") return conjunction(node, scope);
  if (kind == "OPERATOR") return operation(node, scope);
  if (kind == "CASE") return choice(node, scope);
  if (kind == "CAST") return cast(node, scope);
  if (kind == "FUNCTION") return function(node, scope);
  if (kind == "SUBQUERY") refuse_query("a query inside: it looks at other rows");
  if (kind == "WINDOW") refuse_query("a window function: it looks at other rows");
  if (kind == "STAR") refuse_query("a * that is not alone");
  if (kind == "PARAMETER") refuse_query("a parameter");
  refuse_query(fmt::format("something that is not known here ({})", one_line(kind, 40)));
}

}  // namespace

QueryExpression checked_expression(const Value& node, const QueryScope& scope) {
  constexpr std::size_t longest = 1 << 16;  // an argument may stand twice in what is made of it
  QueryExpression value = expression_of_any_length(node, scope);
  if (value.sql.size() > longest) refuse_query("an expression that is too long");
  return value;
}

QueryExpression checked_condition(const Value& node, const QueryScope& scope) {
  QueryExpression value = checked_expression(node, scope);
  if (value.kind == QueryKind::nothing)
    return {"CAST(NULL AS BOOLEAN)", "BOOLEAN", QueryKind::truth};
  if (value.kind != QueryKind::truth)
    refuse_query(fmt::format("{} where there must be a condition", kind_in_words(value.kind)));
  return value;
}

}  // namespace modicum::data
