// Laws of sketches and second moments. Every statistical check has a fixed seed and would raise a
// false alarm with probability at most 1e-9.
#include "modicum/release/projection_release.h"

#include <gtest/gtest.h>

#include "modicum/release/covariance_release.h"
#include "numerics/dense.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::projection_release_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);

PublicRows coordinates(long dimension, double bound) {
  std::vector<std::string> names;
  for (long i = 0; i < dimension; ++i) names.push_back("c" + std::to_string(i));
  return {names, bound};
}

// Entries of L^-1 M: independent standard normals, if the columns of M are N(0, L L^T).
void expect_columns(const Eigen::MatrixXd& drawn, const Eigen::MatrixXd& covariance) {
  const Eigen::MatrixXd white = CholeskyFactor(covariance).half_solve(drawn);
  const std::vector<double> entries(white.data(), white.data() + white.size());
  EXPECT_LT(largest_deviation(entries, normal_below),
            deviation_allowed(static_cast<double>(white.size())));
  // Means of products of different coordinates have deviation 1/sqrt(columns); 6.5 of them and some
  // for tails that are not quite normal.
  const Eigen::MatrixXd moments = white * white.transpose() / static_cast<double>(white.cols());
  for (Eigen::Index i = 0; i < moments.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      EXPECT_LT(std::abs(moments(i, j)), 8.0 / std::sqrt(static_cast<double>(white.cols())));
}

double ridge_in(const Released& released) {
  return std::get<double>(*released.certificate.find("ridge"));
}

TEST(ReleaseProjection, ColumnsHaveTheCovarianceOfTheTableWithItsRidge) {
  SeededRandom random(1);
  SeededSource source(2);
  const Eigen::MatrixXd rows = random_rows(random, 300, 4, 0.4);
  const IntegerGram gram = gram_of(rows, 1.5);
  for (const ProjectionMethod method :
       {ProjectionMethod::projection, ProjectionMethod::singular_value, ProjectionMethod::additive,
        ProjectionMethod::propose_test_release}) {
    const ProjectionPlan plan =
        plan_projection(target, coordinates(4, 1.5), {method, 5000.0, {}, {}, {}, {}});
    const Released released = release_projection(plan, gram, source);
    const double ridge = plan.test ? ridge_in(released) : plan.ridge;
    EXPECT_GT(ridge, 0.0);
    const Eigen::MatrixXd covariance = gram.matrix() + ridge * Eigen::MatrixXd::Identity(4, 4);
    ASSERT_EQ(released.values.cols(), 5000);
    expect_columns(released.values, covariance);
  }
}

TEST(ReleaseProjection, TheMatrixNeedNotBeDefiniteWithoutARidge) {
  // A declared set of leverage 1e-4 needs no ridge; the table has rank 1.
  SeededSource source(3);
  const ProjectionPlan plan = plan_projection(
      target, coordinates(2, 1.0), {ProjectionMethod::relative, 100.0, {}, 1e-4, {}, {}});
  EXPECT_EQ(plan.ridge, 0.0);
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::relative);
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Constant(50, 2, 0.5);
  const Released released = release_projection(plan, gram_of(rows, 1.0), source);
  EXPECT_TRUE(released.values.allFinite());
  EXPECT_NEAR((released.values.row(0) - released.values.row(1)).norm(), 0.0, 1e-5);
}

TEST(ReleaseProjection, ADeclaredSetThatIsNotEnoughGetsTheRidgeOfAll) {
  const ProjectionPlan plan = plan_projection(target, coordinates(2, 1.0),
                                              {ProjectionMethod::relative, 100.0, {}, 0.5, {}, {}});
  EXPECT_GT(plan.ridge, 0.0);
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
}

TEST(ReleaseProjection, LiesOnItsGrid) {
  SeededRandom random(4);
  SeededSource source(5);
  const ProjectionPlan plan = plan_projection(target, coordinates(3, 1.0), {});
  EXPECT_EQ(plan.columns, 100.0);
  EXPECT_LE(plan.grid, 0x1p-24 * std::sqrt(plan.ridge));
  EXPECT_GT(plan.grid, 0x1p-26 * std::sqrt(plan.ridge));
  const Released released =
      release_projection(plan, gram_of(random_rows(random, 20, 3, 1.0), 1.0), source);
  for (const double value : released.values.reshaped())
    EXPECT_EQ(std::remainder(value, plan.grid), 0.0);
}

