// Posteriors by the textbook, draws from them, reading, and refusals. A false alarm of a
// statistical test has probability at most 1e-9.
#include "modicum/release/gaussian_process_release.h"

#include <gtest/gtest.h>

#include "numerics/dense.h"
#include "release/lifting/gaussian_process_kernel.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::gaussian_process_release_test {
namespace {

const PrivacyTarget target(1.0, 1e-5);
const std::vector<PriorKernel> all_kernels{PriorKernel::rbf, PriorKernel::matern12,
                                           PriorKernel::matern32, PriorKernel::matern52,
                                           PriorKernel::linear};

PublicRows coordinates(long features, double bound = 2.0) {
  std::vector<std::string> names;
  for (long i = 0; i < features; ++i) names.push_back("x" + std::to_string(i));
  names.push_back("y");
  return {names, bound};
}

GaussianProcessRequest request_for(PriorKernel kernel, double largest_rows = 50.0) {
  GaussianProcessRequest request;
  request.kernel = kernel;
  if (kernel != PriorKernel::linear) request.length_scale = 0.7;
  request.amplitude = 1.5;
  request.noise_variance = 0.4;
  request.target_bound = 1.0;
  request.largest_rows = largest_rows;
  return request;
}

// k(a, b), written down anew.
double covariance(PriorKernel kernel, const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const double u = (a - b).norm() / 0.7;
  switch (kernel) {
    case PriorKernel::rbf:
      return 1.5 * std::exp(-u * u / 2.0);
    case PriorKernel::matern12:
      return 1.5 * std::exp(-u);
    case PriorKernel::matern32:
      return 1.5 * std::exp(-std::sqrt(3.0) * u) * (1.0 + std::sqrt(3.0) * u);
    case PriorKernel::matern52:
      return 1.5 * std::exp(-std::sqrt(5.0) * u) * (1.0 + std::sqrt(5.0) * u + 5.0 * u * u / 3.0);
    case PriorKernel::linear:
      return 1.5 * a.dot(b);
  }
  return 0.0;
}

Eigen::MatrixXd covariances(PriorKernel kernel, const RowBlock& a, const RowBlock& b) {
  return Eigen::MatrixXd::NullaryExpr(a.rows(), b.rows(), [&](Eigen::Index i, Eigen::Index j) {
    return covariance(kernel, a.row(i), b.row(j));
  });
}

// All variables at once, conditioned by the inverse.
GaussianDistribution textbook(PriorKernel kernel, const GaussianProcessData& data,
                              const RowBlock& queries) {
  const Eigen::Index n = data.features.rows();
  const Eigen::MatrixXd cross = covariances(kernel, queries, data.features);
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd inverse =
      solve_square(covariances(kernel, data.features, data.features) + 0.4 * one, one);
  return {cross * inverse * data.targets,
          covariances(kernel, queries, queries) - cross * inverse * cross.transpose()};
}

TEST(GaussianProcessFit, AgreesWithTheTextbook) {
  SeededRandom random(1);
  for (const PriorKernel kernel : all_kernels)
    for (const long features : {1L, 3L})
      for (const long size : {1L, 2L, 20L})
        for (const long queries : {1L, 5L}) {
          const RowBlock points = random_rows(random, queries, features, 0.5);
          const GaussianProcessPlan plan =
              plan_gaussian_process(target, coordinates(features), points, request_for(kernel));
          RowBlock rows = random_rows(random, size, features + 1, 0.6);
          if (size == 20L) rows.row(7) = rows.row(3);  // one person twice
          const GaussianProcessData data = gaussian_process_data(plan, rows);
          const GaussianProcessFit fit(plan, data);
          const GaussianDistribution truth = textbook(kernel, data, plan.queries);
          EXPECT_LT((fit.posterior().mean - truth.mean).norm(), 1e-11);
          EXPECT_LT((fit.posterior().covariance - truth.covariance).norm(), 1e-11);
          EXPECT_NEAR(fit.lifted().covariance(0, 0), truth.covariance(0, 0) + plan.lift,
                      1e-11 * plan.lift + 1e-11);
        }
}

TEST(GaussianProcessFit, WithoutRowsItIsThePrior) {
  for (const PriorKernel kernel : all_kernels) {
    const RowBlock points = RowBlock::Constant(2, 1, 0.5);
    const GaussianProcessPlan plan =
        plan_gaussian_process(target, coordinates(1), points, request_for(kernel));
    const GaussianProcessFit fit(plan, gaussian_process_data(plan, RowBlock(0, 2)));
    EXPECT_EQ(fit.posterior().mean.norm(), 0.0);
    EXPECT_LT((fit.posterior().covariance - covariances(kernel, plan.queries, plan.queries)).norm(),
              1e-14);
    EXPECT_TRUE(fit.removed().empty());
  }
}

TEST(GaussianProcessKernels, ArePositiveSemidefiniteAndFiniteFarAway) {
  SeededRandom random(2);
  for (const PriorKernel kernel : all_kernels) {
    RowBlock points = random_rows(random, 30, 2, 1.0);
    const Eigen::MatrixXd matrix = kernel_matrix(kernel, 0.7, 1.5, points);
    EXPECT_LT((matrix - covariances(kernel, points, points)).norm(), 1e-13);
    EXPECT_EQ(matrix, matrix.transpose());
    const Eigen::VectorXd values = symmetric_eigenvalues(matrix);
    EXPECT_GT(values[0], -1e-13);
    EXPECT_GE(largest_eigenvalue_bound(matrix), values[29]);
    EXPECT_LE(largest_eigenvalue_bound(matrix), values[29] * (1.0 + 1e-5));
    if (kernel == PriorKernel::linear) continue;
    points.row(0).setConstant(1e308);
    points.row(1).setConstant(-1e308);
    const Eigen::MatrixXd far = kernel_matrix(kernel, 1e-10, 1.5, points);
    EXPECT_EQ(far(0, 0), 1.5);
    EXPECT_EQ(far(0, 1), 0.0);
    EXPECT_EQ(far(0, 2), 0.0);
  }
}

TEST(GaussianProcessKernels, OneEigenvalueOfEqualPointsHasItAll) {
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Constant(10, 10, 2.0);
  EXPECT_GE(largest_eigenvalue_bound(ones), 20.0);
  EXPECT_LE(largest_eigenvalue_bound(ones), 20.0001);
  EXPECT_GE(largest_eigenvalue_bound(Eigen::MatrixXd::Constant(1, 1, 2.0)), 2.0);
}

TEST(ReleaseGaussianProcess, IsADrawFromTheLiftedPosterior) {
  SeededRandom random(3);
  SeededSource source(4);
  for (const PriorKernel kernel : {PriorKernel::matern32, PriorKernel::linear}) {
    const GaussianProcessPlan plan = plan_gaussian_process(
        target, coordinates(2), random_rows(random, 3, 2, 0.5), request_for(kernel));
    const GaussianProcessData data = gaussian_process_data(plan, random_rows(random, 30, 3, 0.6));
    const GaussianProcessFit fit(plan, data);
    const GaussianDistribution truth = textbook(kernel, data, plan.queries);
    const Eigen::MatrixXd root =
        CholeskyFactor(truth.covariance + plan.lift * Eigen::MatrixXd::Identity(3, 3)).lower();
    std::vector<double> entries;
    Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
    const int draws = 3000;
    for (int i = 0; i < draws; ++i) {
      const Released released = release_gaussian_process(plan, fit, source);
      for (const double value : released.values.col(0))
        EXPECT_EQ(std::remainder(value, plan.grid), 0.0);
      const Eigen::VectorXd z =
          root.triangularView<Eigen::Lower>().solve(released.values.col(0) - truth.mean);
      products += z * z.transpose() / draws;
      entries.insert(entries.end(), z.begin(), z.end());
    }
    EXPECT_LT(largest_deviation(entries, normal_below), deviation_allowed(3.0 * draws));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) EXPECT_LT(std::abs(products(i, j)), 8.0 / std::sqrt(draws));
  }
}

