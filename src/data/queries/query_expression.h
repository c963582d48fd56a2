// Expressions of a query, from the parsed statement to a statement of our own. Only what is known
// here gets through, and what gets through depends on one row, has no side effects and cannot fail,
// whatever the cells are: a cast that fails, a text that is no number, the root of a negative
// number are NULL, and arithmetic is that of doubles, which has no overflow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modicum/data/value.h"

namespace modicum::data {

/// What a value is, however it is stored.
enum class QueryKind { nothing, truth, whole, huge, real, text, date, moment, other };

/// One value of a row.
struct QueryExpression {
  std::string sql;   ///< of our own making
  std::string type;  ///< that the database gives it, as far as it is known
  QueryKind kind = QueryKind::other;
  std::optional<std::string> literal = {};  ///< a text that the query has
  std::optional<std::int64_t> number = {};  ///< a whole number that it has
};

/// The names that an expression may use: nothing where there is none. Throws UsageError.
using QueryNames = std::function<QueryExpression(const std::vector<std::string>&)>;
/// Whether a text can be cast to this type.
using QueryCast = std::function<bool(const std::string& text, const std::string& type)>;

struct QueryScope {
  QueryNames column;
  QueryCast can_cast;
};

/// Throws UsageError for what is not known, or does not treat rows one by one.
QueryExpression checked_expression(const Value& node, const QueryScope& scope);
/// The same for a condition.
QueryExpression checked_condition(const Value& node, const QueryScope& scope);

/// Throws UsageError: `query` has ... in words.
[[noreturn]] void refuse_query(const std::string& why);
/// Throws UsageError unless every member that is not among these is as if it were not there: null,
/// false, or empty.
void require_known_members(const Value& node, const std::vector<std::string>& known);

/// A function that takes its arguments, of which there are as many as it wants, as they are.
/// Nothing, if there is none of this name.
std::optional<QueryExpression> checked_function(const std::string& name,
                                                const std::vector<QueryExpression>& arguments,
                                                const QueryScope& scope);

/// Throws UsageError for the name of an aggregate, or of a function that makes rows.
void refuse_many_rows(const std::string& name);

/// As that kind. Throws UsageError where that makes no sense.
std::string as_kind(const QueryExpression& value, QueryKind kind, const QueryScope& scope);
/// The kind that all can be compared as.
QueryKind common_kind(const std::vector<QueryExpression>& values);
const char* type_of_kind(QueryKind kind);
/// NULL where a time is not of one day, or a date or moment is not of the years 1 to 9999 (1678 to
/// 2261 in nanoseconds); anything of another type as it is.
std::string within_range(const std::string& sql, const std::string& type);

}  // namespace modicum::data
