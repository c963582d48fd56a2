#include "data/queries/row_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "data/cells/number_text.h"
#include "data/queries/text_rows.h"
#include "modicum/data/fields.h"
#include "modicum/data/json.h"

namespace modicum::data {
namespace {

using Column = DuckDbStatement::Column;

const Value& only_statement(const Value& parsed) {
  const Value* const statements = parsed.find("statements");
  if (statements == nullptr || !statements->is_list() || statements->size() == 0)
    refuse_query("no statement");
  if (statements->size() != 1) refuse_query("several statements");
  const Value& statement = statements->at(std::size_t{0});
  require_known_members(statement, {"node"});
  const Value* const node = statement.find("node");
  if (node == nullptr) refuse_query("no statement");
  return *node;
}

std::string type_in(const Value& node) {
  const Value* const type = node.find("type");
  return type != nullptr && type->is_text() ? type->text() : "";
}

void refuse_modifiers(const Value& modifiers) {
  for (const Value& each : modifiers.items()) {
    const std::string type = type_in(each);
    if (type.starts_with("LIMIT"))
      refuse_query("LIMIT or OFFSET: which rows are left depends on the others");
    if (type == "DISTINCT_MODIFIER")
      refuse_query("DISTINCT: whether a row is left depends on the others");
    if (type == "ORDER_MODIFIER")
      refuse_query("ORDER BY, which no release depends on: leave it out");
    refuse_query("something that is not known here behind it");
  }
}

// A SELECT with a list, a table and a condition.
const Value& checked_node(const Value& parsed) {
  const Value& node = only_statement(parsed);
  const std::string type = type_in(node);
  if (type == "SET_OPERATION_NODE")
    refuse_query("a union, or another operation on several tables: a person may be in both");
  if (type == "RECURSIVE_CTE_NODE" || type == "CTE_NODE") refuse_query("a WITH clause");
  if (type != "SELECT_NODE") refuse_query("no SELECT");
  const auto given = [&](const char* key) {
    const Value* const value = node.find(key);
    return value != nullptr && !value->is_null() && (!value->is_list() || value->size() > 0);
  };
  if (given("modifiers")) refuse_modifiers(node.at("modifiers"));
  if (given("group_expressions") || given("group_sets"))
    refuse_query("GROUP BY: it makes one row of many; a release has its own option `by`");
  if (given("having")) refuse_query("HAVING: it looks at many rows");
  if (given("qualify")) refuse_query("QUALIFY: it looks at other rows");
  if (given("sample"))
    refuse_query("a sample: releases that sample do so themselves, and count on it");
  if (const Value* const tables = node.find("cte_map");
      tables != nullptr && tables->find("map") != nullptr && tables->at("map").size() > 0)
    refuse_query("a WITH clause");
  if (node.find("aggregate_handling") == nullptr ||
      !(node.at("aggregate_handling") == Value("STANDARD_HANDLING")))
    refuse_query("GROUP BY: it makes one row of many; a release has its own option `by`");
  require_known_members(
      node, {"type", "select_list", "from_table", "where_clause", "aggregate_handling"});
  if (node.find("select_list") == nullptr || !node.at("select_list").is_list() ||
      node.find("from_table") == nullptr)
    refuse_query("no SELECT");
  return node;
}

std::string plain_text(const Value& node, const char* key) {
  const Value* const value = node.find(key);
  return value != nullptr && value->is_text() ? value->text() : "";
}

std::string lower_case(std::string text) {
  for (char& each : text)
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  return text;
}

// sqlite_scan('people.db', 'people'), postgres_scan('dbname=x', 'public', 'people').
QuerySource scanned(const Value& table) {
  const Value* const function = table.find("function");
  if (function == nullptr || !function->is_record()) refuse_query("a table that is not known here");
  const std::string name = plain_text(*function, "function_name");
  const bool sqlite = name == "sqlite_scan";
  if (!sqlite && name != "postgres_scan")
    refuse_query(
        fmt::format("the table function {}; there are 'a file', sqlite_scan('file', 'table') and "
                    "postgres_scan('connection', 'schema', 'table')",
                    one_line(name, 40)));
  require_known_members(table, {"type", "alias", "query_location", "function", "with_ordinality"});
  if (const std::string how = plain_text(table, "with_ordinality");
      !how.empty() && how != "WITHOUT_ORDINALITY")
    refuse_query("an ordinality");
  require_known_members(*function, {"class", "type", "query_location", "function_name", "schema",
                                    "children", "is_operator"});
  std::vector<std::string> texts;
  for (const Value& each : function->at("children").items()) {
    const Value* const value = each.find("value");
    const Value* const text = value == nullptr ? nullptr : value->find("value");
    if (plain_text(each, "class") != "CONSTANT" || text == nullptr || !text->is_text() ||
        text->text().find('\0') != std::string::npos || !plain_text(each, "alias").empty())
      refuse_query("a table that is not named by texts");
    texts.push_back(text->text());
  }
  if (texts.size() != (sqlite ? 2 : 3))
    refuse_query(sqlite ? "sqlite_scan without the two texts 'file', 'table'"
                        : "postgres_scan without the three texts 'connection', 'schema', 'table'");
  QuerySource source{sqlite ? QuerySource::Kind::sqlite : QuerySource::Kind::postgresql, texts[0]};
  source.table = texts.back();
  if (sqlite && lower_case(source.table).starts_with("sqlite_"))
    refuse_query("a table of SQLite's own, whose rows tell of many others");
  if (!sqlite) source.schema = texts[1];
  source.alias = plain_text(table, "alias");
  return source;
}

QueryExpression expression_of(const Column& column) {
  const auto of = [&](QueryKind kind, const char* type) -> QueryExpression {
    return {quoted_name(column.name), type, kind};
  };
  const auto ranged = [&](QueryKind kind, const char* type, const char* known) -> QueryExpression {
    return {within_range(quoted_name(column.name), type), known, kind};
  };
  switch (column.type) {
    case DuckDbType::boolean:
      return of(QueryKind::truth, "BOOLEAN");
    case DuckDbType::int8:
      return of(QueryKind::whole, "TINYINT");
    case DuckDbType::int16:
      return of(QueryKind::whole, "SMALLINT");
    case DuckDbType::int32:
      return of(QueryKind::whole, "INTEGER");
    case DuckDbType::int64:
      return of(QueryKind::whole, "BIGINT");
    case DuckDbType::uint8:
      return of(QueryKind::whole, "UTINYINT");
    case DuckDbType::uint16:
      return of(QueryKind::whole, "USMALLINT");
    case DuckDbType::uint32:
      return of(QueryKind::whole, "UINTEGER");
    case DuckDbType::uint64:
      return of(QueryKind::huge, "UBIGINT");
    case DuckDbType::int128:
      return of(QueryKind::huge, "HUGEINT");
    case DuckDbType::uint128:
      return of(QueryKind::huge, "UHUGEINT");
    case DuckDbType::float4:
      return of(QueryKind::real, "FLOAT");
    case DuckDbType::float8:
      return of(QueryKind::real, "DOUBLE");
    case DuckDbType::decimal:
      return of(QueryKind::real, "DECIMAL");
    case DuckDbType::text:
      return of(QueryKind::text, "VARCHAR");
    case DuckDbType::enumeration:
    case DuckDbType::uuid:
      return of(QueryKind::text, "");
    case DuckDbType::time:
      return ranged(QueryKind::text, "TIME", "");
    case DuckDbType::date:
      return ranged(QueryKind::date, "DATE", "DATE");
    case DuckDbType::timestamp:
      return ranged(QueryKind::moment, "TIMESTAMP", "TIMESTAMP");
    case DuckDbType::timestamp_s:
      return ranged(QueryKind::moment, "TIMESTAMP_S", "");
    case DuckDbType::timestamp_ms:
      return ranged(QueryKind::moment, "TIMESTAMP_MS", "");
    case DuckDbType::timestamp_ns:
      return ranged(QueryKind::moment, "TIMESTAMP_NS", "");
    case DuckDbType::timestamp_tz:  // may be chosen, but what its parts are depends on a place
    default:
      return of(QueryKind::other, "");
  }
}

// What has no cells of its own is text, or empty.
std::string cell_of(const QueryExpression& value, const Column* column) {
  if (value.kind == QueryKind::nothing) return "CAST(NULL AS VARCHAR)";
  if (value.kind == QueryKind::other)
    return column != nullptr && column->type == DuckDbType::timestamp_tz ? value.sql
                                                                         : "CAST(NULL AS VARCHAR)";
  constexpr int longest_decimal = 18;  // beyond, its digits do not fit 64 bits
  if (value.type == "DECIMAL" && column != nullptr && column->width > longest_decimal) {
    const std::string text = fmt::format("TRY_CAST({} AS VARCHAR)", value.sql);
    return column->scale == 0 ? text : fmt::format("rtrim(rtrim({}, '0'), '.')", text);
  }
  const bool as_text = value.type == "HUGEINT" || value.type == "UHUGEINT" ||
                       (value.kind == QueryKind::text && value.type.empty());
  return as_text ? fmt::format("TRY_CAST({} AS VARCHAR)", value.sql) : value.sql;
}

// Of all names those that the query uses, and what they stand for.
class Names {
 public:
  Names(const std::vector<Column>* columns, std::string alias)
      : columns_(columns), alias_(std::move(alias)) {}