TEST(ReleaseGaussianProcess, ClampsTargetsAndClipsFeaturesOfTheLinearKernelOnly) {
  RowBlock rows(1, 3);
  rows << 30.0, 40.0, -7.0;
  for (const PriorKernel kernel : {PriorKernel::rbf, PriorKernel::linear}) {
    const GaussianProcessPlan plan = plan_gaussian_process(
        target, coordinates(2, 5.0), RowBlock::Constant(1, 2, 100.0), request_for(kernel));
    const GaussianProcessData data = gaussian_process_data(plan, rows);
    EXPECT_NEAR(data.targets[0], -1.0, 1e-5);
    EXPECT_GE(data.targets[0], -1.0);
    if (kernel == PriorKernel::rbf) {
      EXPECT_EQ(data.features(0, 0), 30.0);
      EXPECT_EQ(plan.queries(0, 0), 100.0);
      EXPECT_EQ(plan.bounds.kernel_bound, 1.5);
      continue;
    }
    EXPECT_NEAR(data.features(0, 0), 3.0, 1e-4);
    EXPECT_LE(data.features.row(0).norm(), 5.0);
    EXPECT_LE(plan.queries.row(0).norm(), 5.0);
    EXPECT_GE(plan.bounds.kernel_bound, 37.5);
  }
}

