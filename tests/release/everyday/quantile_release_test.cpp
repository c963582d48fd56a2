#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/release/everyday_release.h"
#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::quantile_release_test {
namespace {

Table table_of(const testing::TemporaryFolder& folder, const std::string& text) {
  TableFiles files;
  files.paths = {folder.write("ages.csv", text)};
  return Table(files);
}

EverydayQuestion ages(double high) {
  EverydayQuestion question{{}, {"age"}, {Range(0, high)}};
  question.integers = true;
  return question;
}

// The probability of each whole number, from the definition.
std::map<double, double> law(const std::vector<int>& rows, int high, double level, double range) {
  std::map<double, double> result;
  double sum = 0.0;
  for (int t = 0; t <= high; ++t) {
    double below = 0, above = 0;
    for (const int row : rows) below += row<t, above += row> t;
    const double score = -std::abs((1 - level) * below - level * above);
    sum += result[t] = std::exp(range * score / (2.0 * std::max(level, 1 - level)));
  }
  for (auto& [t, probability] : result) probability /= sum;
  return result;
}

// A chi-square test at a false-alarm rate of 1e-6 for 9 degrees of freedom: 46.
TEST(Quantile, HasTheDistributionOfTheExponentialMechanism) {
  const testing::TemporaryFolder folder;
  const std::vector<int> rows{1, 2, 2, 5, 7, 9, 9, 20};
  std::string text = "age\n";
  for (const int row : rows) text += std::to_string(row) + "\n";
  const Table table = table_of(folder, text);
  testing::SeededSource source(11);
  for (const double level : {0.5, 0.25}) {
    const QuantilePlan plan = plan_quantiles({1.0, 0.0}, ages(9), {level});
    const QuantileValues values = collect_quantiles(table, plan);
    // 20 is clamped to the bounds.
    const auto expected = law({1, 2, 2, 5, 7, 9, 9, 9}, 9, level, plan.range);
    std::map<double, double> seen;
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i) ++seen[release_quantiles(plan, values, source).values(0, 0)];
    double statistic = 0.0;
    for (const auto& [t, probability] : expected)
      statistic += std::pow(seen[t] - draws * probability, 2.0) / (draws * probability);
    EXPECT_LT(statistic, 46.0) << level;
  }
}

// From the definition, on neighbors with ties, at the ends and in no rows at all.
TEST(Quantile, LawsOfNeighborsStayWithinTheRange) {
  const std::vector<std::vector<int>> tables{{}, {3}, {0, 0, 0}, {9, 9}, {1, 4, 4, 8}};
  for (const auto& rows : tables)
    for (int added = 0; added <= 9; ++added)
      for (const double level : {0.0, 0.1, 0.5, 1.0}) {
        auto more = rows;
        more.push_back(added);
        const auto with = law(more, 9, level, 0.7), without = law(rows, 9, level, 0.7);
        double least = HUGE_VAL, largest = -HUGE_VAL;
        for (const auto& [t, probability] : with) {
          const double loss = std::log(probability / without.at(t));
          least = std::min(least, loss), largest = std::max(largest, loss);
        }
        EXPECT_LE(largest - least, 0.7 + 1e-12);
      }
}

// A row that is replaced: in its group, and by one of another group, where both draws count.
TEST(Quantile, LawsOfReplacedRowsStayWithinTheRange) {
  const auto width = [](const std::vector<int>& a, const std::vector<int>& b, double level,
                        double divisor) {
    // law() divides by max(level, 1 - level), here it is to be `divisor`.
    const double range = 0.7 * std::max(level, 1 - level) / divisor;
    const auto with = law(a, 9, level, range), without = law(b, 9, level, range);
    double least = HUGE_VAL, largest = -HUGE_VAL;
    for (const auto& [t, probability] : with) {
      const double loss = std::log(probability / without.at(t));
      least = std::min(least, loss), largest = std::max(largest, loss);
    }
    return largest - least;
  };
  const auto with_row = [](std::vector<int> rows, int row) {
    rows.push_back(row);
    return rows;
  };
  double widest = 0.0, widest_of_two = 0.0;
  const std::vector<std::vector<int>> tables{{}, {3}, {0, 0, 0}, {9, 9}, {1, 4, 4, 8}};
  for (const auto& rows : tables)
    for (const double level : {0.0, 0.1, 0.5, 1.0})
      for (int old = 0; old <= 9; ++old)
        for (int now = 0; now <= 9; ++now) {
          // As the plans divide: by 1, and by twice what an added row does.
          widest = std::max(widest, width(with_row(rows, old), with_row(rows, now), level, 1.0));
          widest_of_two = std::max(
              widest_of_two,
              width(with_row(rows, old), rows, level, 2 * std::max(level, 1 - level)) +
                  width({2, 5}, with_row({2, 5}, now), level, 2 * std::max(level, 1 - level)));
        }
  EXPECT_LE(widest, 0.7 + 1e-12);
  EXPECT_GE(widest, 0.69);
  EXPECT_LE(widest_of_two, 0.7 + 1e-12);
}

