#include "modicum/data/ranks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/rank_rows.h"
#include "data/temporary_files.h"
#include "numerics/dense.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::ranks_test {
namespace {

RowBlock random_values(SeededRandom& random, int rows, int columns, int distinct) {
  return RowBlock::NullaryExpr(rows, columns,
                               [&] { return static_cast<double>(random.whole(1, distinct)); });
}

// By the definition: the rank of a value among its equals is the mean of their places.
RowBlock naive_ranks(const RowBlock& values) {
  const Eigen::Index n = values.rows();
  RowBlock result = RowBlock::Zero(n, values.cols());
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < n && n > 1; ++i) {
      double below = 0.0, equal = 0.0;
      for (Eigen::Index k = 0; k < n; ++k) {
        below += values(k, j) < values(i, j) ? 1.0 : 0.0;
        equal += values(k, j) == values(i, j) ? 1.0 : 0.0;
      }
      const double rank = below + 0.5 * (equal + 1.0), size = static_cast<double>(n);
      result(i, j) = 2.0 / (size - 1.0) * (rank - 0.5 * (size + 1.0));
    }
  return result;
}

RowBlock with_row(const RowBlock& values, const Eigen::RowVectorXd& row) {
  RowBlock result(values.rows() + 1, row.size());
  result << values, row;
  return result;
}

Table table_with(const TemporaryFolder& folder, const RowBlock& values) {
  std::string text;
  for (Eigen::Index j = 0; j < values.cols(); ++j) text += fmt::format("{}x{}", j ? "," : "", j);
  text += "\n";
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index j = 0; j < values.cols(); ++j)
      text += fmt::format("{}{}", values(i, j), j + 1 < values.cols() ? ',' : '\n');
  return table_of(folder.write("x.csv", text));
}

TEST(Ranks, AgreeWithTheDefinitionWithAndWithoutTies) {
  SeededRandom random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const RowBlock values = random_values(random, random.whole(1, 40), random.whole(1, 5),
                                          trial % 2 == 0 ? 4 : 1000000);
    const RowBlock expected = naive_ranks(values);
    EXPECT_LT((ranks_of(values) - expected).cwiseAbs().maxCoeff(), 1e-14);
    const RankMoments moments = rank_moments_of(values);
    EXPECT_EQ(moments.rows, static_cast<double>(values.rows()));
    const Eigen::MatrixXd products = expected.transpose() * expected;
    EXPECT_LT((moments.matrix - products).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_EQ(moments.matrix, moments.matrix.transpose());
  }
}

TEST(Ranks, AreKnownForVeryFewRowsAndForConstantColumns) {
  EXPECT_EQ(ranks_of(matrix({{7.0, -1.0}})), matrix({{0.0, 0.0}}));
  EXPECT_EQ(ranks_of(matrix({{7.0, 3.0, 0.0}, {9.0, 1.0, -0.0}})),
            matrix({{-1.0, 1.0, 0.0}, {1.0, -1.0, 0.0}}));
  EXPECT_EQ(ranks_of(RowBlock::Constant(5, 2, 3.25)), RowBlock::Zero(5, 2));
  EXPECT_EQ(ranks_of(matrix({{1.0}, {5.0}, {5.0}, {6.0}, {2.0}})),
            matrix({{-1.0}, {0.25}, {0.25}, {1.0}, {-0.5}}));
  const RankMoments none = rank_moments_of(RowBlock(0, 3));
  EXPECT_EQ(none.rows, 0.0);
  EXPECT_EQ(none.matrix, Eigen::MatrixXd::Zero(3, 3));
}

TEST(Ranks, MomentsDependOnTheOrderOfNeitherRowsNorThreads) {
  SeededRandom random(2);
  const TemporaryFolder folder, reversed_folder;
  // Some megabytes, so that there are many blocks.
  const RowBlock values = RowBlock::NullaryExpr(60000, 3, [&] { return random.normal(); });
  const Table table = table_with(folder, values);
  const Table reversed = table_with(reversed_folder, values.colwise().reverse());
  const RowRule rule(table, {});
  ReadOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const RankMoments moments = accumulate_rank_moments(table, rule, one);
  EXPECT_EQ(moments.matrix, accumulate_rank_moments(table, rule, four).matrix);
  EXPECT_EQ(moments.matrix, accumulate_rank_moments(reversed, RowRule(reversed, {}), four).matrix);
  // Without ties n (n + 1)/(3 (n - 1)), exactly rounded.
  const double n = 60000.0;
  EXPECT_EQ(moments.matrix(0, 0), n * (n * n - 1.0) / 3.0 / ((n - 1.0) * (n - 1.0)));
  EXPECT_EQ(rank_rows(table, rule, four), ranks_of(values));
}

