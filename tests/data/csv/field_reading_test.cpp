#include "data/csv/field_reading.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/temporary_files.h"
#include "modicum/data/table.h"

namespace modicum::testing::field_reading_test {
namespace {

using data::CalendarDate;
using data::FieldReading;

FieldReading boolean() {
  FieldReading reading;
  reading.kind = FieldReading::Kind::boolean;
  return reading;
}

FieldReading date(DateUnit unit, DateOrder order = DateOrder::year_first) {
  FieldReading reading;
  reading.kind = FieldReading::Kind::date;
  reading.unit = unit;
  reading.order = order;
  return reading;
}

double number(const FieldReading& reading, std::string_view text) {
  double value = 0.0;
  return reading.number(text, value) ? value : std::nan("");
}

std::string category(const FieldReading& reading, std::string_view text) {
  std::string made;
  return std::string(reading.category(text, made).value_or("(dropped)"));
}

TEST(FieldReading, DecimalCommas) {
  FieldReading comma;
  comma.decimal = ',';
  EXPECT_EQ(number(comma, "3,5"), 3.5);
  EXPECT_EQ(number(comma, " -0,25 "), -0.25);
  EXPECT_EQ(number(comma, "1,5e3"), 1500.0);
  EXPECT_EQ(number(comma, "7"), 7.0);
  // Thousands with points: not a number rather than another one.
  for (const char* text : {"1.234", "1.234,5", "1,2,3", ",", "", "a,b"})
    EXPECT_TRUE(std::isnan(number(comma, text))) << text;
  EXPECT_TRUE(std::isnan(number({}, "3,5")));
}

TEST(FieldReading, Booleans) {
  for (const char* text : {"true", "TRUE", "True", "yes", "Y", "t", "1", " 1 ", "1.0"}) {
    EXPECT_EQ(number(boolean(), text), 1.0) << text;
    EXPECT_EQ(category(boolean(), text), "true") << text;
  }
  for (const char* text : {"false", "No", "n", "F", "0"}) {
    EXPECT_EQ(number(boolean(), text), 0.0) << text;
    EXPECT_EQ(category(boolean(), text), "false") << text;
  }
  for (const char* text : {"", "NA", "2", "maybe", "truee", "tru"}) {
    EXPECT_TRUE(std::isnan(number(boolean(), text))) << text;
    EXPECT_EQ(category(boolean(), text), "(dropped)") << text;
  }
  EXPECT_TRUE(std::isnan(number({}, "true")));  // only where it is declared
}

TEST(FieldReading, Dates) {
  EXPECT_EQ(number(date(DateUnit::days), "1970-01-01"), 0.0);
  EXPECT_EQ(number(date(DateUnit::days), "2000-03-01"), 11017.0);
  EXPECT_EQ(number(date(DateUnit::years), "2021-01-01"), 2021.0);
  EXPECT_EQ(number(date(DateUnit::years), "2020-07-02"), 2020.5);
  EXPECT_EQ(number(date(DateUnit::quarter), "2020-09-30"), 3.0);
  EXPECT_EQ(category(date(DateUnit::year), "2020-07-31"), "2020");
  EXPECT_EQ(category(date(DateUnit::quarter), "2020-07-31"), "2020-Q3");
  EXPECT_EQ(category(date(DateUnit::month), "2020-7-1"), "2020-07");
  EXPECT_EQ(category(date(DateUnit::day), "2020/07/31 23:59:59"), "2020-07-31");
  EXPECT_EQ(category(date(DateUnit::day), "2020-07-31T23:59:59.5+02:00"), "2020-07-31");
  EXPECT_EQ(category(date(DateUnit::weekday), "2026-11-17"), "tuesday");
  EXPECT_EQ(category(date(DateUnit::day, DateOrder::day_first), "31.7.2020"), "2020-07-31");
  EXPECT_EQ(category(date(DateUnit::day, DateOrder::month_first), "07/31/2020"), "2020-07-31");
  for (const char* text : {"", "2023-02-29", "2020-13-01", "2020-00-10", "2020-01-32", "20-01-01",
                           "2020-01", "20200101", "2020-01/01", "2020-01-01x", "31.07.2020",
                           "0000-01-01", "2020-01-01T", "2020-01-011"}) {
    EXPECT_TRUE(std::isnan(number(date(DateUnit::days), text))) << text;
    EXPECT_EQ(category(date(DateUnit::day), text), "(dropped)") << text;
  }
}

TEST(FieldReading, DaysCountUpThroughTheCalendar) {
  CalendarDate next{1, 1, 1};
  for (long days = data::days_since_1970(next); days <= data::days_since_1970({9999, 12, 31});
       ++days) {
    const CalendarDate found = data::date_of_days(days);
    ASSERT_EQ(found.year, next.year) << days;
    ASSERT_EQ(found.month, next.month) << days;
    ASSERT_EQ(found.day, next.day) << days;
    ASSERT_EQ(data::days_since_1970(found), days);
    constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = next.year % 400 == 0 || (next.year % 4 == 0 && next.year % 100 != 0);
    if (++next.day > lengths[next.month - 1] + (next.month == 2 && leap ? 1 : 0))
      next.day = 1, ++next.month;
    if (next.month > 12) next.month = 1, ++next.year;
  }
  EXPECT_EQ(data::days_since_1970({1, 1, 1}), -719162);
  EXPECT_EQ(data::days_since_1970({9999, 12, 31}), 2932896);
}

TEST(FieldReading, MissingValues) {
  FieldReading as_category;
  as_category.missing = MissingValues::category;
  for (const char* text : {"", "  ", "NA", "N/A", "NaN", "nan", "null", "NULL"})
    EXPECT_EQ(category(as_category, text), "missing") << text;
  EXPECT_EQ(category(as_category, "none"), "none");
  EXPECT_EQ(category({}, " north "), "north");
  EXPECT_EQ(category({}, ""), "(dropped)");
  EXPECT_EQ(category({}, "NA"), "NA");  // Namibia, if it is on the list
  EXPECT_TRUE(std::isnan(number(as_category, "")));
}

class FieldBlocks : public ::testing::Test {
 protected:
  Table table(const std::string& text, const FieldRules& rules = {}, char separator = ',') {
    TableFiles files;
    files.paths = {folder_.write("table.csv", text)};
    files.rules = rules;
    files.separator = separator;
    return Table(files);
  }
  // Each row as text: categories, then numbers.
  static std::vector<std::string> rows(const Table& table,
                                       const std::vector<std::size_t>& categories,
                                       const std::vector<std::size_t>& numbers,
                                       const ReadOptions& options = {}) {
    std::vector<std::string> all;
    table.for_each_field_block(categories, numbers, options, [&](const FieldBlock& block) {
      EXPECT_EQ(block.categories.size(), block.rows * categories.size());
      EXPECT_EQ(static_cast<std::size_t>(block.numbers.rows()), block.rows);
      std::vector<std::string> here;
      for (std::size_t i = 0; i < block.rows; ++i) {
        std::string& row = here.emplace_back();
        for (std::size_t j = 0; j < block.width; ++j)
          row += std::string(block.categories_of(i)[j]) + "|";
        for (const double value : block.numbers.row(static_cast<Eigen::Index>(i)))
          row += std::to_string(std::lround(100.0 * value)) + "|";
      }
      return [&all, here] { all.insert(all.end(), here.begin(), here.end()); };
    });
    return all;
  }
  TemporaryFolder folder_;
};

TEST_F(FieldBlocks, CategoriesAndNumbersOfOneRow) {
  const Table t = table("a,b,c\nx,1,2\n\"y,z\",2.5,3\n w ,3,oops\n,4,5\nv,5\nu,\"6\",7\n");
  EXPECT_EQ(rows(t, {0}, {1}),
            (std::vector<std::string>{"x|100|", "y,z|250|", "w|300|", "u|600|"}));
  EXPECT_EQ(
      rows(t, {0, 0}, {2, 1, 2}),
      (std::vector<std::string>{"x|x|200|100|200|", "y,z|y,z|300|250|300|", "u|u|700|600|700|"}));
  EXPECT_EQ(rows(t, {1}, {1}),
            (std::vector<std::string>{"1|100|", "2.5|250|", "3|300|", "4|400|", "6|600|"}));
  EXPECT_EQ(rows(t, {}, {}).size(), 5u);  // one has another length
  const RowCounts counts = t.count_rows({2}, {}, {0});
  EXPECT_EQ(counts.used, 3u);
  EXPECT_EQ(counts.not_numbers, 1u);
  EXPECT_EQ(counts.missing, 1u);
  EXPECT_EQ(counts.other_length, 1u);
  EXPECT_EQ(refusal([&] { rows(t, {0}, {1}, strict()); }).find(folder_.path("table.csv")), 0u);
  EXPECT_NE(refusal([&] { rows(t, {0}, {1}, strict()); }).find("line 5, column a: no value"),
            std::string::npos);
}

TEST_F(FieldBlocks, RulesHoldForTheirColumns) {
  FieldRules rules;
  rules.booleans = {"smokes"};
  rules.dates = {{"born", DateUnit::month}};
  rules.missing = MissingValues::category;
  rules.decimal = ',';
  const Table t = table(
      "smokes;born;size\nyes;1990-02-03;1,5\nNA;;2\nno;never;3\n0;1991-12-31;4.5\n", rules, ';');
  EXPECT_EQ(rows(t, {0, 1}, {2}),
            (std::vector<std::string>{"true|1990-02|150|", "missing|missing|200|"}));
  EXPECT_EQ(rows(t, {}, {0}), (std::vector<std::string>{"100|", "0|", "0|"}));
  EXPECT_EQ(t.category(0, "Yes"), "true");
  EXPECT_EQ(t.category(1, "1990-02"), "1990-02");
  EXPECT_EQ(t.category(1, "NA"), "missing");
  EXPECT_EQ(t.all_categories(0), (std::vector<std::string>{"false", "true", "missing"}));
  EXPECT_TRUE(t.all_categories(1).empty());
  EXPECT_EQ(t.assumptions().rules.dates.size(), 1u);
  rules.booleans.push_back("nothing");
  EXPECT_THROW(table("smokes;born;size\n", rules, ';'), InvalidParameter);
  rules.booleans = {"born"};
  EXPECT_THROW(table("smokes;born;size\n", rules, ';'), InvalidParameter);
}

// A row means the same whatever stands beside it.
TEST_F(FieldBlocks, RowsDoNotDependOnOthers) {
  const std::vector<std::string> lines{"x,1",  "\"x\",1", "\"x,1", "x,\"1\"", ",1",   "x,",
                                       "x,1,", "x",       "NA,2",  "x,nan",   "  ,3", "\"\",4"};
  FieldRules rules;
  for (const MissingValues missing : {MissingValues::dropped, MissingValues::category}) {
    rules.missing = missing;
    std::vector<std::string> alone;
    std::string all = "a,b\n";
    for (const std::string& line : lines) {
      for (const std::string& row : rows(table("a,b\n" + line + "\n", rules), {0}, {1}))
        alone.push_back(row);
      all += line + "\n";
    }
    EXPECT_EQ(rows(table(all, rules), {0}, {1}), alone);
  }
}

TEST_F(FieldBlocks, RowsInMemory) {
  const double values[] = {1, 2, 0, 3, std::nan(""), 4};
  TableFiles files;
  files.memory = RowsInMemory{values, 3, 2, 2, 1};
  EXPECT_EQ(rows(Table(files), {0}, {1}), (std::vector<std::string>{"1|200|", "0|300|"}));
  files.rules.missing = MissingValues::category;
  files.rules.booleans = {"1"};
  EXPECT_EQ(rows(Table(files), {0}, {1}),
            (std::vector<std::string>{"true|200|", "false|300|", "missing|400|"}));
  EXPECT_EQ(rows(Table(files), {}, {0}), (std::vector<std::string>{"100|", "0|"}));
}

}  // namespace
}  // namespace modicum::testing::field_reading_test