class TableOfPoints : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.write("points.csv", text());
  Table table_{{{path_}, true, ','}};

  static std::string text() {
    SeededRandom random(5);
    std::string lines = "u,v,y\n";
    for (int i = 0; i < 30; ++i)
      lines += std::to_string(random.uniform(0.0, 10.0)) + "," +
               std::to_string(random.uniform(-1.0, 1.0)) + "," +
               std::to_string(random.uniform(90.0, 130.0)) + "\nbad,1,2\n";
    return lines;
  }
};

TEST_F(TableOfPoints, IsReadTheSameByAnyNumberOfThreadsAndInTheUnitsOfTheFile) {
  const RowRule rule(table_, {}, {{"u", {0.0, 10.0}}, {"v", {-1.0, 1.0}}, {"y", {90.0, 130.0}}});
  const PublicRows rows(rule, rule.natural_norm_bound(2), BadRows::dropped);
  RowBlock points(2, 2);
  points << 5.0, 0.0, 1000.0, 0.5;  // beyond the range: clamped
  const RowBlock queries = query_coordinates(rule, points);
  EXPECT_EQ(queries, (RowBlock(2, 2) << 0.0, 0.0, 1.0, 0.5).finished());
  for (const PriorKernel kernel : all_kernels) {
    const GaussianProcessPlan plan =
        plan_gaussian_process(target, rows, queries, request_for(kernel));
    ReadOptions options;
    std::optional<Eigen::VectorXd> mean;
    for (const unsigned threads : {1u, 4u})
      for (const bool keep_rows : {false, true}) {
        options.threads = threads;
        const GaussianProcessData data =
            read_gaussian_process(plan, table_, rule, options, keep_rows);
        EXPECT_EQ(data.rows, 30.0);
        EXPECT_EQ(data.features.rows(), kernel != PriorKernel::linear || keep_rows ? 30 : 0);
        const GaussianProcessFit fit(plan, data);
        if (!mean) mean = fit.posterior().mean;
        EXPECT_EQ(*mean, fit.posterior().mean);
        if (data.features.rows() == 0) {
          EXPECT_THROW(fit.removed(), Error);
          continue;
        }
        EXPECT_LT((textbook(kernel, data, plan.queries).mean - *mean).norm(), 1e-12);
        SeededSource source(6), same(6);
        const Eigen::MatrixXd values = release_gaussian_process(plan, fit, source).values;
        GaussianProcessPlan raw = plan;
        raw.rows = PublicRows(rows.names, 1.0);
        const Eigen::MatrixXd standardized = release_gaussian_process(raw, fit, same).values;
        EXPECT_LT((values.array() - 110.0 - 20.0 * standardized.array()).abs().maxCoeff(),
                  1e-9 * values.cwiseAbs().maxCoeff());
      }
  }
}

