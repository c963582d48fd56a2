#include "modicum/release/row_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/rank_rows.h"
#include "data/temporary_files.h"
#include "modicum/data/gram.h"
#include "modicum/numerics/errors.h"
#include "numerics/dense.h"
#include "release/small_tables.h"
#include "support/refusals.h"

namespace modicum::row_scores_test {
namespace {

using testing::matrix;
using testing::random_rows;
using testing::refuses;
using testing::SeededRandom;
using testing::table_of;
using testing::TemporaryFolder;

Eigen::MatrixXd random_frame(SeededRandom& random, Eigen::Index rows, Eigen::Index columns) {
  const Eigen::MatrixXd gaussian = random_rows(random, rows, columns, 1.0);
  return HouseholderQr(gaussian).thin_orthogonal();
}

std::string as_csv(const Eigen::MatrixXd& rows) {
  std::string out = "kind";
  for (Eigen::Index j = 0; j < rows.cols(); ++j) out += ",x" + std::to_string(j);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    out += "\nk" + std::to_string(i % 3);
    for (Eigen::Index j = 0; j < rows.cols(); ++j) out += "," + std::to_string(rows(i, j));
  }
  return out + "\n";
}

const char* const five_rows =
    "kind,x,y\n"
    "a,1,2\n"
    "b,zero,2\n"  // not a number: dropped
    "\"c, d\",3,-4\n"
    "e,,1\n"       // dropped
    "f,1,2,3\n"    // dropped
    ",\"5\",-0\n"  // a label may be empty
    "a,100,100\n";

TEST(RowScores, ArePlacesOfClippedRowsScaledToTheRootOfTheDimension) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", five_rows));
  const RowRule rule(table, {"x", "y"});
  const RowScores scores =
      score_rows(table, rule, {RowScaling::separate, 8.0, "kind"}, Eigen::MatrixXd::Identity(2, 2));
  EXPECT_EQ(scores.labels, (std::vector<std::string>{"a", "c, d", "", "a"}));
  ASSERT_EQ(scores.values.rows(), 4);
  const double scale = std::sqrt(2.0) / 8.0, long_row = 8.0 / std::sqrt(2.0);
  const RowBlock expected = matrix({{1, 2}, {3, -4}, {5, 0}, {long_row, long_row}}) * scale;
  EXPECT_LE((scores.values - expected).cwiseAbs().maxCoeff(), 2e-6);  // the grid of the clip
  EXPECT_NEAR(scores.squared_lengths, expected.squaredNorm(), 1e-5);
}

TEST(RowScores, AreTheSameWithAndWithoutLabels) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", five_rows));
  const RowRule rule(table, {"y", "x"}, {{"x", Range(0, 4)}});
  SeededRandom random(1);
  const Eigen::MatrixXd frame = random_frame(random, 2, 1);
  for (const RowScaling scaling : {RowScaling::separate, RowScaling::ranks}) {
    const RowScores with = score_rows(table, rule, {scaling, 3.0, "kind"}, frame);
    const RowScores without = score_rows(table, rule, {scaling, 3.0, {}}, frame);
    EXPECT_EQ(with.values, without.values);
    EXPECT_EQ(with.squared_lengths, without.squared_lengths);
    EXPECT_EQ(with.labels.size(), 4u);
    EXPECT_TRUE(without.labels.empty());
  }
}