  const Column* find(const std::vector<std::string>& path) {
    if (path.empty() || path.size() > 2 ||
        (path.size() == 2 && (alias_.empty() || lower_case(path[0]) != lower_case(alias_))))
      refuse_query("a name of several parts");
    const std::string& name = path.back();
    if (columns_ == nullptr) return use(declared(name));
    const Column* found = nullptr;
    for (const Column& each : *columns_) {
      if (each.name == name) return use(&each);
      if (lower_case(each.name) != lower_case(name)) continue;
      if (found != nullptr)
        throw UsageError(fmt::format("`query` names {}, which may be several columns of the table",
                                     in_quotes(name)));
      found = &each;
    }
    if (found != nullptr) return use(found);
    std::vector<std::string> names;
    for (const Column& each : *columns_) names.push_back(each.name);
    throw UsageError(fmt::format("`query` names {}, which is no column of the table{}",
                                 in_quotes(name), suggestion(name, names)));
  }
  /// Names that were found since this was asked last.
  std::vector<std::string> take_used() { return std::exchange(used_, {}); }

 private:
  const Column* use(const Column* column) {
    used_.push_back(column->name);
    return column;
  }
  const Column* declared(const std::string& name) {
    if (name.empty() || name.find_first_of(std::string("\"\\\0*", 4)) != std::string::npos)
      refuse_query("a name with a quotation mark, a backslash or a star");
    for (const Column& each : declared_)
      if (each.name == name) return &each;
    return &declared_.emplace_back(Column{name, DuckDbType::text});
  }

