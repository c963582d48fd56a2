// Explicit neighbors: posteriors recomputed with and without a row, and compared with what is
// promised and with the formulas for one row more or less.
#include <gtest/gtest.h>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/release/gaussian_process_release.h"
#include "release/small_tables.h"

namespace modicum::testing::gaussian_process_neighbors_test {
namespace {

constexpr double largest_rows = 12.0;
const PrivacyTarget target(1.0, 1e-4);
const std::vector<PriorKernel> all_kernels{PriorKernel::rbf, PriorKernel::matern12,
                                           PriorKernel::matern32, PriorKernel::matern52,
                                           PriorKernel::linear};

GaussianProcessPlan plan_for(PriorKernel kernel, const RowBlock& queries, double noise_variance,
                             const PrivacyTarget& aim = target) {
  GaussianProcessRequest request;
  request.kernel = kernel;
  request.noise_variance = noise_variance;
  request.target_bound = 1.0;
  request.largest_rows = largest_rows;
  std::vector<std::string> names(static_cast<std::size_t>(queries.cols()), "x");
  names.push_back("y");
  return plan_gaussian_process(aim, PublicRows(names, 1.0), queries, request);
}

GaussianProcessFit fit_of(const GaussianProcessPlan& plan, const Eigen::MatrixXd& rows) {
  return {plan, gaussian_process_data(plan, rows)};
}

// The larger delta of the true pair, from the two laws alone.
double delta_between(const GaussianProcessFit& with, const GaussianProcessFit& without,
                     double epsilon) {
  const auto spectrum = reduce_pair(with.lifted(), without.lifted(), Accuracy::fast);
  if (!spectrum) return 1.0;
  return profile(PrivacyLoss::gaussian(*spectrum), epsilon, Accuracy::fast).delta().upper();
}

double delta_of(const PosteriorPair& pair, double epsilon) {
  return profile(pair.loss(), epsilon, Accuracy::fast).delta().upper();
}

Eigen::MatrixXd some_rows(SeededRandom& random, long size, long features) {
  Eigen::MatrixXd rows = random_rows(random, size, features + 1, 0.5);
  rows.col(features) *= 3.0;  // many targets at the bound
  return rows;
}

TEST(GaussianProcessNeighbors, FormulasAgreeWithRecomputation) {
  SeededRandom random(1);
  for (const PriorKernel kernel : all_kernels)
    for (const long queries : {1L, 4L}) {
      // The lift of a weak target: pairs that are far from trivial.
      const GaussianProcessPlan plan =
          plan_for(kernel, random_rows(random, queries, 2, 0.5), 0.3, {3.0, 0.05});
      Eigen::MatrixXd rows = some_rows(random, 8, 2);
      rows.row(5) = rows.row(2);
      const GaussianProcessFit fit = fit_of(plan, rows);
      const std::vector<PosteriorPair> removed = fit.removed();
      ASSERT_EQ(removed.size(), 8u);
      for (Eigen::Index i = 0; i < 8; ++i) {
        const double truth = delta_between(fit, fit_of(plan, without_row(rows, i)), 0.1);
        EXPECT_NEAR(delta_of(removed[static_cast<std::size_t>(i)], 0.1), truth, 1e-7 * truth);
      }
      const Eigen::MatrixXd extra = some_rows(random, 4, 2);
      const std::vector<PosteriorPair> added = fit.added(gaussian_process_data(plan, extra));
      ASSERT_EQ(added.size(), 4u);
      for (Eigen::Index i = 0; i < 4; ++i) {
        const GaussianProcessFit larger = fit_of(plan, with_row(rows, extra.row(i).transpose()));
        const PosteriorPair& pair = added[static_cast<std::size_t>(i)];
        const double truth = delta_between(larger, fit, 0.1);
        EXPECT_NEAR(delta_of(pair, 0.1), truth, 1e-7 * truth);
        // And the way back.
        EXPECT_NEAR(larger.removed().back().excess, pair.excess, 1e-9 * pair.excess);
        EXPECT_NEAR(larger.removed().back().mean_square, pair.mean_square,
                    1e-8 * pair.mean_square + 1e-12);
      }
    }
}

// Orientation: X, with the record, has the smaller covariance.
TEST(GaussianProcessNeighbors, TheRecordMakesTheCovarianceSmaller) {
  const GaussianProcessPlan plan =
      plan_for(PriorKernel::rbf, RowBlock::Zero(1, 1), 0.1, {3.0, 0.05});
  const GaussianProcessFit fit = fit_of(plan, Eigen::MatrixXd::Zero(1, 2));
  const GaussianProcessFit empty = fit_of(plan, Eigen::MatrixXd(0, 2));
  const PosteriorPair pair = fit.removed().at(0);
  EXPECT_NEAR(1.0 + pair.excess, empty.lifted().covariance(0, 0) / fit.lifted().covariance(0, 0),
              1e-12);
  EXPECT_LT(pair.loss().forward().gaussian.components().at(0).excess.high, 0.0);
}

// No pair, random or as bad as can be, exceeds what was promised: for every kernel, for queries
// that are spread, at one place, or nearly so, and at the places of the rows.
TEST(GaussianProcessNeighbors, NeverExceedThePromise) {
  SeededRandom random(2);
  for (const PriorKernel kernel : all_kernels)
    for (const double noise : {0.01, 1.0, 12.0})
      for (const int layout : {0, 1, 2}) {
        RowBlock queries = random_rows(random, layout == 0 ? 3 : 10, 1, 0.5);
        if (layout == 1) queries.setConstant(0.5);
        if (layout == 2) queries = (0.5 + 1e-7 * queries.array()).matrix();
        const GaussianProcessPlan plan = plan_for(kernel, queries, noise);
        double worst = 0.0;
        const auto look = [&](const Eigen::MatrixXd& rows) {
          for (const PosteriorPair& pair : fit_of(plan, rows).removed())
            worst = std::max(worst, delta_of(pair, target.epsilon));
        };
        for (const long size : {1L, 5L, 12L}) look(some_rows(random, size, 1));
        // All others at one place and with one target, the row at the queries with the other.
        for (const double place : {0.5, 0.3, -1.0}) {
          Eigen::MatrixXd rows(12, 2);
          rows.col(0).setConstant(place);
          rows.col(1).setConstant(-1.0);
          rows.row(11) << 1.0, 1.0;
          look(rows);
          rows(11, 0) = 0.5;
          look(rows);
        }
        // Where the targets are noisy enough, the posterior hides a row without any help.
        EXPECT_EQ(plan.lift == 0x1p-20 * plan.bounds.prior_bound, noise == 12.0);
        EXPECT_GT(worst, 0.0);
        EXPECT_LE(worst, target.delta) << static_cast<int>(kernel) << " " << noise << " " << layout;
      }
}

// Eleven rows at one place, with the least target, and one at the far end with the largest.
double worst_on_a_line(const GaussianProcessPlan& plan) {
  double worst = 0.0;
  for (double place = 0.02; place <= 1.0; place += 0.02) {
    Eigen::MatrixXd rows(12, 2);
    rows.col(0).setConstant(place);
    rows.col(1).setConstant(-1.0);
    rows.row(11) << 1.0, 1.0;
    worst = std::max(worst, delta_of(fit_of(plan, rows).removed().back(), target.epsilon));
  }
  return worst;
}

TEST(GaussianProcessNeighbors, ThePromiseIsNearlyAttainedByTheLinearKernel) {
  GaussianProcessPlan plan = plan_for(PriorKernel::linear, RowBlock::Ones(1, 1), 0.5);
  EXPECT_LE(worst_on_a_line(plan), target.delta);
  EXPECT_GE(worst_on_a_line(plan), 0.5 * target.delta);
  plan.lift *= 0.7;
  EXPECT_GT(worst_on_a_line(plan), 2.0 * target.delta);
}

// Ten nearly equal queries, s = 0.1, lift 1: the true ratio is 10, and l^2 in place of kappa would
// promise 2.
TEST(GaussianProcessNeighbors, NearlyEqualQueriesNeedTheEigenvalueOfThePrior) {
  RowBlock queries(10, 1);
  for (Eigen::Index i = 0; i < 10; ++i) queries(i, 0) = 1e-6 * static_cast<double>(i);
  GaussianProcessPlan plan = plan_for(PriorKernel::rbf, queries, 0.01);
  EXPECT_NEAR(plan.bounds.prior_bound, 10.0, 1e-4);
  plan.lift = 1.0;
  const double ratio = 1.0 + fit_of(plan, Eigen::MatrixXd::Zero(1, 2)).removed().at(0).excess;
  EXPECT_NEAR(ratio, 10.0, 0.1);
  GaussianProcessBounds without_kappa = plan.bounds;
  without_kappa.prior_bound = 1.0;
  EXPECT_LT(1.0 + posterior_excess(without_kappa, 1.0), 2.0);
  EXPECT_GE(1.0 + posterior_excess(plan.bounds, 1.0), ratio);
}

// One row at the place of the one query: a = 1 / ((1 + w)(1 + s^2)), t = a / (1 - a), and the
// surprise is y^2 / (1 + s^2), however small the noise variance s^2 is.
TEST(GaussianProcessNeighbors, ARowRemovedKeepsItsDigitsWhereTheNoiseIsSmall) {
  for (const double noise : {1e-2, 1e-5, 1e-7, 1e-8}) {
    GaussianProcessRequest request;
    request.noise_variance = noise;
    request.target_bound = 1.0;
    request.largest_rows = 1.0;
    const RowBlock query = RowBlock::Constant(1, 1, 0.3);
    GaussianProcessPlan plan = plan_gaussian_process(
        {1.0, 1e-6}, PublicRows(std::vector<std::string>{"x", "y"}, 1.0), query, request);
    plan.lift = 30.0;
    RowBlock rows(1, 2);
    rows << 0.3, 1.0;
    const GaussianProcessFit fit(plan, gaussian_process_data(plan, rows));
    const PosteriorPair pair = fit.removed().front();
    const double share = 1.0 / ((1.0 + plan.lift) * (1.0 + noise)), excess = share / (1.0 - share);
    EXPECT_NEAR(pair.excess, excess, 1e-6 * excess) << noise;
    EXPECT_NEAR(pair.mean_square, excess / (1.0 + noise), 1e-6 * excess) << noise;
  }
}

}  // namespace
}  // namespace modicum::testing::gaussian_process_neighbors_test