TEST(Ranks, ClampToRangesFirstAndDropBadRows) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("x.csv", "a,b\n1,5\n2,6\nNA,1\n30,7\n40,8\n"));
  const RowRule rule(table, {"a"}, {{"a", {0.0, 10.0}}});
  EXPECT_EQ(rank_rows(table, rule, {}), ranks_of(matrix({{1.0}, {2.0}, {10.0}, {10.0}})));
  EXPECT_EQ(accumulate_rank_moments(table, rule).rows, 4.0);
  EXPECT_THROW(accumulate_rank_moments(table, rule, strict()), UnreadableFile);
}

TEST(Ranks, OfAnyIncreasingFunctionAreTheSame) {
  SeededRandom random(3);
  const RowBlock values = random_values(random, 30, 4, 9);
  EXPECT_EQ(ranks_of(values), ranks_of(values.array().exp().matrix()));
}

// How far a row moves the moments: in the Frobenius norm over 3 p, and the spread of v^T D v over
// all unit v, D the difference, over 4.5 p.
struct Movement {
  double frobenius = 0.0, range = 0.0;

  void see(const RowBlock& values, const Eigen::RowVectorXd& row) {
    const Eigen::MatrixXd difference =
        rank_moments_of(with_row(values, row)).matrix - rank_moments_of(values).matrix;
    const auto p = static_cast<double>(row.size());
    frobenius = std::max(frobenius, difference.norm() / rank_moments_sensitivity(p));
    const Eigen::VectorXd values_of = symmetric_eigenvalues(difference);
    // On a line there is one direction only.
    const double spread = p > 1.0 ? values_of[values_of.size() - 1] - values_of[0] : 0.0;
    range = std::max(range, spread / (4.5 * p));
  }
};

// All tables of up to three rows and two columns, up to their order, and all rows: below, at,
// between and above the values.
TEST(RankMoments, MoveByNoMoreThanIsProvedForEveryVerySmallTable) {
  Movement worst;
  for (int rows = 0; rows <= 3; ++rows) {
    const int tables = static_cast<int>(std::pow(rows, 2 * rows));
    for (int table = 0; table < tables; ++table) {
      RowBlock values(rows, 2);
      for (int entry = 0, code = table; entry < 2 * rows; ++entry, code /= rows)
        values(entry / 2, entry % 2) = code % rows;
      for (double x = -0.5; x <= rows; x += 0.5)
        for (double y = -0.5; y <= rows; y += 0.5) worst.see(values, Eigen::RowVector2d(x, y));
    }
  }
  EXPECT_LE(worst.frobenius, 1.0);
  EXPECT_LE(worst.range, 1.0);
  // No bound is that far off: a row adds itself at least.
  EXPECT_GE(worst.frobenius, 1.0 / 3.0);
  EXPECT_GE(worst.range, 1.0 / 4.5);
}

// Rows at the ends, in the middle and anywhere, to tables whose columns agree, are opposed, are
// tied in two halves or have nothing to do with each other.
TEST(RankMoments, MoveByNoMoreThanIsProvedForAdversarialRows) {
  SeededRandom random(4);
  Movement worst;
  for (int trial = 0; trial < 4000; ++trial) {
    const int n = random.whole(1, 60), p = random.whole(1, 6), kind = trial % 4;
    RowBlock values(n, p);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < p; ++j) {
        const double place = kind == 1 && j % 2 == 1 ? n - 1 - i : i;
        values(i, j) = kind == 2 ? (2 * i < n ? 0.0 : 1.0) : kind == 3 ? random.unit() * n : place;
      }
    Eigen::RowVectorXd row(p);
    for (int j = 0; j < p; ++j) {
      const double choices[] = {-1.0, n + 1.0, 0.5 * n, random.uniform(-1.0, n)};
      row[j] = choices[random.whole(0, 3)];
    }
    worst.see(values, row);
  }
  EXPECT_LE(worst.frobenius, 1.0);
  EXPECT_LE(worst.range, 1.0);
  // What is found is this much of what is proved.
  EXPECT_NEAR(worst.frobenius, 0.70, 0.02);
  EXPECT_NEAR(worst.range, 0.66, 0.02);
}

TEST(RankMoments, SensitivityRefusesWhatIsNoDimension) {
  EXPECT_EQ(rank_moments_sensitivity(200.0), 600.0);
  for (const double bad : {0.0, -1.0, 1.5, 0x1p52, not_a_number, infinity})
    EXPECT_TRUE(refuses("dimension", [&] { return rank_moments_sensitivity(bad); }));
}

}  // namespace
}  // namespace modicum::testing::ranks_test
