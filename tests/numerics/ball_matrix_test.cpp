#include "numerics/ball_matrix.h"

#include <gtest/gtest.h>

#include "support/seeded_random.h"

namespace modicum::testing::ball_matrix_test {
namespace {

using Eigen::MatrixXd;

TEST(BallMatrix, FactorsAndSolves) {
  SeededRandom random(941);
  const PrecisionScope scope(200);
  for (int i = 0; i < 20; ++i) {
    const MatrixXd covariance = random_covariance(random, 6, 0.01, 100.0);
    const BallMatrix matrix(covariance);
    BallMatrix factor(6, 6);
    ASSERT_TRUE(cholesky(factor, matrix));
    const BallMatrix product = factor * factor.transposed();
    for (long r = 0; r < 6; ++r)
      for (long c = 0; c < 6; ++c) {
        EXPECT_TRUE(arb_overlaps(product.at(r, c), matrix.at(r, c)));
        if (c > r) {
          EXPECT_TRUE(arb_is_zero(factor.at(r, c)));
        }
      }
    const BallMatrix identity = solve_lower(factor, factor);
    for (long r = 0; r < 6; ++r)
      for (long c = 0; c < 6; ++c) EXPECT_TRUE(arb_contains_si(identity.at(r, c), r == c));
  }
}

TEST(BallMatrix, DoesNotFactorWhatIsNotPositiveDefinite) {
  const PrecisionScope scope(200);
  BallMatrix factor(2, 2);
  EXPECT_FALSE(cholesky(factor, BallMatrix(MatrixXd{{1, 2}, {2, 1}})));
  EXPECT_FALSE(cholesky(factor, BallMatrix(MatrixXd{{1, 1}, {1, 1}})));
}

TEST(ExactRank, IsDecidedWithoutTolerance) {
  const MatrixXd zero = MatrixXd::Zero(3, 3);
  EXPECT_EQ(exact_rank(zero, zero), 0);
  EXPECT_EQ(exact_rank(MatrixXd::Identity(3, 3), zero), 3);
  const MatrixXd dependent{{1, 2, 3}, {2, 4, 6}, {0.1, 0.2, 0.30000000000000004}};
  EXPECT_EQ(exact_rank(dependent, zero), 2);  // 0.1 * 3 is not the double 0.30000000000000004 / 1
  EXPECT_EQ(exact_rank(MatrixXd{{1, 1}, {1, 1.0 + 0x1p-52}}, MatrixXd::Zero(2, 2)), 2);
  EXPECT_EQ(exact_rank(MatrixXd{{1e300, 0}, {0, 1e-300}}, MatrixXd::Zero(2, 2)), 2);
}

TEST(ExactRank, AddsTheLowPartExactly) {
  const MatrixXd high{{1, 1}, {1, 1}};
  EXPECT_EQ(exact_rank(high, MatrixXd::Zero(2, 2)), 1);
  EXPECT_EQ(exact_rank(high, MatrixXd{{0, 0}, {0, 1e-300}}), 2);
  EXPECT_EQ(exact_rank(high, MatrixXd{{-1, -1}, {-1, -1}}), 0);
}

}  // namespace
}  // namespace modicum::testing::ball_matrix_test
