#include "modicum/release/table_source.h"

#include <gtest/gtest.h>

#include "modicum/release/diagnostics.h"
#include "support/refusals.h"
#include "support/temporary_folder.h"

namespace modicum::testing::table_source_test {
namespace {

TableSource source_of(const std::string& path, std::initializer_list<const char*> flags = {},
                      const char* separator = nullptr) {
  TableSource source;
  Fields fields;
  source.fields(fields);
  fields.set("table", Value(std::vector<std::string>{path}));
  for (const char* flag : flags) fields.set(flag, true);
  if (separator != nullptr) fields.set("separator", separator);
  return source;
}

TEST(TableSource, NoticesASeparatorThatWasMissed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", "a;b\n1;2\n");
  EXPECT_THROW(source_of(path).open(), UsageError);
  EXPECT_THROW(source_of(path, {"header"}).open(), UsageError);
  EXPECT_EQ(source_of(path, {"header"}, ",").open().columns().size(), 1u);
  EXPECT_EQ(source_of(path, {}, ";").open().columns().size(), 2u);
}

TEST(TableSource, PassesOnWhatIsPublicAboutTheFirstRow) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", "a,b\n1,x\n");
  EXPECT_NO_THROW(RowChoice{}.rule(source_of(path).open()));
  EXPECT_THROW(RowChoice{}.rule(source_of(path, {"public_shape"}).open()), UsageError);
}

TEST(RowChoice, HasARangeOfAllForATargetToo) {
  const TemporaryFolder folder;
  const Table table = source_of(folder.write("t.csv", "a,b\n1,2\n")).open();
  RowChoice choice;
  EXPECT_THROW(choice.range_of(table, "b"), UsageError);
  choice.range_of_all = Range(0, 5);
  EXPECT_EQ(choice.range_of(table, "b"), Range(0, 5));
  EXPECT_TRUE(choice.rule(table, "b").has_range(1));
  choice.ranges.emplace("b", Range(1, 2));
  EXPECT_EQ(choice.range_of(table, "b"), Range(1, 2));
  EXPECT_TRUE(choice.feature_rule(table, "b", true).has_range(0));
}

TEST(RowChoice, TakesNoColumnWithoutANameUnasked) {
  const TemporaryFolder folder;
  const Table table = source_of(folder.write("t.csv", "a,b,\n1,2,\n"), {"header"}).open();
  RowChoice choice;
  EXPECT_THROW(choice.columns(table), UsageError);
  choice.select = {"a", "b"};
  EXPECT_EQ(choice.columns(table), choice.select);
}

TEST(RowChoice, BoundsRowsAsTheyCanBeClipped) {
  const TemporaryFolder folder;
  const Table table = source_of(folder.write("t.csv", "a\n1\n")).open();
  RowChoice choice;
  for (const double bound : {1e-200, 1e200, 0.0, -1.0, not_a_number}) {
    choice.row_norm_bound = bound;
    EXPECT_TRUE(refuses("row_norm_bound", [&] { return choice.norm_bound(choice.rule(table)); }));
  }
  choice.row_norm_bound = 2.0;
  EXPECT_EQ(choice.norm_bound(choice.rule(table)), 2.0);
}

// Quadratic work would take minutes.
TEST(RowChoice, TakesManyColumns) {
  const TemporaryFolder folder;
  std::string header = "c0";
  for (int i = 1; i < 200000; ++i) header += ",c" + std::to_string(i);
  const Table table = source_of(folder.write("wide.csv", header + "\n")).open();
  RowChoice choice;
  choice.range_of_all = Range(0, 1);
  choice.exclude.assign(table.columns().begin(), table.columns().begin() + 100000);
  EXPECT_EQ(choice.rule(table).width(), 100000u);
}

TEST(Diagnostics, TellWhyRowsAreDropped) {
  const TemporaryFolder folder;
  const Table table = source_of(folder.write("t.csv", "a,b\n3,4\n1\nx,1\n\"1,1\n.1,.1\n")).open();
  const Diagnostics found = diagnose_rows(table, RowRule(table, {}), 1.0);
  std::map<std::string, double> values;
  for (const Diagnostic& each : found) values[each.name] = each.value;
  EXPECT_EQ(values, (std::map<std::string, double>{{"rows_used", 2},
                                                   {"rows_with_unreadable_numbers", 3},
                                                   {"rows_of_other_length", 1},
                                                   {"rows_of_broken_text", 1},
                                                   {"rows_with_a_value_that_is_no_number", 1},
                                                   {"rows_clipped", 1}}));
}

}  // namespace
}  // namespace modicum::testing::table_source_test