  const std::vector<Column>* columns_;
  std::string alias_;
  std::deque<Column> declared_;
  std::vector<std::string> used_;
};

void append_column(RowQuery& query, const std::string& sql, const std::string& name,
                   std::vector<std::string> uses) {
  query.columns.push_back(sql);
  query.names.push_back(name);
  query.uses.push_back(std::move(uses));
}

void append_star(RowQuery& query, const Value& item, const std::vector<Column>* columns) {
  require_known_members(item, {"class", "type", "query_location"});
  if (columns == nullptr)
    refuse_query("a *, but lines of JSON have no columns until they are named");
  for (const Column& each : *columns)
    append_column(query, cell_of(expression_of(each), &each), each.name, {each.name});
}

void append_item(RowQuery& query, const Value& item, Names& names, const QueryScope& scope) {
  Value own = item;
  const std::string alias = plain_text(item, "alias");
  if (item.contains("alias")) own["alias"] = Value("");
  if (plain_text(item, "class") == "COLUMN_REF") {
    const Column* const column = names.find(item.at("column_names").texts());
    const QueryExpression value = checked_expression(own, scope);
    if (value.kind == QueryKind::other && column->type != DuckDbType::timestamp_tz)
      refuse_query(
          fmt::format("the column {}, whose type no cell of a table has", in_quotes(column->name)));
    return append_column(query, cell_of(value, column), alias.empty() ? column->name : alias,
                         names.take_used());
  }
  const QueryExpression value = checked_expression(own, scope);
  if (alias.empty())
    throw UsageError("`query` has a column without a name: write EXPRESSION as NAME");
  append_column(query, cell_of(value, nullptr), alias, names.take_used());
}

}  // namespace

Value parsed_query(DuckDbSession& session, const std::string& text) {
  constexpr std::size_t longest = 1 << 16;
  if (text.size() > longest || text.find('\0') != std::string::npos || !is_utf8(text))
    throw UsageError("`query` must be a text of at most 64 kB");
  const std::string tree = session.text_of("SELECT json_serialize_sql(CAST($1 AS VARCHAR))", text);
  try {
    Value value = parse_json(tree);
    if (value.find("error") != nullptr && value.at("error") == Value(false)) return value;
    const Value* const why = value.find("error_message");
    throw UsageError(fmt::format(
        "`query` must be one SELECT statement: {}",
        one_line(why != nullptr && why->is_text() ? why->text() : "it cannot be read", 200)));
  } catch (const InvalidDescription&) {
    refuse_query("more parts inside each other, or larger numbers, than can be checked");
  }
}

QueryCast cast_in(DuckDbSession& session) {
  return [&session](const std::string& text, const std::string& type) {
    const std::string value = within_range(fmt::format("TRY_CAST($1 AS {})", type), type);
    return !session.text_of(fmt::format("SELECT TRY_CAST({} AS VARCHAR)", value), text).empty();
  };
}

QuerySource source_of_query(const Value& parsed) {
  const Value& table = checked_node(parsed).at("from_table");
  const std::string type = type_in(table);
  if (const Value* const sample = table.find("sample"); sample != nullptr && !sample->is_null())
    refuse_query("a sample: releases that sample do so themselves, and count on it");
  if (type == "JOIN") refuse_query("a join: a person may be in several of its rows");
  if (type == "SUBQUERY") refuse_query("a query inside");
  if (type == "PIVOT") refuse_query("a pivot: it makes other rows of many");
  if (type == "TABLE_FUNCTION") return scanned(table);
  if (type != "BASE_TABLE") refuse_query("no table that it reads");
  require_known_members(table, {"type", "alias", "query_location", "table_name"});
  QuerySource source{QuerySource::Kind::files, plain_text(table, "table_name")};
  source.alias = plain_text(table, "alias");
  if (source.place.empty() || source.place.find('\0') != std::string::npos)
    refuse_query("no table that it reads");
  return source;
}

RowQuery checked_query(const Value& parsed, const QuerySource& source,
                       const std::vector<Column>* columns, const QueryCast& can_cast) {
  const Value& node = checked_node(parsed);
  Names names(columns, source.alias);
  const QueryScope scope{
      [&](const std::vector<std::string>& path) { return expression_of(*names.find(path)); },
      can_cast};
  RowQuery query;
  for (const Value& item : node.at("select_list").items()) {
    if (plain_text(item, "class") == "STAR") append_star(query, item, columns);
    else append_item(query, item, names, scope);
  }
  if (query.names.empty()) refuse_query("no columns");
  if (const Value* const condition = node.find("where_clause");
      condition != nullptr && !condition->is_null())
    query.condition = checked_condition(*condition, scope).sql;
  query.condition_uses = names.take_used();
  return query;
}

RowQuery query_of_all(const std::vector<Column>& columns) {
  RowQuery query;
  for (const Column& each : columns)
    append_column(query, cell_of(expression_of(each), &each), each.name, {each.name});
  return query;
}

std::vector<std::string> RowQuery::used(const std::vector<bool>& wanted) const {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (wanted[i]) add(uses[i]);
  add(condition_uses);
  return all;
}

std::string RowQuery::rule() const {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{}{} AS {}", text.empty() ? "SELECT " : ", ", columns[i],
                        quoted_name(names[i]));
  return condition.empty() ? text : text + " WHERE " + condition;
}

}  // namespace modicum::data
