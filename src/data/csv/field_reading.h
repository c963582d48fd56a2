// What the rules of a table make of a field, as a number or as a category.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "modicum/data/field_rules.h"

namespace modicum::data {

/// Of one column.
struct FieldReading {
  enum class Kind { plain, boolean, date };
  Kind kind = Kind::plain;
  DateUnit unit = DateUnit::years;
  DateOrder order = DateOrder::year_first;
  char decimal = '.';
  MissingValues missing = MissingValues::dropped;

  bool is_plain() const { return kind == Kind::plain && decimal == '.'; }
  /// What a field that is no number is not.
  const char* rule_in_words() const {
    return kind == Kind::boolean ? "neither true nor false"
           : kind == Kind::date  ? "not a date"
                                 : "not a finite number";
  }

  /// The field as a finite number; false if it is none.
  bool number(std::string_view field, double& value) const;

  /// The field as a category: a part of it, a constant, or kept in `made`, which is then not empty.
  /// Nothing, if it is missing and that is no category, or no boolean or date where it should be.
  std::optional<std::string_view> category(std::string_view field, std::string& made) const;
};

inline constexpr std::string_view missing_category = "missing";

struct CalendarDate {
  int year, month, day;
};
/// Nothing, if it is none: month 13, the 29th of February 2023.
std::optional<CalendarDate> parse_date(std::string_view text, DateOrder order);
/// Since 1970-01-01, in the Gregorian calendar, years 1 to 9999.
long days_since_1970(const CalendarDate& date);
CalendarDate date_of_days(long days);

}  // namespace modicum::data