TEST(RowScores, OfRanksAreThoseOfTheTable) {
  SeededRandom random(2);
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", as_csv(random_rows(random, 300, 4, 1.0))));
  const RowRule rule(table, {"x0", "x1", "x2", "x3"});
  const Eigen::MatrixXd frame = random_frame(random, 4, 2);
  const RowScores scores = score_rows(table, rule, {RowScaling::ranks, 1.0, "kind"}, frame);
  const RowBlock ranks = rank_rows(table, rule, {});
  EXPECT_LE((scores.values - ranks * frame).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(scores.labels[1], "k1");
  EXPECT_NEAR(scores.squared_lengths, ranks.squaredNorm(), 1e-10);
}

// Several blocks, on several threads: the order of the file all the same.
TEST(RowScores, KeepTheOrderOfALongFile) {
  SeededRandom random(3);
  const TemporaryFolder folder;
  const Eigen::MatrixXd rows = random_rows(random, 60000, 4, 1.0);
  const Table table = table_of(folder.write("t.csv", as_csv(rows)));
  const RowRule rule(table, {"x0", "x1", "x2", "x3"});
  const ScoredRows how{RowScaling::separate, 2.0, "kind"};
  ReadOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const RowScores scores = score_rows(table, rule, how, Eigen::MatrixXd::Identity(4, 4), four);
  ASSERT_EQ(scores.values.rows(), rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double clip = std::max(1.0, rows.row(i).norm() / 2.0);
    ASSERT_LE((scores.values.row(i) - rows.row(i) / clip).cwiseAbs().maxCoeff(), 1e-5) << i;
    ASSERT_EQ(scores.labels[static_cast<std::size_t>(i)], "k" + std::to_string(i % 3));
  }
  const RowScores again = score_rows(table, rule, how, Eigen::MatrixXd::Identity(4, 4), one);
  EXPECT_EQ(again.values, scores.values);
  EXPECT_EQ(again.squared_lengths, scores.squared_lengths);
}

TEST(RowScores, AlongTheTopComponentsHaveTheEigenvaluesAsSquares) {
  SeededRandom random(4);
  const TemporaryFolder folder;
  Eigen::MatrixXd rows = random_rows(random, 500, 5, 1.0);
  rows.col(1) *= 3.0;
  rows.col(3) *= 2.0;
  const Table table = table_of(folder.write("t.csv", as_csv(rows)));
  const RowRule rule(table, {"x0", "x1", "x2", "x3", "x4"});
  const double bound = 4.0;
  const Eigen::MatrixXd moments = accumulate_gram(table, rule, bound).matrix() * 5.0 / 16.0;
  const Eigen::MatrixXd top = top_components(moments, 3);
  const RowScores scores = score_rows(table, rule, {RowScaling::separate, bound, {}}, top);
  const Eigen::MatrixXd products = scores.values.transpose() * scores.values;
  // Uncorrelated along eigenvectors, and M u = (u^T M u) u.
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_LE((moments * top.col(i) - products(i, i) * top.col(i)).norm(), 1e-9 * products(0, 0));
    for (Eigen::Index j = 0; j < i; ++j) {
      EXPECT_GE(products(j, j), products(i, i));
      EXPECT_NEAR(products(i, j), 0.0, 1e-9 * products(0, 0));
    }
    EXPECT_EQ(top.col(i).maxCoeff(), top.col(i).cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(scores.squared_lengths, moments.trace(), 1e-9 * moments.trace());
}

TEST(RowScores, OfAnEmptyTableAreNone) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", "kind,x,y\na,b,c\n"));
  const RowRule rule(table, {"x", "y"});
  for (const RowScaling scaling : {RowScaling::separate, RowScaling::ranks}) {
    const RowScores scores =
        score_rows(table, rule, {scaling, 1.0, "kind"}, Eigen::MatrixXd::Identity(2, 2));
    EXPECT_EQ(scores.values.rows(), 0);
    EXPECT_EQ(scores.values.cols(), 2);
    EXPECT_TRUE(scores.labels.empty());
  }
}

TEST(RowScores, NameTheBadRowWhereItIsRefused) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", "kind,x,y\na,1,2\nb,zero,2\n"));
  const RowRule rule(table, {"x", "y"});
  const std::string message = testing::refusal([&] {
    score_rows(table, rule, {RowScaling::separate, 1.0, "kind"}, Eigen::MatrixXd::Identity(2, 2),
               testing::strict());
  });
  EXPECT_CONTAINS(message, "line 3, column x");
}

TEST(RowScores, RefusesOtherShapesAndColumns) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", five_rows));
  const RowRule rule(table, {"x", "y"});
  EXPECT_TRUE(refuses(
      "components", [&] { return score_rows(table, rule, {}, Eigen::MatrixXd::Identity(3, 2)); }));
  EXPECT_TRUE(refuses("label", [&] {
    return score_rows(table, rule, {RowScaling::separate, 1.0, "none"},
                      Eigen::MatrixXd::Identity(2, 2));
  }));
  for (const Eigen::Index count : {0, 3})
    EXPECT_TRUE(refuses("components",
                        [&] { return top_components(Eigen::MatrixXd::Identity(2, 2), count); }));
  EXPECT_TRUE(refuses("components", [] {
    return turned_towards(Eigen::MatrixXd::Identity(3, 2), Eigen::MatrixXd::Identity(3, 1));
  }));
}

TEST(TurnedTowards, FindsTheTurnInTheSameSpan) {
  SeededRandom random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd goal = random_frame(random, 7, 3);
    const Eigen::MatrixXd turn = random_frame(random, 3, 3);  // with reflections
    EXPECT_LE((turned_towards(goal * turn, goal) - goal).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(TurnedTowards, KeepsTheSpanAndIsNearerThanAnyOtherTurn) {
  SeededRandom random(6);
  const Eigen::MatrixXd goal = random_frame(random, 6, 3), frame = random_frame(random, 6, 3);
  const Eigen::MatrixXd turned = turned_towards(frame, goal);
  EXPECT_LE((turned * turned.transpose() - frame * frame.transpose()).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE((turned.transpose() * turned - Eigen::MatrixXd::Identity(3, 3)).norm(), 1e-14);
  const double least = (turned - goal).norm();
  for (int trial = 0; trial < 2000; ++trial)
    EXPECT_GE((frame * random_frame(random, 3, 3) - goal).norm(), least - 1e-14);
  // Small turns around the best one, too: a local minimum.
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::MatrixXd small = random_rows(random, 3, 3, 0.01);
    const Eigen::MatrixXd near = Eigen::MatrixXd::Identity(3, 3) + small - small.transpose();
    const Eigen::MatrixXd q = HouseholderQr(near).orthogonal();
    const Eigen::MatrixXd signs = (q.transpose() * near).diagonal().cwiseSign().asDiagonal();
    EXPECT_GE((turned * q * signs - goal).norm(), least - 1e-14);
  }
}

TEST(TurnedTowards, StaysOrthonormalWhereNothingIsInCommon) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(4, 4);
  const Eigen::MatrixXd turned = turned_towards(identity.leftCols(2), identity.rightCols(2));
  EXPECT_LE((turned.transpose() * turned - Eigen::MatrixXd::Identity(2, 2)).norm(), 1e-14);
}

}  // namespace
}  // namespace modicum::row_scores_test