TEST(ReleaseProjection, TheTestGivesABoundThatHoldsAndIsRecorded) {
  // 40000 rows on the axes: the least eigenvalue is so large that no ridge is left.
  SeededSource source(6);
  const ProjectionPlan plan = plan_projection(
      target, coordinates(2, 1.0), {ProjectionMethod::propose_test_release, 50.0, {}, {}, {}, {}});
  IntegerGram gram = gram_of(Eigen::MatrixXd::Identity(2, 2), 1.0);
  for (Integer128& entry : gram.entries) entry *= 20000;
  const Released released = release_projection(plan, gram, source);
  const double noisy = std::get<double>(*released.certificate.find("noisy_eigenvalue"));
  const double bound = std::get<double>(*released.certificate.find("eigenvalue_bound"));
  EXPECT_NEAR(noisy, 20000.0, 7.0 * plan.test->eigenvalue_noise);  // a false alarm: 3e-12
  EXPECT_LE(bound, 20000.0);
  EXPECT_LE(bound, noisy - plan.test->margin);
  EXPECT_EQ(ridge_in(released), 0.0);
  // An empty table needs the ridge of all.
  for (Integer128& entry : gram.entries) entry = 0;
  EXPECT_GT(ridge_in(release_projection(plan, gram, source)), 0.0);
}

TEST(ReleaseProjection, SamplesTheRowsThatItAsksFor) {
  const TemporaryFolder folder;
  std::string text = "a\n";
  for (int i = 0; i < 4000; ++i) text += "1\n";
  const Table table({{folder.write("x.csv", text)}, true, ','});
  const RowRule rule(table, {});
  const ProjectionPlan plan =
      plan_projection(target, PublicRows(rule, 1.0, BadRows::dropped),
                      {ProjectionMethod::subsampled, 10.0, 0.25, {}, {}, {}});
  SeededSource source(7);
  // Binomial(4000, 1/4): 6.5 deviations of 27.4.
  EXPECT_NEAR(accumulate(plan, table, rule, source).matrix()(0, 0), 1000.0, 178.0);
}

TEST(PlanProjection, RefusesWhatTheMethodDoesNotUseOrNeeds) {
  const PublicRows rows = coordinates(3, 1.0);
  const auto plan = [&](const ProjectionRequest& request) {
    return [&rows, request] { return plan_projection(target, rows, request).columns; };
  };
  using enum ProjectionMethod;
  EXPECT_TRUE(refuses("sampling_rate", plan({projection, {}, 0.5, {}, {}, {}})));
  EXPECT_TRUE(refuses("sampling_rate", plan({subsampled, {}, {}, {}, {}, {}})));
  EXPECT_TRUE(refuses("set_leverage", plan({projection, {}, {}, 0.5, {}, {}})));
  EXPECT_TRUE(refuses("set_leverage", plan({relative, {}, {}, {}, {}, {}})));
  EXPECT_TRUE(refuses("eigenvalue_noise", plan({additive, {}, {}, {}, 1.0, {}})));
  EXPECT_TRUE(refuses("failure", plan({singular_value, {}, {}, {}, {}, 1e-7})));
  for (const double columns : {1e9, 0.0, -1.0, 1.5, not_a_number})
    EXPECT_TRUE(refuses("columns", plan({projection, columns, {}, {}, {}, {}})));
  EXPECT_THROW(plan_projection({1.0, 0.0}, rows, {}), CalibrationFailed);
  EXPECT_TRUE(refuses("row_norm_bound", [] { return PublicRows({"a"}, not_a_number); }));
}

// --- Second moments ---------------------------------------------------------------------------

TEST(ReleaseCovariance, EntriesHaveNoiseOfTheTwoSizes) {
  SeededRandom random(8);
  SeededSource source(9);
  const IntegerGram gram = gram_of(random_rows(random, 100, 3, 1.0), 2.0);
  const CovariancePlan plan = plan_covariance(target, coordinates(3, 2.0), {});
  EXPECT_EQ(plan.certificate.arithmetic, Exactness::exact);
  const double s = plan.standard_deviation;
  const Eigen::MatrixXd truth = gram.matrix();
  std::vector<double> diagonal, off_diagonal;
  const int draws = 3000;
  for (int i = 0; i < draws; ++i) {
    const Eigen::MatrixXd values = release_covariance(plan, gram, source).values;
    ASSERT_EQ(values, Eigen::MatrixXd(values.transpose()));
    for (Eigen::Index a = 0; a < 3; ++a)
      for (Eigen::Index b = 0; b <= a; ++b) {
        EXPECT_EQ(std::remainder(values(a, b), plan.grid), 0.0);
        if (a == b) diagonal.push_back((values(a, a) - truth(a, a)) / (std::sqrt(2.0) * s));
        else off_diagonal.push_back((values(a, b) - truth(a, b)) / s);
      }
  }
  EXPECT_LT(largest_deviation(diagonal, normal_below), deviation_allowed(3.0 * draws));
  EXPECT_LT(largest_deviation(off_diagonal, normal_below), deviation_allowed(3.0 * draws));
}

