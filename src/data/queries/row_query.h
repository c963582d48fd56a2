// A query that treats rows one by one: SELECT expressions FROM one table WHERE condition, and no
// more. The statement comes parsed (DuckDB's json_serialize_sql), and what is run is another one,
// made of the parts that are known here.
#pragma once

#include <string>
#include <vector>

#include "data/queries/duckdb_library.h"
#include "data/queries/query_expression.h"

namespace modicum::data {

/// What a query reads.
struct QuerySource {
  enum class Kind { files, sqlite, postgresql };
  Kind kind = Kind::files;
  std::string place;  ///< a path or a pattern, or `rows`; of PostgreSQL, how to connect
  std::string schema = {}, table = {};
  std::string alias = {};
};

/// As DuckDB parses it. Throws UsageError where it is no SELECT statement.
Value parsed_query(DuckDbSession& session, const std::string& text);
QueryCast cast_in(DuckDbSession& session);

/// Throws UsageError, which says what in the query does not treat rows one by one.
QuerySource source_of_query(const Value& parsed);

/// Stands for the table that is given beside the query.
inline constexpr const char* given_table = "rows";

struct RowQuery {
  std::vector<std::string> names;    ///< of the columns it makes
  std::vector<std::string> columns;  ///< of our own making
  std::string condition = {};        ///< the same; there may be none
  // Names of the table that each of them uses.
  std::vector<std::vector<std::string>> uses;
  std::vector<std::string> condition_uses;

  /// What is used where these columns are wanted, each name once.
  std::vector<std::string> used(const std::vector<bool>& wanted) const;
  /// All that becomes of a row, with the types that columns of the table have.
  std::string rule() const;
};

/// `columns` are those of the table; nothing, where any name may be a column of text.
/// Throws UsageError as above, and for columns that are not there.
RowQuery checked_query(const Value& parsed, const QuerySource& source,
                       const std::vector<DuckDbStatement::Column>* columns,
                       const QueryCast& can_cast);

/// All columns.
RowQuery query_of_all(const std::vector<DuckDbStatement::Column>& columns);

}  // namespace modicum::data
