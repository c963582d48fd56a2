// A release refuses sums that were not made as its plan says: less noise than needed would be the
// worst mistake there is.
#include <gtest/gtest.h>

#include "modicum/release/covariance_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/vector_release.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::contract_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);

PublicRows coordinates(int width, double row_norm_bound) {
  std::vector<std::string> names;
  for (int i = 1; i <= width; ++i) names.push_back(std::to_string(i));
  return {names, row_norm_bound};
}

TEST(ReleaseContract, RefusesRowsClippedToAnotherBound) {
  SeededSource source(1);
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Constant(3, 2, 0.5);
  const PublicRows planned = coordinates(2, 1.0);
  const IntegerGram wider = gram_of(rows, 100.0);
  EXPECT_TRUE(refuses("row_norm_bound", [&] {
    return release_covariance(plan_covariance(target, planned, {}), wider, source);
  }));
  EXPECT_TRUE(refuses("row_norm_bound", [&] {
    return release_projection(plan_projection(target, planned, {}), wider, source);
  }));
  EXPECT_TRUE(refuses("row_norm_bound", [&] {
    return release_regression(plan_regression(target, planned, {}), wider, source);
  }));
  EXPECT_TRUE(refuses("row_norm_bound", [&] {
    return release_sum(plan_sum(target, planned, VectorNoise::gaussian), sum_of(rows, 100.0),
                       source);
  }));
  EXPECT_TRUE(refuses("row_norm_bound", [&] {
    return release_mean(plan_mean(target, planned, VectorNoise::gaussian), sum_of(rows, 100.0),
                        source);
  }));
}

TEST(ReleaseContract, RefusesAnotherNumberOfColumns) {
  SeededSource source(1);
  const IntegerGram gram = gram_of(Eigen::MatrixXd::Constant(3, 3, 0.1), 1.0);
  EXPECT_TRUE(refuses("coordinates", [&] {
    return release_covariance(plan_covariance(target, coordinates(2, 1.0), {}), gram, source);
  }));
}

TEST(ReleaseContract, RefusesATableThatWasNotSampledAsPlanned) {
  SeededSource source(1);
  const PublicRows planned = coordinates(2, 1.0);
  ProjectionRequest request;
  request.method = ProjectionMethod::subsampled;
  request.sampling_rate = 0.01;
  IntegerGram gram = gram_of(Eigen::MatrixXd::Constant(3, 2, 0.5), 1.0);
  const ProjectionPlan plan = plan_projection(target, planned, request);
  EXPECT_TRUE(refuses("sampling_rate", [&] { return release_projection(plan, gram, source); }));
  gram.sampling_rate = 0.01;
  EXPECT_NO_THROW(release_projection(plan, gram, source));
  EXPECT_TRUE(refuses("sampling_rate", [&] {
    return release_covariance(plan_covariance(target, planned, {}), gram, source);
  }));
}

// One row that is fitted without residual has a solution: the features are independent.
TEST(ReleaseContract, NoiseOnTheSolutionNeedsNoResidual) {
  SeededSource source(1);
  Eigen::MatrixXd row(1, 2);
  row << 0.25, 0.5;
  RegressionRequest request;
  request.method = RegressionMethod::relative_gaussian;
  request.solution_sensitivity = 1e-6;
  const RegressionPlan plan = plan_regression(target, coordinates(2, 1.0), request);
  EXPECT_NEAR(release_regression(plan, gram_of(row, 1.0), source).values(0, 1), 2.0, 1e-4);
}

}  // namespace
}  // namespace modicum::testing::contract_test
