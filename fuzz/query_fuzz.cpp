// Bytes as the parsed tree of a query: refused, or made into a statement in which there are, beside
// names and texts in quotes, only words that are known here.
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "checks.h"
#include "data/queries/row_query.h"
#include "modicum/data/fields.h"
#include "modicum/data/json.h"

namespace modicum::fuzz {
namespace {

const std::set<std::string, std::less<>>& words() {
  static const std::set<std::string, std::less<>> all{
      "AND",      "AS",        "BETWEEN",     "BIGINT",    "BOOLEAN",   "CASE",    "CAST",
      "DATE",     "DISTINCT",  "DOUBLE",      "ELSE",      "END",       "FLOAT",   "FROM",
      "HUGEINT",  "ILIKE",     "IN",          "INTEGER",   "IS",        "LIKE",    "NOT",
      "NULL",     "OR",        "SMALLINT",    "THEN",      "TIMESTAMP", "TINYINT", "TRY_CAST",
      "UINTEGER", "USMALLINT", "UTINYINT",    "VARCHAR",   "WHEN",      "abs",     "ceil",
      "coalesce", "concat",    "contains",    "date_diff", "date_part", "exp",     "false",
      "floor",    "greatest",  "least",       "length",    "ln",        "log10",   "log2",
      "lower",    "ltrim",     "nullif",      "pow",       "replace",   "round",   "rtrim",
      "sign",     "sqrt",      "starts_with", "substring", "suffix",    "trim",    "true",
      "trunc",    "upper"};
  return all;
}

// Behind the quotes that begin at `place`.
std::size_t behind_quotes(std::string_view sql, std::size_t place) {
  const char mark = sql[place++];
  for (; place < sql.size(); ++place) {
    if (sql[place] != mark) continue;
    if (place + 1 >= sql.size() || sql[place + 1] != mark) return place + 1;
    ++place;
  }
  return std::string_view::npos;
}

void require_known(Record& record, std::string_view sql) {
  for (std::size_t i = 0; i < sql.size();) {
    const auto first = static_cast<unsigned char>(sql[i]);
    if (sql[i] == '\'' || sql[i] == '"') {
      i = behind_quotes(sql, i);
      record.require(i != std::string_view::npos, "quotes are not closed");
    } else if (std::isalpha(first) != 0) {
      std::size_t end = i;
      while (end < sql.size() &&
             (std::isalnum(static_cast<unsigned char>(sql[end])) != 0 || sql[end] == '_'))
        ++end;
      record.require(words().contains(sql.substr(i, end - i)), "a word that is not known");
      i = end;
    } else if (std::isdigit(first) != 0) {  // 1.5e+00
      while (i < sql.size() && (std::isdigit(static_cast<unsigned char>(sql[i])) != 0 ||
                                std::string_view(".e+-").find(sql[i]) != std::string_view::npos))
        ++i;
    } else {
      record.require(std::string_view(" (),:+-*/%|<>=").find(sql[i]) != std::string_view::npos,
                     "a sign that is not known");
      ++i;
    }
  }
}

void run(std::string_view text) {
  using data::DuckDbType;
  static const std::vector<data::DuckDbStatement::Column> columns{
      {"age", DuckDbType::int32},
      {"wage", DuckDbType::float8},
      {"name", DuckDbType::text},
      {"day", DuckDbType::date},
      {"moment", DuckDbType::timestamp},
      {"flag", DuckDbType::boolean},
      {"price", DuckDbType::decimal, 9, 2},
      {"id", DuckDbType::uint64},
      {"list", DuckDbType::list}};
  Record record;
  record.note("{}", text);
  Value parsed;
  if (!succeeds(record, "parse_json", [&] { parsed = parse_json(text); })) return;
  for (const auto* const known : {&columns, static_cast<decltype(&columns)>(nullptr)}) {
    data::RowQuery query;
    if (!succeeds(record, "checked_query", [&] {
          query = data::checked_query(
              parsed, data::source_of_query(parsed), known,
              [](const std::string& given, const std::string&) { return given.size() % 2 == 0; });
        }))
      continue;
    record.require(query.names.size() == query.columns.size() && !query.names.empty(),
                   "columns without names");
    for (const std::string& each : query.columns) require_known(record, each);
    require_known(record, query.condition);
  }
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
