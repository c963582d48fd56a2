#include "data/csv/field_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/cells/number.h"

namespace modicum {

const char* to_string(DateUnit unit) {
  switch (unit) {
    case DateUnit::years:
      return "years";
    case DateUnit::days:
      return "days";
    case DateUnit::year:
      return "year";
    case DateUnit::quarter:
      return "quarter";
    case DateUnit::month:
      return "month";
    case DateUnit::day:
      return "day";
    case DateUnit::weekday:
      return "weekday";
  }
  return "";
}

const char* to_string(DateOrder order) {
  switch (order) {
    case DateOrder::year_first:
      return "year-first";
    case DateOrder::day_first:
      return "day-first";
    case DateOrder::month_first:
      return "month-first";
  }
  return "";
}

}  // namespace modicum

namespace modicum::data {
namespace {

bool equal_words(std::string_view a, std::string_view small) {
  return std::ranges::equal(a, small, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

std::optional<bool> parse_boolean(std::string_view text) {
  for (const char* const yes : {"true", "yes", "t", "y", "1", "1.0"})
    if (equal_words(text, yes)) return true;
  for (const char* const no : {"false", "no", "f", "n", "0", "0.0"})
    if (equal_words(text, no)) return false;
  return {};
}

bool is_missing(std::string_view text) {
  for (const char* const word : {"", "NA", "N/A", "NaN", "nan", "NULL", "null"})
    if (text == word) return true;
  return false;
}

// So many digits at most, one at least.
bool take_whole(std::string_view& text, std::size_t most, int& value) {
  std::size_t digits = 0;
  value = 0;
  for (; digits < text.size() && digits < most && is_digit(text[digits]); ++digits)
    value = 10 * value + (text[digits] - '0');
  text.remove_prefix(digits);
  return digits > 0;
}

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int month, int year) {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

// Behind a date: nothing, or a time.
bool is_time(std::string_view rest) {
  return rest.empty() || ((rest[0] == 'T' || rest[0] == ' ') && rest.size() > 1 &&
                          is_digit(rest[1]) && std::ranges::all_of(rest.substr(1), [](char c) {
                            return is_digit(c) || c == ':' || c == '.' || c == 'Z' || c == '+' ||
                                   c == '-';
                          }));
}

double number_of(const CalendarDate& date, DateUnit unit) {
  const auto days = static_cast<double>(days_since_1970(date));
  switch (unit) {
    case DateUnit::years:
      return date.year + (days - static_cast<double>(days_since_1970({date.year, 1, 1}))) /
                             (is_leap(date.year) ? 366.0 : 365.0);
    case DateUnit::year:
      return date.year;
    case DateUnit::quarter:
      return (date.month + 2) / 3;
    case DateUnit::month:
      return date.month;
    case DateUnit::weekday:
      return static_cast<double>(((days_since_1970(date) + 3) % 7 + 7) % 7 + 1);
    case DateUnit::days:
    case DateUnit::day:
      break;
  }
  return days;
}

std::string category_of(const CalendarDate& date, DateUnit unit) {
  switch (unit) {
    case DateUnit::year:
      return fmt::format("{:04}", date.year);
    case DateUnit::quarter:
      return fmt::format("{:04}-Q{}", date.year, (date.month + 2) / 3);
    case DateUnit::month:
      return fmt::format("{:04}-{:02}", date.year, date.month);
    case DateUnit::day:
      return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    case DateUnit::weekday: {
      constexpr std::array<const char*, 7> names{"monday", "tuesday",  "wednesday", "thursday",
                                                 "friday", "saturday", "sunday"};
      return names[static_cast<std::size_t>(number_of(date, unit)) - 1];
    }
    case DateUnit::years:
    case DateUnit::days:
      break;
  }
  return fmt::format("{}", number_of(date, unit));
}

}  // namespace

std::optional<CalendarDate> parse_date(std::string_view text, DateOrder order) {
  const bool year_first = order == DateOrder::year_first;
  std::array<int, 3> parts{};
  char between = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) {
      if (text.empty() || (text[0] != '-' && text[0] != '/' && text[0] != '.')) return {};
      if (i == 2 && text[0] != between) return {};
      between = text[0];
      text.remove_prefix(1);
    }
    const bool is_year = i == (year_first ? 0 : 2);
    const std::size_t before = text.size();
    if (!take_whole(text, is_year ? 4 : 2, parts[i])) return {};
    if (is_year && before - text.size() != 4) return {};  // 20 may be 1920 or 2020
  }
  if (!is_time(text)) return {};
  const CalendarDate date = year_first ? CalendarDate{parts[0], parts[1], parts[2]}
                            : order == DateOrder::day_first
                                ? CalendarDate{parts[2], parts[1], parts[0]}
                                : CalendarDate{parts[2], parts[0], parts[1]};
  if (date.year < 1 || date.month < 1 || date.month > 12 || date.day < 1 ||
      date.day > days_in(date.month, date.year))
    return {};
  return date;
}

// Years begin in March here, so that a leap day is the last of its year.
long days_since_1970(const CalendarDate& date) {
  const long year = date.month > 2 ? date.year : date.year - 1;
  const long day_of_year =
      (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}

CalendarDate date_of_days(long days) {
  const long shifted = days + 719468;
  const long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const long day_of_era = shifted - era * 146097;
  const long year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const long month = (5 * day_of_year + 2) / 153;
  const long year = year_of_era + era * 400 + (month >= 10 ? 1 : 0);
  return {static_cast<int>(year), static_cast<int>(month < 10 ? month + 3 : month - 9),
          static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1)};
}

bool FieldReading::number(std::string_view field, double& value) const {
  const std::string_view text = without_blanks(field);
  if (kind == Kind::boolean) {
    const std::optional<bool> truth = parse_boolean(text);
    if (truth) value = *truth ? 1.0 : 0.0;
    return truth.has_value();
  }
  if (kind == Kind::date) {
    const std::optional<CalendarDate> date = parse_date(text, order);
    if (date) value = number_of(*date, unit);
    return date.has_value();
  }
  if (decimal == '.') return parse_number(text, value);
  // A point would separate thousands: 1.234 may be another number than it looks.
  if (text.find('.') != std::string_view::npos) return false;
  const std::size_t comma = text.find(decimal);
  if (comma == std::string_view::npos) return parse_number(text, value);
  std::string with_point(text);
  with_point[comma] = '.';
  return parse_number(with_point, value);
}

std::optional<std::string_view> FieldReading::category(std::string_view field,
                                                       std::string& made) const {
  made.clear();
  const std::string_view text = without_blanks(field);
  if (missing == MissingValues::category && is_missing(text)) return missing_category;
  if (text.empty()) return {};
  if (kind == Kind::boolean) {
    const std::optional<bool> truth = parse_boolean(text);
    if (!truth) return {};
    return *truth ? "true" : "false";
  }
  if (kind == Kind::date) {
    const std::optional<CalendarDate> date = parse_date(text, order);
    if (!date) return {};
    made = category_of(*date, unit);
    return made;
  }
  return text;
}

}  // namespace modicum::data