TEST_F(TableOfPoints, MoreRowsThanPromisedReleaseNothing) {
  const RowRule rule(table_, {});
  for (const PriorKernel kernel : {PriorKernel::rbf, PriorKernel::linear}) {
    const GaussianProcessPlan plan =
        plan_gaussian_process(target, PublicRows(rule, 1.0, BadRows::dropped), RowBlock::Zero(1, 2),
                              request_for(kernel, 29.0));
    EXPECT_THROW(read_gaussian_process(plan, table_, rule), Error);
    EXPECT_THROW(gaussian_process_data(plan, RowBlock::Zero(30, 3)), Error);
    EXPECT_NO_THROW(gaussian_process_data(plan, RowBlock::Zero(29, 3)));
    EXPECT_TRUE(
        refuses("coordinates", [&] { return gaussian_process_data(plan, RowBlock::Zero(2, 2)); }));
  }
}

TEST(PlanGaussianProcess, SaysWhatIsPromised) {
  const GaussianProcessPlan plan = plan_gaussian_process(
      target, coordinates(1), RowBlock::Zero(1, 1), request_for(PriorKernel::rbf));
  const Certificate& certificate = plan.certificate;
  EXPECT_EQ(certificate.guarantee, Guarantee::proved);
  EXPECT_EQ(certificate.arithmetic, Exactness::mitigated);
  EXPECT_EQ(certificate.find("row_norm_bound"), nullptr);
  EXPECT_EQ(*certificate.find("largest_rows"), ParameterValue(50.0));
  EXPECT_LE(certificate.achieved.delta().upper(), target.delta);
  EXPECT_EQ(certificate.loss.at("mechanism").text(), "gaussian_process_release");
}

TEST(PlanGaussianProcess, RefusesWhatItCannotPromise) {
  const RowBlock query = RowBlock::Zero(1, 1);
  const auto plan_with = [&](const GaussianProcessRequest& request, const RowBlock& queries) {
    return plan_gaussian_process(target, coordinates(1), queries, request);
  };
  const GaussianProcessRequest good = request_for(PriorKernel::rbf);
  GaussianProcessRequest request = good;
  request.largest_rows.reset();
  EXPECT_TRUE(refuses("largest_rows", [&] { return plan_with(request, query); }));
  request.largest_rows = 10001.0;
  EXPECT_TRUE(refuses("largest_rows", [&] { return plan_with(request, query); }));
  request = request_for(PriorKernel::linear, 1e7);
  EXPECT_NO_THROW(plan_with(request, query));
  request.length_scale = 1.0;
  EXPECT_TRUE(refuses("length_scale", [&] { return plan_with(request, query); }));
  request = good;
  request.noise_variance.reset();
  EXPECT_TRUE(refuses("noise_variance", [&] { return plan_with(request, query); }));
  request.noise_variance = 1e-13;  // rounding would matter
  EXPECT_TRUE(refuses("noise_variance", [&] { return plan_with(request, query); }));
  request = good;
  request.target_bound.reset();
  EXPECT_TRUE(refuses("target_bound", [&] { return plan_with(request, query); }));
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    request = good;
    request.amplitude = bad;
    EXPECT_TRUE(refuses("amplitude", [&] { return plan_with(request, query); }));
    request = good;
    request.length_scale = bad;
    EXPECT_TRUE(refuses("length_scale", [&] { return plan_with(request, query); }));
    request = good;
    request.target_bound = bad;
    EXPECT_TRUE(refuses("target_bound", [&] { return plan_with(request, query); }));
  }
  EXPECT_TRUE(refuses("queries", [&] { return plan_with(good, RowBlock(0, 1)); }));
  EXPECT_TRUE(refuses("queries", [&] { return plan_with(good, RowBlock::Zero(1, 2)); }));
  EXPECT_TRUE(
      refuses("queries", [&] { return plan_with(good, RowBlock::Constant(1, 1, infinity)); }));
  EXPECT_TRUE(refuses("queries", [&] { return plan_with(good, RowBlock::Zero(4001, 1)); }));
  EXPECT_TRUE(refuses("coordinates", [&] {
    return plan_gaussian_process(target, PublicRows({"y"}, 1.0), query, good);
  }));
  EXPECT_THROW(plan_gaussian_process({1.0, 0.0}, coordinates(1), query, good), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::gaussian_process_release_test
