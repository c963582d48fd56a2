// What the fields of a table mean: rules that are public and treat each field by itself, so that
// what becomes of a row depends on no other.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace modicum {

/// What becomes of a row without a value in a column of categories. (A row without one in a column
/// of numbers is malformed in any case.)
enum class MissingValues {
  dropped,   ///< an empty field is malformed; NA and the like are words as others
  category,  ///< an empty field, NA, N/A, NaN, nan, NULL or null is the category "missing"
};

/// What is made of a date, as a number; as a category.
enum class DateUnit {
  years,    ///< 2020.5 for the second of July 2020
  days,     ///< since 1970-01-01
  year,     ///< 2020
  quarter,  ///< 1 to 4; 2020-Q3
  month,    ///< 1 to 12; 2020-07
  day,      ///< since 1970-01-01; 2020-07-02
  weekday,  ///< 1 for Monday to 7; monday
};

/// How dates are written: year, month and day with -, / or . between them. A time behind T or a
/// blank is left out.
enum class DateOrder { year_first, day_first, month_first };

struct FieldRules {
  char decimal = '.';  ///< or a comma
  MissingValues missing = MissingValues::dropped;
  /// Columns of true and false, yes and no, t and f, y and n, 1 and 0: as numbers 1 and 0, as
  /// categories "true" and "false".
  std::vector<std::string> booleans = {};
  std::map<std::string, DateUnit> dates = {};  ///< columns of dates
  DateOrder date_order = DateOrder::year_first;
};

const char* to_string(DateUnit unit);
const char* to_string(DateOrder order);

}  // namespace modicum
