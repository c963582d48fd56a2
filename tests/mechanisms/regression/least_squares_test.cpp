#include "modicum/mechanisms/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/gaussian_pair.h"
#include "numerics/dense.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::least_squares_test {
namespace {

double delta_at(double columns, double features, double p, double q, double epsilon) {
  return profile(least_squares(columns, features, p, q), epsilon, Accuracy::fast).delta().upper();
}

// The two Gaussians themselves, from a table and the same table without its first row.
struct Neighbors {
  GaussianDistribution with, without;
  double p, q;
};

GaussianDistribution sketched_solution(const Eigen::MatrixXd& table, double columns) {
  const Eigen::Index d = table.cols() - 1;
  const Eigen::MatrixXd gram = table.transpose() * table;
  const Eigen::MatrixXd inverse = CholeskyFactor(gram.topLeftCorner(d, d)).inverse();
  const Eigen::VectorXd x = inverse * gram.topRightCorner(d, 1);
  const double error = (table.leftCols(d) * x - table.col(d)).squaredNorm();
  Eigen::MatrixXd covariance = error / columns * inverse;
  covariance = 0.5 * (covariance + covariance.transpose()).eval();
  return {x, covariance};
}

Neighbors make_neighbors(Eigen::Index rows, Eigen::Index features, double columns, unsigned seed) {
  SeededRandom random(seed);
  Eigen::MatrixXd table(rows, features + 1);
  for (double& entry : table.reshaped()) entry = random.normal();
  const auto leverage = [&](Eigen::Index width) {
    const Eigen::MatrixXd part = table.leftCols(width);
    const Eigen::VectorXd row = part.row(0).transpose();
    return row.dot(CholeskyFactor(part.transpose() * part).solve(row).col(0));
  };
  return {sketched_solution(table, columns), sketched_solution(table.bottomRows(rows - 1), columns),
          leverage(features), leverage(features + 1)};
}

TEST(LeastSquares, IsThePairOfTheTwoGaussiansThemselves) {
  int told_apart = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Eigen::Index features = 1 + seed % 4;
    const double columns = 2.0 * seed;
    const Neighbors pair = make_neighbors(features + 5 + seed, features, columns, seed);
    const auto spectrum = reduce_pair(pair.with, pair.without, Accuracy::certified);
    ASSERT_TRUE(spectrum.has_value());
    for (const double epsilon : {0.0, 0.1, 0.4}) {
      const ProfilePoint direct = profile(PrivacyLoss::gaussian(*spectrum), epsilon);
      const ProfilePoint formula =
          profile(least_squares(columns, static_cast<double>(features), pair.p, pair.q), epsilon);
      const auto agree = [](const Enclosure& a, const Enclosure& b) {
        return a.lower() <= b.upper() * (1 + 1e-9) && b.lower() <= a.upper() * (1 + 1e-9);
      };
      EXPECT_TRUE(agree(formula.forward, direct.forward)) << seed << ' ' << epsilon;
      EXPECT_TRUE(agree(formula.reverse, direct.reverse)) << seed << ' ' << epsilon;
      told_apart +=
          direct.forward.relative_width() < 1e-6 && !agree(formula.forward, direct.reverse);
    }
  }
  EXPECT_GE(told_apart, 15) << "the comparison must be able to fail";
}

// [LuWei2024, Theorem 5] assumes that delta grows with p at fixed q and with q at fixed p.
TEST(LeastSquares, GrowsNeitherWithTheRowLeverageNorWithTheResidual) {
  const double q = 0.03;
  EXPECT_NEAR(delta_at(1000, 10, 0.469 * q, q, 1.0), 0.00553, 5e-6);
  EXPECT_LT(delta_at(1000, 10, 0.75 * q, q, 1.0), delta_at(1000, 10, 0.469 * q, q, 1.0));
  EXPECT_NEAR(delta_at(4, 1, 0.1, 0.12, 1.0), 5.8e-6, 5e-8);
  EXPECT_NEAR(delta_at(4, 1, 0.1, 0.17, 1.0), 9.9e-7, 5e-9);
}

