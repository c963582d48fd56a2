#include "modicum/release/post_processing.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::post_processing_test {
namespace {

TEST(CenteredMoments, AreMeanAndCovarianceOfTheRows) {
  SeededRandom random(1);
  Eigen::MatrixXd rows(50, 3);
  for (double& value : rows.reshaped()) value = random.normal();
  rows.col(0).setOnes();
  const CenteredMoments found = centered_moments(rows.transpose() * rows);
  EXPECT_EQ(found.rows, 50.0);
  const Eigen::RowVectorXd mean = rows.rightCols(2).colwise().mean();
  const Eigen::MatrixXd centered = rows.rightCols(2).rowwise() - mean;
  EXPECT_LT((found.mean - mean.transpose()).norm(), 1e-14);
  EXPECT_LT((found.covariance - centered.transpose() * centered / 50.0).norm(), 1e-13);
}

TEST(CenteredMoments, CountsOneRowAtLeast) {
  Eigen::MatrixXd moments = Eigen::MatrixXd::Identity(2, 2);
  moments(0, 0) = -20.0;  // noise
  EXPECT_EQ(centered_moments(moments).rows, 1.0);
  EXPECT_TRUE(refuses("rows of the matrix",
                      [] { return centered_moments(Eigen::MatrixXd::Ones(2, 3)).rows; }));
  EXPECT_TRUE(refuses("rows of the matrix",
                      [] { return centered_moments(Eigen::MatrixXd::Ones(1, 1)).rows; }));
  moments(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refuses("matrix", [&] { return centered_moments(moments).rows; }));
}

TEST(NearestSemidefinite, KeepsWhatIsAndCutsWhatIsNot) {
  SeededRandom random(2);
  Eigen::MatrixXd factor(4, 4);
  for (double& value : factor.reshaped()) value = random.normal();
  const Eigen::MatrixXd definite = factor * factor.transpose();
  EXPECT_LT((nearest_semidefinite(definite) - definite).norm(), 1e-12);
  const Eigen::MatrixXd cut = nearest_semidefinite(Eigen::Vector3d(2.0, -1.0, 0.5).asDiagonal());
  EXPECT_LT((cut - Eigen::MatrixXd(Eigen::Vector3d(2.0, 0.0, 0.5).asDiagonal())).norm(), 1e-14);
}

TEST(InCoordinates, ClampsAndGoesBack) {
  const std::vector<Range> ranges{{0.0, 10.0}, {-1e300, 1e300}};
  RowBlock points(3, 2);
  points << 0.0, -1e300, 5.0, 0.0, 20.0, 1e300;
  RowBlock expected(3, 2);
  expected << -1.0, -1.0, 0.0, 0.0, 1.0, 1.0;
  EXPECT_EQ(in_coordinates(points, ranges), expected);
  points(2, 0) = 10.0;
  EXPECT_EQ(from_coordinates(expected, ranges), points);
  EXPECT_TRUE(refuses("ranges", [&] { return in_coordinates(points, {{0.0, 1.0}}).size(); }));
  EXPECT_TRUE(refuses("ranges", [&] { return from_coordinates(points, {{0.0, 1.0}}).size(); }));
}

TEST(CarriedOn, PassesThroughValuesWithoutNoise) {
  RowBlock queries(3, 1);
  queries << -1.0, 0.0, 1.0;
  const Eigen::Vector3d values(1.0, -2.0, 0.5);
  for (const char* kernel : {"rbf", "matern12", "matern32", "matern52"}) {
    const auto at = [&](const RowBlock& points, double noise) {
      return carried_on(kernel_named(kernel), 0.7, 2.0, noise, queries, values, points);
    };
    EXPECT_LT((at(queries, 1e-12) - values).norm(), 1e-8) << kernel;
    EXPECT_LT(at(queries, 1e12).norm(), 1e-10) << kernel;  // nothing but the prior
    EXPECT_LT(at(RowBlock::Constant(1, 1, 1e6), 0.1).norm(), 1e-10) << kernel;
  }
}

// One value: its weight is a k / (a + noise), with correlation k.
TEST(CarriedOn, ShrinksOneValueByHand) {
  const RowBlock query = RowBlock::Zero(1, 1), point = RowBlock::Constant(1, 1, 2.0);
  const Eigen::VectorXd value = Eigen::VectorXd::Constant(1, 3.0);
  const double found = carried_on(PriorKernel::rbf, 2.0, 1.5, 0.5, query, value, point)[0];
  EXPECT_NEAR(found, 3.0 * 1.5 * std::exp(-0.5) / 2.0, 1e-14);
}

TEST(CarriedOn, RefusesWhatMakesNoSense) {
  const RowBlock queries = RowBlock::Zero(2, 1);
  const Eigen::VectorXd values = Eigen::VectorXd::Zero(2);
  const auto call = [&](double noise, const RowBlock& at, const Eigen::VectorXd& given) {
    return [=, &queries] {
      return carried_on(PriorKernel::rbf, 1.0, 1.0, noise, queries, given, at).size();
    };
  };
  EXPECT_TRUE(refuses("noise_variance", call(0.0, queries, values)));
  EXPECT_TRUE(
      refuses("noise_variance", call(std::numeric_limits<double>::quiet_NaN(), queries, values)));
  EXPECT_TRUE(refuses("values", call(1.0, queries, Eigen::VectorXd::Zero(3))));
  EXPECT_TRUE(refuses("columns of points", call(1.0, RowBlock::Zero(1, 2), values)));
  EXPECT_TRUE(refuses("points", call(1.0, RowBlock::Constant(1, 1, std::nan("")), values)));
  EXPECT_TRUE(refuses("kernel", [] { return kernel_named("cubic"); }));
}

}  // namespace
}  // namespace modicum::testing::post_processing_test
