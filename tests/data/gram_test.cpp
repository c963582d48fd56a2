#include "modicum/data/gram.h"

#include <cblas.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "data/temporary_files.h"
#include "support/seeded_source.h"

namespace modicum::gram_test {
namespace {

using testing::rows_of;
using testing::SeededSource;
using testing::table_of;
using testing::TemporaryFolder;

constexpr unsigned thread_counts[] = {1, 2, 3, 8};

ReadOptions with_threads(unsigned threads) {
  ReadOptions options;
  options.threads = threads;
  return options;
}

std::string random_csv(int rows, int columns, std::uint64_t seed, double scale = 1.0) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::string text;
  for (int j = 0; j < columns; ++j) text += fmt::format("{}x{}", j > 0 ? "," : "", j);
  text += "\n";
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      text += fmt::format("{:.5f}{}", scale * normal(generator), j + 1 < columns ? ',' : '\n');
  return text;
}

RowBlock clipped_rows(const Table& table, const RowRule& rule, double bound) {
  RowBlock rows = rule.apply(rows_of(table, rule.table_columns()));
  IntegerClip(bound).apply(rows);
  return rows;
}

// Three loops over whole numbers.
std::vector<Integer128> plain_sums(const RowBlock& rows) {
  std::vector<Integer128> sums;
  for (Eigen::Index i = 0; i < rows.cols(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      Integer128 sum = 0;
      for (Eigen::Index k = 0; k < rows.rows(); ++k)
        sum += static_cast<std::int64_t>(rows(k, i)) * static_cast<std::int64_t>(rows(k, j));
      sums.push_back(sum);
    }
  return sums;
}

TEST(AccumulateGram, IsTheSumOfWholeNumbersForAnySizeAndNumberOfThreads) {
  const TemporaryFolder folder;
  for (const auto& [rows, columns] :
       {std::pair{0, 3}, std::pair{1, 1}, std::pair{5, 2}, std::pair{1000, 7}, std::pair{9000, 1},
        std::pair{40000, 13}, std::pair{200, 150}, std::pair{3000, 91}})
    for (const double scale : {0.01, 1.0}) {
      const Table table = table_of(folder.write("t.csv", random_csv(rows, columns, 13, scale)));
      const RowRule rule(table, {}, {}, true);
      const double bound = 1.5;
      const auto expected = plain_sums(clipped_rows(table, rule, bound));
      for (const unsigned threads : thread_counts) {
        const IntegerGram gram = accumulate_gram(table, rule, bound, with_threads(threads));
        EXPECT_EQ(gram.dimension, columns + 1);
        EXPECT_EQ(gram.row_norm_bound, bound);
        EXPECT_EQ(gram.grid, IntegerClip(bound).grid());
        ASSERT_TRUE(gram.entries == expected) << rows << " x " << columns << ", " << threads;
      }
    }
}

// Every entry as large as can be: the sums in doubles come to 2^53 in absolute value.
TEST(AccumulateGram, IsExactWhereTheSumsAreLargest) {
  const TemporaryFolder folder;
  std::string text = "a,b\n";
  constexpr int rows = 50000;
  for (int i = 0; i < rows; ++i) text += i % 2 ? "1e300,0\n" : "-1e300,1e299\n";
  const Table table = table_of(folder.write("t.csv", text));
  const RowRule rule(table, {});
  for (const unsigned threads : thread_counts) {
    const IntegerGram gram = accumulate_gram(table, rule, 1.0, with_threads(threads));
    EXPECT_TRUE(gram.entries == plain_sums(clipped_rows(table, rule, 1.0)));
    EXPECT_GT(gram.matrix()(0, 0), 0.99 * rows);
  }
}

// OpenBLAS must not start threads of its own below ours, nor stay changed afterwards.
TEST(AccumulateGram, GivesTheSameManyTimesAndLeavesBlasAsItWas) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", random_csv(4000, 120, 14)));
  const RowRule rule(table, {});
  const int before = openblas_get_num_threads();
  const auto expected = plain_sums(clipped_rows(table, rule, 2.0));
  for (int repeat = 0; repeat < (MODICUM_INSTRUMENTED ? 5 : 40); ++repeat) {
    const unsigned threads = thread_counts[repeat % 4];
    ASSERT_TRUE(accumulate_gram(table, rule, 2.0, with_threads(threads)).entries == expected);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
}

TEST(AccumulateGram, ChangesByExactlyOneRow) {
  const TemporaryFolder folder;
  const std::string text = random_csv(3000, 5, 15);
  const auto second_row = text.find('\n', text.find('\n') + 1) + 1;
  const Table table = table_of(folder.write("t.csv", text));
  const Table neighbor = table_of(
      folder.write("n.csv", text.substr(0, text.find('\n') + 1) + text.substr(second_row)));
  const RowRule rule(table, {});
  const IntegerGram with = accumulate_gram(table, rule, 1.0);
  const IntegerGram without = accumulate_gram(neighbor, rule, 1.0);
  const RowBlock first = clipped_rows(table, rule, 1.0).topRows(1);
  for (Eigen::Index i = 0; i < 5; ++i)
    for (Eigen::Index j = 0; j < 5; ++j)
      EXPECT_TRUE(with.at(i, j) - without.at(i, j) ==
                  static_cast<Integer128>(first(0, i) * first(0, j)));
}

TEST(IntegerGram, BecomesASymmetricMatrixInUnitsOfTheRows) {
  IntegerGram gram;
  gram.dimension = 2;
  gram.grid = 0.25;
  gram.entries = {16, -8, Integer128{1} << 80};
  Eigen::MatrixXd expected(2, 2);
  expected << 1.0, -0.5, -0.5, 0x1p76;
  EXPECT_EQ(gram.matrix(), expected);
  EXPECT_TRUE(gram.at(0, 1) == -8 && gram.at(1, 0) == -8);
}

TEST(AccumulateSampledGram, IncludesTheSameRowsForAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", random_csv(30000, 8, 16)));
  const RowRule rule(table, {});
  const auto sampled = [&](double rate, unsigned threads) {
    SeededSource source(17);
    return accumulate_sampled_gram(table, rule, 1.0, rate, source, with_threads(threads)).entries;
  };
  const auto all = accumulate_gram(table, rule, 1.0).entries;
  const auto expected = sampled(0.3, 1);
  for (const unsigned threads : thread_counts) {
    EXPECT_TRUE(sampled(0.3, threads) == expected);
    EXPECT_TRUE(sampled(1.0, threads) == all);
    EXPECT_TRUE(sampled(0.0, threads) == std::vector<Integer128>(all.size(), 0));
  }
  SeededSource source(18);
  for (const double rate : {-0.1, 1.1, std::nan("")})
    EXPECT_THROW(accumulate_sampled_gram(table, rule, 1.0, rate, source), InvalidParameter);
}

// Rows that are all the same count themselves. Binomial(100000, 0.3): further than 6.2 deviations
// from its mean with probability below 6e-10.
TEST(AccumulateSampledGram, IncludesAsManyRowsAsItShould) {
  const TemporaryFolder folder;
  std::string text = "a\n";
  constexpr int rows = 100000;
  for (int i = 0; i < rows; ++i) text += "0.5\n";
  const Table table = table_of(folder.write("t.csv", text));
  SeededSource source(19);
  const IntegerGram gram = accumulate_sampled_gram(table, RowRule(table, {}), 1.0, 0.3, source);
  const double count = gram.matrix()(0, 0) / 0.25;
  EXPECT_EQ(count, std::floor(count));
  EXPECT_NEAR(count, 0.3 * rows, 6.2 * std::sqrt(0.3 * 0.7 * rows));
}

TEST(AccumulateSum, IsTheSumOfTheClippedRows) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", random_csv(50000, 6, 20)));
  const RowRule rule(table, {"x5", "x0"}, {{"x0", Range(-1, 2)}}, true);
  const RowBlock rows = clipped_rows(table, rule, 1.25);
  for (const unsigned threads : thread_counts) {
    const IntegerSum sum = accumulate_sum(table, rule, 1.25, with_threads(threads));
    EXPECT_TRUE(sum.rows == rows.rows());
    EXPECT_EQ(sum.grid, IntegerClip(1.25).grid());
    EXPECT_EQ(sum.row_norm_bound, 1.25);
    ASSERT_EQ(sum.entries.size(), 3u);
    for (Eigen::Index j = 0; j < 3; ++j)
      EXPECT_TRUE(sum.entries[static_cast<std::size_t>(j)] ==
                  static_cast<Integer128>(rows.col(j).sum()));  // below 2^53: exact
  }
}

TEST(AccumulatePlainGram, HasTheSameBitsForAnyNumberOfThreads) {
  const TemporaryFolder folder;
  // Many rows a block, and fewer than columns.
  for (const auto& [rows, columns] : {std::pair{60000, 9}, std::pair{1000, 500}}) {
    const Table table = table_of(folder.write("t.csv", random_csv(rows, columns, 21)));
    const RowRule rule(table, {}, {}, true);
    const Eigen::MatrixXd expected = accumulate_plain_gram(table, rule, with_threads(1));
    const RowBlock all = rule.apply(rows_of(table));
    const Eigen::MatrixXd direct = all.transpose() * all;
    EXPECT_LT((expected - direct).norm(), 1e-12 * direct.norm());
    EXPECT_EQ(expected, expected.transpose());
    for (const unsigned threads : thread_counts)
      EXPECT_EQ(accumulate_plain_gram(table, rule, with_threads(threads)), expected);
  }
}

}  // namespace
}  // namespace modicum::gram_test