// The lemma that leaves only q = Q of the triangle.
TEST(LeastSquares, LosesMoreAlongRaysFromTheOrigin) {
  SeededRandom random(5);
  for (int trial = 0; trial < 25; ++trial) {
    const double q = 0.5 * random.unit(), p = q * random.unit();
    const double a = (1 - p) * (1 - p) / (1 - q) - 1, b = (1 - p) / (1 - q) - 1;
    const double stretch = 1.0 + random.unit();
    const double p2 = (stretch * b - stretch * a) / (1 + stretch * b);
    const double q2 = 1 - (1 + stretch * a) / std::pow(1 + stretch * b, 2);
    if (!(q2 < 1.0 && p2 >= 0.0 && p2 <= q2)) continue;
    const double columns = std::ceil(200 * random.unit());
    const double features = std::ceil(5 * random.unit());
    for (const double epsilon : {-0.5, 0.0, 0.2, 1.0}) {
      const auto inner = profile(least_squares(columns, features, p, q), epsilon);
      const auto outer = profile(least_squares(columns, features, p2, q2), epsilon);
      EXPECT_LE(inner.forward.lower(), outer.forward.upper() * (1 + 1e-12)) << p << " " << q;
      EXPECT_LE(inner.reverse.lower(), outer.reverse.upper() * (1 + 1e-12)) << p << " " << q;
    }
  }
}

TEST(LeastSquaresSupremum, BoundsEveryPointOfTheTriangle) {
  SeededRandom random(7);
  for (const auto& [columns, features, ridge, epsilon] : {std::tuple{1000.0, 10.0, 59.0, 1.0},
                                                          {20.0, 3.0, 9.0, 0.5},
                                                          {3.0, 1.0, 34.96, 0.2},
                                                          {2.0, 1.0, 0.4, 2.0},
                                                          {50.0, 2.0, 5.0, 0.0}}) {
    const double bound = 1.7;
    const double full = 1.0 / (1.0 + ridge);
    const ProfilePoint supremum =
        least_squares_supremum(columns, features, ridge * bound * bound, bound, epsilon, 0.02);
    EXPECT_EQ(supremum.proof, Proof::certified);
    double largest = 0.0;
    for (int i = 0; i < 400; ++i) {
      const double q = full * std::sqrt(random.unit()), p = q * random.unit();
      largest = std::max(largest, delta_at(columns, features, p, q, epsilon));
    }
    EXPECT_LE(largest, supremum.delta().upper());
    EXPECT_GE(largest, 0.7 * supremum.delta().lower()) << "the search found too much";
    EXPECT_LE(supremum.delta().upper(), 1.021 * supremum.delta().lower());
  }
}

TEST(LeastSquaresSupremum, OfADeclaredSetBoundsEveryPointOfTheRectangle) {
  SeededRandom random(8);
  const double columns = 200.0, features = 3.0, leverage = 0.02, residual = 0.05, epsilon = 1.0;
  const ProfilePoint supremum =
      least_squares_supremum_relative(columns, features, leverage, residual, epsilon, 0.02);
  double largest = 0.0;
  for (int i = 0; i < 400; ++i) {
    const double p = leverage * random.unit();
    largest =
        std::max(largest, delta_at(columns, features, p, p + residual * random.unit(), epsilon));
  }
  EXPECT_LE(largest, supremum.delta().upper());
  EXPECT_GE(largest, 0.7 * supremum.delta().lower());
}

TEST(LeastSquaresCalibration, IsAsSmallAsItMayBe) {
  for (const auto& [epsilon, delta, columns, features] :
       {std::tuple{1.0, 1e-5, 100.0, 10.0}, {0.2, 1e-6, 1.0, 1.0}, {1.0, 1e-5, 5.0, 2.0}}) {
    const LeastSquaresCalibration found =
        calibrate_least_squares({epsilon, delta}, columns, features, 1.0);
    EXPECT_LE(found.achieved.delta().upper(), delta);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    // A thousandth less, and the pair that was found is too much.
    const double full = 1.0 / (1.0 + 0.999 * found.ridge);
    EXPECT_GT(delta_at(columns, features, found.row_leverage, full, epsilon), delta);
  }
}

// Also where the pairs of few columns have no common path, and pieces prove it.
TEST(LeastSquaresCalibration, GivesBackItsTarget) {
  const double ridge = calibrate_least_squares({3e-4, 0.0866}, 6.0, 4.0, 1.0).ridge;
  const PrivacyLoss loss = least_squares_dominating(6.0, 4.0, ridge, 1.0);
  const double delta = profile(loss, 3e-4).delta().upper();
  EXPECT_LE(delta, 0.0866);
  EXPECT_GE(delta, 0.0866 * (1.0 - 1e-2));
}

TEST(LeastSquaresCalibration, ScalesWithTheRowNorm) {
  const PrivacyTarget target(1.0, 1e-5);
  const double one = calibrate_least_squares(target, 20.0, 2.0, 1.0).ridge;
  EXPECT_NEAR(calibrate_least_squares(target, 20.0, 2.0, 3.0).ridge, 9.0 * one, 2e-6 * one);
}

