#include "modicum/release/inherent.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "modicum/mechanisms/least_squares.h"
#include "modicum/privacy/gaussian_pair.h"
#include "numerics/dense.h"
#include "release/sketches/leverage_frontier.h"
#include "release/small_tables.h"
#include "support/refusals.h"

namespace modicum::testing::inherent_test {
namespace {

// The analysis of a table with these rows; the last column is the target.
InherentPrivacy analysis_of(const Eigen::MatrixXd& rows, bool regression = true) {
  const TemporaryFolder folder;
  std::string text;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      text += fmt::format("{}{}", j == 0 ? "" : ",", rows(i, j));
    text += '\n';
  }
  const Table table({{folder.write("rows.csv", text)}, false, ','});
  return analyze_inherent(table, RowRule(table, {}), regression);
}

Eigen::VectorXd solution_of(const Eigen::MatrixXd& rows) {
  const Eigen::Index d = rows.cols() - 1;
  const HouseholderQr features(rows.leftCols(d));
  const Eigen::VectorXd along = features.thin_orthogonal().transpose() * rows.col(d);
  return features.triangle().triangularView<Eigen::Upper>().solve(along);
}

// N(x, |e|^2 (B^T B)^-1 / r), from its definition.
GaussianDistribution law_of(const Eigen::MatrixXd& rows, double columns) {
  const Eigen::Index d = rows.cols() - 1;
  const Eigen::MatrixXd features = rows.leftCols(d);
  const Eigen::VectorXd x = solution_of(rows), residual = rows.col(d) - features * x;
  const Eigen::MatrixXd inverse = CholeskyFactor(features.transpose() * features).inverse();
  return {x, residual.squaredNorm() / columns * 0.5 * (inverse + inverse.transpose())};
}

double delta_of(const GaussianDistribution& with, const GaussianDistribution& without,
                double epsilon) {
  return profile(PrivacyLoss::gaussian(reduce_pair(with, without, Accuracy::fast).value()), epsilon,
                 Accuracy::fast)
      .delta()
      .upper();
}

// The largest delta over all neighbors by a row of the table, one dense pair after the other.
double brute_force(const Eigen::MatrixXd& rows, double columns, double epsilon) {
  const GaussianDistribution here = law_of(rows, columns);
  double largest = 0.0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    largest = std::max({largest, delta_of(here, law_of(without_row(rows, i), columns), epsilon),
                        delta_of(law_of(with_row(rows, rows.row(i)), columns), here, epsilon)});
  return largest;
}

// A table with some rows far out and some that are there twice.
Eigen::MatrixXd uneven_rows(SeededRandom& random, long rows, long columns) {
  Eigen::MatrixXd result = random_rows(random, rows, columns, 1.0);
  result.row(0) *= 3.0;
  result(1, columns - 1) += 4.0;
  result.row(3) = result.row(2);
  return result;
}

TEST(Inherent, LeastSquaresIsTheWorstOfAllNeighbors) {
  SeededRandom random(1);
  for (const long features : {1L, 2L, 4L})
    for (int repetition = 0; repetition < 3; ++repetition) {
      const Eigen::MatrixXd rows = uneven_rows(random, 30, features + 1);
      const InherentPrivacy found = analysis_of(rows);
      ASSERT_TRUE(found.regression);
      for (const double columns : {6.0, 200.0})
        for (const double epsilon : {0.0, 0.3, 1.0, 4.0}) {
          const double exact = brute_force(rows, columns, epsilon);
          EXPECT_NEAR(inherent_least_squares_delta(found, columns, epsilon), exact, 1e-6 * exact)
              << features << " features, " << columns << " columns, epsilon " << epsilon;
        }
    }
}

// One row with p = 0.27 and q - p = 0.175, 28 with little of both. Removing it hardly changes the
// variance, since a = 0 near q - p = p - p^2; adding it again does.
Eigen::MatrixXd rows_with_a_duplicate_to_fear() {
  const double p = 0.27, s = 0.175, other = std::sqrt((1.0 - p) / 28.0);
  const double back = -std::sqrt(s * p) / (1.0 - p) * other;
  const double rest = std::sqrt((1.0 - s - 28.0 * back * back) / 28.0);
  Eigen::MatrixXd rows(29, 2);
  rows.row(0) << std::sqrt(p), std::sqrt(s);
  for (Eigen::Index i = 1; i < 29; ++i) rows.row(i) << other, back + (i % 2 == 0 ? rest : -rest);
  return rows;
}

TEST(Inherent, ADuplicateMayTellMoreThanARemoval) {
  const Eigen::MatrixXd rows = rows_with_a_duplicate_to_fear();
  const InherentPrivacy found = analysis_of(rows);
  EXPECT_NEAR(found.regression->leverage, 0.27, 1e-12);
  EXPECT_NEAR(found.regression->residual, 0.175, 1e-12);
  const double exact = brute_force(rows, 1.0, 1.73);
  EXPECT_NEAR(inherent_least_squares_delta(found, 1.0, 1.73), exact, 1e-6 * exact);
  double by_removals = 0.0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    by_removals =
        std::max(by_removals, delta_of(law_of(rows, 1.0), law_of(without_row(rows, i), 1.0), 1.73));
  EXPECT_LT(by_removals, 0.5 * exact);
}

// Columns of a projection are N(0, D^T D).
TEST(Inherent, ProjectionIsTheWorstOfAllNeighbors) {
  SeededRandom random(2);
  const Eigen::MatrixXd rows = uneven_rows(random, 30, 3);
  const InherentPrivacy found = analysis_of(rows, false);
  EXPECT_FALSE(found.regression);
  const auto law = [](const Eigen::MatrixXd& each) {
    return GaussianDistribution{Eigen::VectorXd::Zero(each.cols()), each.transpose() * each};
  };
  const auto delta = [](const GaussianDistribution& with, const GaussianDistribution& without,
                        double columns, double epsilon) {
    const auto spectrum = reduce_pair(with, without, Accuracy::fast).value();
    return profile(PrivacyLoss::gaussian(spectrum).repeated(columns), epsilon, Accuracy::fast)
        .delta()
        .upper();
  };
  for (const double columns : {1.0, 40.0})
    for (const double epsilon : {0.0, 0.5, 2.0}) {
      double largest = 0.0;
      for (Eigen::Index i = 0; i < rows.rows(); ++i)
        largest = std::max({largest, delta(law(rows), law(without_row(rows, i)), columns, epsilon),
                            delta(law(with_row(rows, rows.row(i))), law(rows), columns, epsilon)});
      EXPECT_NEAR(inherent_projection_delta(found, columns, epsilon), largest, 1e-6 * largest);
    }
}

TEST(Inherent, ExtremesAreThoseOfTheRows) {
  SeededRandom random(3);
  const Eigen::MatrixXd rows = uneven_rows(random, 40, 4);
  const InherentPrivacy found = analysis_of(rows);
  const Eigen::MatrixXd features = rows.leftCols(3);
  const Eigen::VectorXd x = solution_of(rows), residual = rows.col(3) - features * x;
  const auto leverages = [](const Eigen::MatrixXd& each) -> Eigen::VectorXd {
    return (each * CholeskyFactor(each.transpose() * each).inverse() * each.transpose()).diagonal();
  };
  double moved = 0.0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    moved = std::max({moved, (solution_of(without_row(rows, i)) - x).norm(),
                      (solution_of(with_row(rows, rows.row(i))) - x).norm()});
  EXPECT_EQ(found.rows, 40.0);
  EXPECT_EQ(found.rank, 4.0);
  EXPECT_NEAR(found.leverage, leverages(rows).maxCoeff(), 1e-12);
  EXPECT_NEAR(found.regression->leverage, leverages(features).maxCoeff(), 1e-12);
  EXPECT_NEAR(found.regression->residual, residual.cwiseAbs2().maxCoeff() / residual.squaredNorm(),
              1e-12);
  EXPECT_NEAR(found.regression->solution_sensitivity, moved, 1e-10);
  EXPECT_FALSE(found.regression->loses_rank);
}

// Leverages do not change under linear maps of the columns. The condition number is 1e7; by way of
// the Gram matrix its square would leave two digits.
TEST(Inherent, KeepsItsDigitsForColumnsThatAreAlmostDependent) {
  SeededRandom random(4);
  const Eigen::MatrixXd rows = uneven_rows(random, 50, 3);
  Eigen::MatrixXd close = rows;
  close.col(1) = 1e4 * (rows.col(0) + 1e-7 * rows.col(1));
  const InherentPrivacy found = analysis_of(rows), mapped = analysis_of(close);
  EXPECT_NEAR(mapped.leverage, found.leverage, 1e-7);
  EXPECT_NEAR(mapped.regression->leverage, found.regression->leverage, 1e-7);
  EXPECT_NEAR(mapped.regression->residual, found.regression->residual, 1e-7);
}

TEST(Inherent, DependentColumnsHaveTheLeveragesOfIndependentOnes) {
  SeededRandom random(5);
  const Eigen::MatrixXd rows = uneven_rows(random, 30, 3);
  Eigen::MatrixXd more(30, 6);
  more << rows, rows.col(0) + 2.0 * rows.col(1), Eigen::VectorXd::Zero(30), rows.col(2);
  const InherentPrivacy found = analysis_of(more, false);
  EXPECT_EQ(found.dimension, 6.0);
  EXPECT_EQ(found.rank, 3.0);
  EXPECT_NEAR(found.leverage, analysis_of(rows, false).leverage, 1e-12);
  const Eigen::MatrixXd last_depends = more.leftCols(4);
  EXPECT_TRUE(refuses("the target", [&] { return analysis_of(last_depends); }));
  EXPECT_TRUE(refuses("the list of features", [&] { return analysis_of(more); }));
}

// The only row with a feature: without it there is no coefficient.
TEST(Inherent, ARowThatAloneHoldsADirectionGivesItselfAway) {
  SeededRandom random(6);
  Eigen::MatrixXd rows = random_rows(random, 20, 3, 1.0);
  rows.col(1).setZero();
  rows(7, 1) = 1.0;
  const InherentPrivacy found = analysis_of(rows);
  EXPECT_TRUE(found.regression->loses_rank);
  EXPECT_EQ(found.regression->solution_sensitivity, infinity);
  EXPECT_EQ(inherent_least_squares_delta(found, 1000.0, 50.0), 1.0);
  EXPECT_EQ(inherent_projection_delta(found, 1000.0, 50.0), 1.0);
}

TEST(Inherent, RefusesWhatItCannotLookAt) {
  EXPECT_TRUE(refuses("the list of features", [] { return analysis_of(Eigen::MatrixXd(3, 1)); }));
  const TemporaryFolder folder;
  const Table empty({{folder.write("rows.csv", "a,b\n")}, true, ','});
  EXPECT_THROW(analyze_inherent(empty, RowRule(empty, {}), false), UnreadableFile);
  SeededRandom random(7);
  const InherentPrivacy found = analysis_of(random_rows(random, 20, 2, 1.0));
  EXPECT_TRUE(refuses("columns", [&] { return inherent_projection_delta(found, 0.0, 1.0); }));
  EXPECT_TRUE(refuses("columns", [&] { return inherent_least_squares_delta(found, 0.5, 1.0); }));
}

double delta_of(const LeveragePair& pair, double columns, double features, double epsilon) {
  return profile(least_squares(columns, features, pair.row, pair.row + pair.residual), epsilon,
                 Accuracy::fast)
      .delta()
      .upper();
}

// Pairs that differ much in size and direction, on both sides of a = 0.
LeveragePair random_pair(SeededRandom& random) {
  const double p = random.log_uniform(1e-4, 0.4);
  return {p, std::min(0.5, p * random.log_uniform(0.05, 20.0))};
}

TEST(LeverageFrontier, KeepsTheWorstAtEveryEpsilon) {
  SeededRandom random(8);
  for (const double features : {1.0, 2.0, 10.0}) {
    LeverageFrontier frontier(features);
    std::vector<LeveragePair> all;
    for (int i = 0; i < 300; ++i) {
      all.push_back(random_pair(random));
      frontier.add(all.back());
    }
    const std::vector<LeveragePair> kept = frontier.pairs();
    EXPECT_LT(kept.size(), 60U);
    const auto worst = [&](const std::vector<LeveragePair>& pairs, double columns, double epsilon) {
      double largest = 0.0;
      for (const LeveragePair& pair : pairs)
        largest = std::max(largest, delta_of(pair, columns, features, epsilon));
      return largest;
    };
    for (const double columns : {3.0, 300.0})
      for (const double epsilon : {0.0, 1.0, 5.0}) {
        const double exact = worst(all, columns, epsilon);
        EXPECT_NEAR(worst(kept, columns, epsilon), exact, 1e-9 * exact) << features;
      }
  }
}

// What is thrown away has nowhere a larger delta than one of those that are kept.
TEST(LeverageFrontier, DropsOnlyWhatIsDominated) {
  SeededRandom random(9);
  int dropped = 0;
  for (int i = 0; i < 200; ++i) {
    LeverageFrontier frontier(3.0);
    const LeveragePair first = random_pair(random), second = random_pair(random);
    frontier.add(first);
    frontier.add(second);
    const std::vector<LeveragePair> kept = frontier.pairs();
    if (kept.size() == 2) continue;
    ++dropped;
    const LeveragePair& gone = kept.front().row == first.row ? second : first;
    for (const double columns : {1.0, 50.0})
      for (const double epsilon : {0.1, 2.0})
        EXPECT_LE(delta_of(gone, columns, 3.0, epsilon),
                  delta_of(kept.front(), columns, 3.0, epsilon) * (1.0 + 1e-9));
  }
  EXPECT_GT(dropped, 30);
}

// The first has less of everything but the sign of a, and the larger delta at epsilon = 2.5.
TEST(LeverageFrontier, KeepsPairsWithVarianceOfEitherKind) {
  const LeveragePair narrower{0.440183, 0.0764263}, wider{0.131303, 0.311336};
  EXPECT_GT(delta_of(narrower, 1.0, 1.0, 2.5), 5.0 * delta_of(wider, 1.0, 1.0, 2.5));
  LeverageFrontier frontier(1.0);
  frontier.add(narrower);
  frontier.add(wider);
  EXPECT_EQ(frontier.pairs().size(), 2U);
}

RC_GTEST_PROP(LeverageFrontier, DoesNotDependOnTheOrderNorOnTheBlocks, (std::uint64_t seed)) {
  SeededRandom random(seed);
  LeverageFrontier forward(4.0), backward(4.0), joined(4.0), block(4.0);
  std::vector<LeveragePair> all;
  for (int i = 0; i < 50; ++i) all.push_back(random_pair(random));
  all.push_back(all.front());
  for (std::size_t i = 0; i < all.size(); ++i) {
    forward.add(all[i]);
    backward.add(all[all.size() - 1 - i]);
    (i < 20 ? joined : block).add(all[i]);
  }
  joined.add(block);
  const auto sorted = [](const LeverageFrontier& frontier) {
    std::vector<std::pair<double, double>> result;
    for (const LeveragePair& pair : frontier.pairs()) result.emplace_back(pair.row, pair.residual);
    std::ranges::sort(result);
    return result;
  };
  RC_ASSERT(sorted(forward) == sorted(backward));
  RC_ASSERT(sorted(forward) == sorted(joined));
}

}  // namespace
}  // namespace modicum::testing::inherent_test
