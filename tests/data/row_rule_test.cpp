#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "data/temporary_files.h"
#include "modicum/data/rows.h"

namespace modicum::row_rule_test {
namespace {

using testing::matrix;
using testing::table_of;
using testing::TemporaryFolder;

constexpr double infinity = std::numeric_limits<double>::infinity();

Table example(const TemporaryFolder& folder) {
  return table_of(folder.write("t.csv", "a,b,c,c\n1,2,3,4\n"));
}

TEST(Range, RefusesEndsThatAreNoRange) {
  EXPECT_THROW(Range(1, 1), InvalidParameter);
  EXPECT_THROW(Range(2, 1), InvalidParameter);
  EXPECT_THROW(Range(std::nan(""), 1), InvalidParameter);
  EXPECT_THROW(Range(0, std::nan("")), InvalidParameter);
  EXPECT_THROW(Range(-infinity, 1), InvalidParameter);
  EXPECT_THROW(Range(0, infinity), InvalidParameter);
  EXPECT_THROW(Range(0, 5e-324), InvalidParameter);
  EXPECT_NO_THROW(Range(-1.7e308, 1.7e308));
}

TEST(RowRule, ClampsScalesAndPrependsTheOnes) {
  const TemporaryFolder folder;
  const Table table = example(folder);
  const RowRule rule(table, {"b", "a"}, {{"a", Range(0, 10)}}, true);
  EXPECT_EQ(rule.width(), 3u);
  EXPECT_EQ(rule.names(), (std::vector<std::string>{"intercept", "b", "a"}));
  EXPECT_EQ(rule.table_columns(), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(rule.apply(matrix({{7, 0}, {8, 10}, {-9, 5}, {1e300, 7.5}, {2, -1e308}, {3, 11}})),
            matrix({{1, 7, -1}, {1, 8, 1}, {1, -9, 0}, {1, 1e300, 0.5}, {1, 2, -1}, {1, 3, 1}}));
  EXPECT_EQ(rule.offset(2), 5.0);
  EXPECT_EQ(rule.scale(2), 5.0);
  EXPECT_EQ(rule.offset(1), 0.0);
  EXPECT_EQ(rule.scale(1), 1.0);
  EXPECT_EQ(rule.natural_norm_bound(), infinity);
}

// Quadratic work would take minutes.
TEST(RowRule, TakesManyColumns) {
  const TemporaryFolder folder;
  std::string header = "c0", row = "1";
  for (int i = 1; i < 300000; ++i) header += ",c" + std::to_string(i), row += ",1";
  const Table table = table_of(folder.write("wide.csv", header + "\n" + row + "\n"));
  std::map<std::string, Range> ranges;
  for (const std::string& name : table.columns()) ranges.emplace(name, Range(0, 1));
  EXPECT_EQ(RowRule(table, table.columns(), ranges).width(), 300000u);
}

TEST(RowRule, KeepsRowsWithinItsNaturalBoundAndReportsInUnitsOfTheFile) {
  const TemporaryFolder folder;
  const Table table = example(folder);
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 2000; ++i) {
    const double size = std::ldexp(1.0, static_cast<int>(generator() % 1800) - 900);
    const double low = uniform(generator) * size, high = low + std::abs(uniform(generator)) * size;
    if (!(low < high)) continue;
    const RowRule rule(table, {"a"}, {{"a", Range(low, high)}});
    for (const double x : {low, high, 0.5 * low + 0.5 * high, -1e308, 1e308, low * 0.99}) {
      const double mapped = rule.apply(matrix({{x}}))(0, 0);
      ASSERT_LE(std::abs(mapped), 1.0);
      const double back = rule.offset(0) + rule.scale(0) * mapped;
      ASSERT_NEAR(back, std::clamp(x, low, high), 1e-15 * (std::abs(low) + std::abs(high)));
    }
  }
  // sqrt(2) and sqrt(3) rounded up, 1 exactly.
  const RowRule two(table, {"a"}, {{"a", Range(0, 1)}}, true);
  EXPECT_GE(std::fma(two.natural_norm_bound(), two.natural_norm_bound(), -2.0), 0.0);
  EXPECT_NEAR(two.natural_norm_bound(), std::sqrt(2.0), 3e-16);
  const RowRule three(table, {"a", "b"}, {{"a", Range(0, 1)}, {"b", Range(0, 1)}}, true);
  EXPECT_GE(std::fma(three.natural_norm_bound(), three.natural_norm_bound(), -3.0), 0.0);
  EXPECT_EQ(RowRule(table, {"a"}, {{"a", Range(0, 1)}}).natural_norm_bound(), 1.0);
}

TEST(RowRule, RefusesColumnsThatAreNotThereOrNotClear) {
  const TemporaryFolder folder;
  const Table table = example(folder);
  EXPECT_THROW(RowRule(table, {"x"}), InvalidParameter);
  EXPECT_THROW(RowRule(table, {"a", "a"}), InvalidParameter);
  EXPECT_THROW(RowRule(table, {"c"}), InvalidParameter);
  EXPECT_THROW(RowRule(table, {}), InvalidParameter);  // all: c twice
  EXPECT_THROW(RowRule(table, {"a"}, {{"b", Range(0, 1)}}), InvalidParameter);
  EXPECT_THROW(RowRule(table, {"a"}, {{"intercept", Range(0, 1)}}, true), InvalidParameter);
  EXPECT_THROW(RowRule(table, {"a"}).apply(matrix({{1, 2}})), Error);
  const Table plain = table_of(folder.write("p.csv", "a,b\n1,2\n"));
  EXPECT_EQ(RowRule(plain, {}).names(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace modicum::row_rule_test