// About half of the published ridge for many columns; more than it for one feature and one column,
// where the published mechanism is not private: 76 times the delta it promises.
TEST(LeastSquaresCalibration, ThePublishedRidgeIsTooLargeOrTooSmall) {
  const PrivacyTarget usual(1.0, 1e-5), strict(0.2, 1e-6);
  EXPECT_NEAR(calibrate_least_squares(usual, 100.0, 10.0, 1.0).ridge /
                  published_least_squares_ridge(usual, 100.0, 10.0, 1.0),
              0.5134, 5e-4);
  const double published = published_least_squares_ridge(strict, 1.0, 1.0, 1.0);
  EXPECT_LT(published, 0.6 * calibrate_least_squares(strict, 1.0, 1.0, 1.0).ridge);
  const ProfilePoint truth = least_squares_supremum(1.0, 1.0, published, 1.0, 0.2);
  EXPECT_GT(truth.delta().lower(), 7.6e-5);
}

TEST(LeastSquaresDominating, IsAboveTheSupremumAndComposes) {
  const double columns = 4.0, features = 1.0, ridge = 10.0;
  const PrivacyLoss dominating = least_squares_dominating(columns, features, ridge, 1.0);
  for (const double epsilon : {0.0, 0.11, 0.5, 1.0}) {
    const double supremum =
        least_squares_supremum(columns, features, ridge, 1.0, epsilon, 0.05).delta().lower();
    const ProfilePoint bound = profile(dominating, epsilon);
    EXPECT_GE(bound.forward.upper(), supremum) << epsilon;
    EXPECT_GE(bound.reverse.upper(), supremum) << epsilon;
    EXPECT_LE(bound.delta().upper(), 1.4 * supremum) << epsilon;
    EXPECT_EQ(bound.delta().lower(), 0.0) << "it is a bound, and says so";
  }
  // Beyond the last corner, in both directions.
  const double far =
      least_squares_supremum(columns, features, ridge, 1.0, 6.0, 0.9).delta().lower();
  EXPECT_GT(far, 0.0);
  EXPECT_GE(profile(dominating, 6.0).forward.upper(), far);
  EXPECT_GE(profile(dominating, 6.0).reverse.upper(), far);
  // Three releases, each with its own worst neighbors.
  const double full = 1.0 / (1.0 + ridge);
  const double together = profile(dominating.repeated(3.0), 0.8).delta().upper();
  for (double share = 0.0; share <= 1.0; share += 0.1)
    EXPECT_GE(together, profile(least_squares(columns, features, share * full, full).repeated(3.0),
                                0.8, Accuracy::fast)
                            .delta()
                            .upper());
}

// So many columns over so little ridge that some neighbors are told apart for certain.
TEST(LeastSquaresDominating, IsCertaintyWhereNothingIsHidden) {
  const PrivacyLoss loss = least_squares_dominating(1e9, 1.0, 0.01, 1.0);
  EXPECT_EQ(profile(loss, 1.0).forward.upper(), 1.0);
  EXPECT_EQ(profile(loss, 1.0).reverse.upper(), 1.0);
}

TEST(LeastSquaresCalibration, ServesAWeakTargetToo) {
  const LeastSquaresCalibration found = calibrate_least_squares({20.0, 0.9}, 1.0, 1.0, 1.0);
  EXPECT_GT(found.ridge, 0.0);
  const PrivacyLoss worst = least_squares(1.0, 1.0, found.row_leverage, found.full_leverage);
  EXPECT_LE(profile(worst, 20.0, Accuracy::certified).delta().upper(), 0.9);
}

TEST(LeastSquares, RefusesWhatIsNoPairAndNamesIt) {
  EXPECT_TRUE(refuses("columns", [] { return least_squares(0.5, 1, 0.1, 0.2); }));
  EXPECT_TRUE(refuses("features", [] { return least_squares(1, 0, 0.1, 0.2); }));
  EXPECT_TRUE(refuses("row_leverage", [] { return least_squares(1, 1, -0.1, 0.2); }));
  EXPECT_TRUE(refuses("row_leverage", [] { return least_squares(1, 1, std::nan(""), 0.2); }));
  EXPECT_TRUE(refuses("full_leverage", [] { return least_squares(1, 1, 0.2, 0.1); }));
  EXPECT_TRUE(refuses("full_leverage", [] { return least_squares(1, 1, 0.2, 1.0); }));
  EXPECT_TRUE(refuses("ridge", [] { return least_squares_supremum(1, 1, 0.0, 1, 1); }));
  EXPECT_TRUE(refuses("row_norm_bound", [] { return least_squares_supremum(1, 1, 1, -1, 1); }));
  EXPECT_TRUE(
      refuses("set_residual", [] { return least_squares_supremum_relative(9, 1, .5, .5, 1); }));
  EXPECT_THROW(calibrate_least_squares({1.0, 0.0}, 10, 2, 1.0), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::least_squares_test