// By the plans: what the exponents are divided by.
TEST(Quantile, ReplacedRowsTakeMoreOfTheRange) {
  const testing::TemporaryFolder folder;
  EverydayQuestion question = ages(9);
  question.neighbors = Adjacency::replace_one;
  const QuantilePlan alone = plan_quantiles({1.0, 0.0}, question, {0.5});
  EXPECT_EQ(alone.certificate.loss.at("adjacency").text(), "replace_one");
  const double added = plan_quantiles({1.0, 0.0}, ages(9), {0.5}).rank_error;
  EXPECT_NEAR(alone.rank_error, 2.0 * added, 1e-9 * added);
  question.groups = {{"region"}, {Bins::of_categories({"north", "south"})}};
  EXPECT_NEAR(plan_quantiles({1.0, 0.0}, question, {0.9}).rank_error, 3.6 * added, 1e-5 * added);
}

TEST(Quantile, TruthIsAMedian) {
  const testing::TemporaryFolder folder;
  const Table table = table_of(folder, "age\n1\n2\n30\n40\n50\n");
  const QuantilePlan plan = plan_quantiles({1.0, 1e-6}, ages(100), {0.5});
  EXPECT_EQ(quantile_truth(plan, collect_quantiles(table, plan))[0], 30.0);
}

TEST(Quantile, ManyLevelsShareTheBudgetByExactComposition) {
  const QuantilePlan one = plan_quantiles({1.0, 1e-6}, ages(100), {0.5});
  const QuantilePlan nine =
      plan_quantiles({1.0, 1e-6}, ages(100), {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  EXPECT_GT(nine.range, 1.1 * one.range / 9.0);
  EXPECT_LE(composed_bounded_range_delta(nine.range, 9.0, 1.0).upper(), 1e-6);
}

TEST(Quantile, IntervalsAreLeftOpen) {
  const testing::TemporaryFolder folder;
  const Table table = table_of(folder, "age\n1\n2\n");
  const QuantilePlan plan = plan_quantiles({1.0, 1e-6}, ages(100), {0.25, 0.5});
  testing::SeededSource source(3);
  const Released released = release_quantiles(plan, collect_quantiles(table, plan), source);
  EXPECT_EQ(released.row_names, (std::vector<std::string>{"age: 0.25", "age: 0.5"}));
  EXPECT_TRUE(std::isnan(released.values(0, 1)) && std::isnan(released.values(1, 2)));
  const std::string csv = encode(released, OutputFormat::csv);
  EXPECT_TRUE(csv.ends_with(",,\n")) << csv;
  EXPECT_NE(encode(released, OutputFormat::json).find(",null,null]"), std::string::npos);
}

TEST(Quantile, RefusesGridsThatCannotBe) {
  EXPECT_THROW(plan_quantiles({1.0, 1e-6}, ages(1e7), {0.5}), InvalidParameter);
  for (const Range& range : {Range(0, 1e-310), Range(-1e308, 1e308)})
    EXPECT_THROW(plan_quantiles({1.0, 1e-6}, EverydayQuestion{{}, {"age"}, {range}}, {0.5}),
                 InvalidParameter);
}

}  // namespace
}  // namespace modicum::quantile_release_test
