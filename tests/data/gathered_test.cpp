#include "modicum/data/gathered.h"

#include <gtest/gtest.h>

#include "modicum/data/fields.h"
#include "modicum/data/json.h"
#include "support/temporary_folder.h"

namespace modicum::testing::gathered_test {
namespace {

TEST(WholeSums, AddUpWhateverIsThere) {
  WholeSums sums{{1, -2}, {{{"a"}, {5}}}, {{7, 1}}};
  sums += WholeSums{{10, 20}, {{{"a"}, {1}}, {{"b"}, {2}}}, {{7, 2}, {8, 3}}};
  EXPECT_EQ(sums, (WholeSums{{11, 18}, {{{"a"}, {6}}, {{"b"}, {2}}}, {{7, 3}, {8, 3}}}));
}

TEST(WholeSums, RefuseWhatDoesNotFit) {
  const Integer128 large = Integer128{1} << 126;
  WholeSums sums{{large}};
  EXPECT_THROW(sums += (WholeSums{{1, 2}}), Error);
  EXPECT_THROW(sums += (WholeSums{{large}}), Error);
  WholeSums negative{{-large}};
  negative += WholeSums{{-large}};  // -2^127 fits
  EXPECT_THROW(negative += (WholeSums{{-1}}), Error);
  WholeSums groups{{}, {{{"a"}, {1, 2}}}};
  EXPECT_THROW(groups += (WholeSums{{}, {{{"a"}, {1}}}}), Error);
}

TEST(TableShape, ComesBackFromItsText) {
  TableShape shape;
  shape.columns = {"age", "joined"};
  shape.bad_rows = BadRows::refused;
  shape.assumptions.multiline = shape.assumptions.public_shape = true;
  shape.assumptions.rules.decimal = ',';
  shape.assumptions.rules.missing = MissingValues::category;
  shape.assumptions.rules.booleans = {"age"};
  shape.assumptions.rules.dates = {{"joined", DateUnit::weekday}};
  shape.assumptions.rules.date_order = DateOrder::month_first;
  for (const TableShape& each : {shape, TableShape()}) {
    const std::string text = json_line(to_value(each));
    EXPECT_EQ(json_line(to_value(shape_in(parse_json(text)))), text);
  }
  Value other = to_value(shape);
  other["date_order"] = 9;
  EXPECT_THROW(shape_in(other), Error);
  EXPECT_THROW(shape_in(Value::record()), Error);
}

class Answering : public RowsElsewhere {
 public:
  const TableShape& shape() const override { return shape_; }
  void expect(const std::vector<Value>&) override {}
  WholeSums sums(const Value& question) override {
    asked = question;
    return {{3, 4}};
  }
  TableShape shape_{{"x", "y"}, {}, BadRows::dropped};
  Value asked;
};

TEST(Table, MayLieElsewhere) {
  TableFiles files;
  const auto answering = std::make_shared<Answering>();
  files.elsewhere = answering;
  const Table table(files);
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.index_of("column", "y"), 1U);
  const IntegerSum sum = accumulate_sum(table, RowRule(table, {"y"}), 2.0);
  EXPECT_TRUE(sum.entries.front() == 3 && sum.rows == 4);
  EXPECT_EQ(answering->asked.at("sums"), Value("sum"));
  EXPECT_EQ(answering->asked.at("row_norm_bound"), Value(2.0));
  // Two entries are what a sum of one column has, not one of two.
  EXPECT_THROW(accumulate_sum(table, RowRule(table, {}), 2.0), Error);
  EXPECT_THROW(table.for_each_text_block({0}, {}, [](const TextBlock&) { return nullptr; }),
               UsageError);
}

TEST(RowRule, ComesBackFromItsText) {
  const TemporaryFolder folder;
  const Table table(TableFiles{{folder.write("rows.csv", "age,wage\n1,2\n")}});
  const RowRule rule(table, {"wage", "age"}, {{"age", Range(0.1, 70.3)}}, true);
  const Value value = parse_json(json_line(to_value(rule)));
  const RowRule again = rule_in(table, value);
  EXPECT_EQ(again.names(), rule.names());
  EXPECT_EQ(again.ranges(), rule.ranges());
  EXPECT_EQ(again.table_columns(), rule.table_columns());
  Value none = value;
  none["columns"] = std::vector<std::string>{};
  EXPECT_THROW(rule_in(table, none), Error);
}

}  // namespace
}  // namespace modicum::testing::gathered_test