// Largest distance of two empirical distribution functions; each is within deviation_allowed of the
// truth.
double largest_difference(std::vector<double> a, std::vector<double> b) {
  std::sort(b.begin(), b.end());
  const auto empirical = [&](double x) {
    return static_cast<double>(std::upper_bound(b.begin(), b.end(), x) - b.begin()) /
           static_cast<double>(b.size());
  };
  std::sort(a.begin(), a.end());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(empirical(a[i]) - static_cast<double>(i + 1) /
                                                               static_cast<double>(a.size())));
  return largest;
}

// The second moments of a sketch, whether they are drawn at once or made from its columns; both for
// more columns than coordinates and for fewer.
TEST(ReleaseCovariance, OfAProjectionHasTheLawOfTheMomentsOfItsColumns) {
  SeededRandom random(10);
  SeededSource source(11);
  const IntegerGram gram = gram_of(random_rows(random, 40, 4, 1.0), 2.0);
  for (const double columns : {2.0, 4.0, 9.0}) {
    const CovariancePlan moments =
        plan_covariance(target, coordinates(4, 2.0), {CovarianceMethod::projection, columns});
    const ProjectionPlan sketch = plan_projection(
        target, coordinates(4, 2.0), {ProjectionMethod::projection, columns, {}, {}, {}, {}});
    ASSERT_EQ(moments.sketch->ridge, sketch.ridge);
    const int draws = 4000;
    std::vector<std::vector<double>> at_once(3), by_columns(3);
    const auto add = [&](std::vector<std::vector<double>>& lists, const Eigen::MatrixXd& matrix) {
      lists[0].push_back(matrix(0, 0));
      lists[1].push_back(matrix(1, 0));
      lists[2].push_back(determinant(
          (matrix + moments.sketch->ridge * Eigen::MatrixXd::Identity(4, 4)).topLeftCorner(2, 2)));
    };
    for (int i = 0; i < draws; ++i) {
      add(at_once, release_covariance(moments, gram, source).values);
      const Eigen::MatrixXd m = release_projection(sketch, gram, source).values;
      add(by_columns,
          m * m.transpose() / columns - moments.sketch->ridge * Eigen::MatrixXd::Identity(4, 4));
    }
    for (int k = 0; k < 3; ++k)
      EXPECT_LT(largest_difference(at_once[k], by_columns[k]), 2.0 * deviation_allowed(draws))
          << columns << " " << k;
  }
}

TEST(ReleaseCovariance, NormBoundsOfAnySizeWorkOrAreRefused) {
  SeededSource source(12);
  for (const double bound : {1e-70, 1e-20, 1e20, 1e70}) {
    const CovariancePlan plan = plan_covariance(target, coordinates(2, bound), {});
    const IntegerGram gram = gram_of(Eigen::MatrixXd::Constant(3, 2, 2.0 * bound), bound);
    const Eigen::MatrixXd noise = release_covariance(plan, gram, source).values - gram.matrix();
    EXPECT_LT(noise.cwiseAbs().maxCoeff(), 10.0 * plan.standard_deviation);  // a false alarm: 2e-11
    EXPECT_GT(noise.cwiseAbs().maxCoeff(), 0.0);
  }
  for (const double bound : {1e-140, 1e-170, 1e120, 1e160})
    EXPECT_THROW(plan_covariance(target, coordinates(2, bound), {}), Error) << bound;
}

TEST(ReleaseCovariance, TakesManyColumnsByDefault) {
  const CovariancePlan plan =
      plan_covariance(target, coordinates(3, 1.0), {CovarianceMethod::projection, {}});
  EXPECT_EQ(plan.sketch->columns, 1e6);
  // The limit is the noise of the Gaussian orthogonal ensemble.
  EXPECT_NEAR(plan.standard_deviation,
              plan_covariance(target, coordinates(3, 1.0), {}).standard_deviation,
              0.02 * plan.standard_deviation);
  EXPECT_TRUE(refuses("columns", [] {
    return plan_covariance(target, coordinates(3, 1.0), {{}, 100.0}).grid;
  }));
  EXPECT_THROW(plan_covariance({1.0, 0.0}, coordinates(3, 1.0), {}), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::projection_release_test
