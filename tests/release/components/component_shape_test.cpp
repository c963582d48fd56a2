// Released components at the edges, their errors, and what is said about them in confidence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/rank_rows.h"
#include "modicum/mechanisms/principal_components.h"
#include "numerics/dense.h"
#include "release/component_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::component_shape_test {
namespace {

using enum ComponentMethod;

const PrivacyTarget target(1.0, 1e-6);

double value_of(const Diagnostics& diagnostics, const std::string& name) {
  for (const Diagnostic& each : diagnostics)
    if (each.name == name) return each.value;
  return not_a_number;
}

// Orthonormal but for rounding, on the grid where there is one, with the signs of the rule.
void expect_frame(const ComponentPlan& plan, const Released& released) {
  const auto components = static_cast<Eigen::Index>(plan.request.components);
  const Eigen::MatrixXd& values = released.values;
  ASSERT_EQ(values.rows(), plan.rows.dimension());
  ASSERT_EQ(values.cols(), components);
  EXPECT_EQ(released.row_names, plan.rows.names);
  EXPECT_EQ(released.column_names.size(), static_cast<std::size_t>(components));
  if (released.certificate.find("components_found") != nullptr) {
    EXPECT_TRUE(values.isZero(0.0));
    return;
  }
  const double off =
      (values.transpose() * values - Eigen::MatrixXd::Identity(components, components)).norm();
  EXPECT_LT(off, 1e-6) << name_of(plan.request.method);
  for (Eigen::Index j = 0; j < components; ++j)
    EXPECT_EQ(values.col(j).maxCoeff(), values.col(j).cwiseAbs().maxCoeff());
  if (plan.request.method >= gaussian_orthogonal_ensemble) return;
  for (const double value : values.reshaped()) EXPECT_EQ(std::remainder(value, 0x1p-26), 0.0);
}

TEST(ReleaseComponents, GivesOrthonormalColumnsForAnyTable) {
  SeededRandom random(1);
  SeededSource source(2);
  const Eigen::MatrixXd some = random_rows(random, 3, 6, 1.0);  // fewer rows than columns
  const Eigen::MatrixXd tables[] = {Eigen::MatrixXd(0, 6), some, some.topRows(1),
                                    Eigen::MatrixXd::Identity(6, 6),  // all eigenvalues tie
                                    random_rows(random, 500, 6, 3.0)};
  for (const ComponentMethod method : component_methods)
    for (const double components : {1.0, 3.0, 6.0})
      for (const Eigen::MatrixXd& rows : tables) {
        if (method == adaptive && components == 6.0) continue;
        const ComponentPlan plan =
            plan_components(target, coordinates(6, 1.0), asking(components, method));
        expect_frame(plan, release_components(plan, gram_of(rows, 1.0), source));
        if (method == wishart) continue;
        const ComponentPlan ranks = plan_components(target, coordinates(6, 1.0),
                                                    asking(components, method, RowScaling::ranks));
        expect_frame(ranks, release_components(ranks, rank_moments_of(rows), source));
      }
}

TEST(ReleaseComponents, BothSamplersServeJointDraws) {
  SeededRandom random(3);
  SeededSource source(4);
  const IntegerGram gram = gram_of(random_rows(random, 2000, 8, 0.3), 1.0);
  for (const ComponentSampler sampler : {ComponentSampler::gibbs, ComponentSampler::gaussian})
    for (const ComponentMethod method : {joint, adaptive}) {
      ComponentRequest request = asking(3.0, method);
      request.sampler = sampler;
      request.sweeps = 5.0;
      const ComponentPlan plan = plan_components(target, coordinates(8, 1.0), request);
      EXPECT_EQ(number_in(plan.certificate, "sweeps"), 5.0);
      expect_frame(plan, release_components(plan, gram, source));
    }
}

// Where epsilon is so large that nothing is hidden, the components are the true ones.
TEST(ReleaseComponents, FindsTheTrueOnesWithoutAnyPrivacy) {
  SeededRandom random(5);
  SeededSource source(6);
  const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(5, 0.5, 0.02);
  const Eigen::MatrixXd rows = random_rows(random, 400, 5, 1.0) * scales.asDiagonal();
  for (const double epsilon : {1e5, 1e6, 9e6})
    for (const ComponentMethod method : {exponential, joint})
      for (const double components : {1.0, 2.0}) {
        const ComponentPlan plan =
            plan_components(PrivacyTarget(epsilon, 0.0), coordinates(5, 2.0), {components, method});
        const IntegerGram gram = gram_of(rows, 2.0);
        const ComponentErrors errors =
            component_errors(release_components(plan, gram, source).values, gram.matrix());
        // Deviations of at most 1/sqrt(2 exponent); ten of them and four axes.
        EXPECT_LT(errors.spectral, 4.0 * 100.0 / (2.0 * epsilon)) << epsilon;
      }
}

TEST(ReleaseComponents, IgnoresTheDataWithoutABeta) {
  SeededRandom random(7);
  ComponentRequest request{1.0};
  request.rows = 100.0;
  request.beta = 0.0;
  for (const double components : {1.0, 2.0})
    for (const ComponentMethod method : {exponential, joint}) {
      request.components = components;
      request.method = method;
      const ComponentPlan plan =
          plan_components(PrivacyTarget(0.0, 0.0), coordinates(3, 1.0), request);
      EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
      // Not the same bits, since the axes differ; but as far from the true ones as any other.
      Eigen::Matrix3d rows = Eigen::Matrix3d::Zero();
      rows(0, 0) = 1.0;
      SeededSource source(8);
      double share = 0.0;
      for (int i = 0; i < 4000; ++i)
        share += release_components(plan, gram_of(rows, 1.0), source).values.row(0).squaredNorm();
      // Seven deviations, each at most 1/2: a false alarm below 1e-10.
      EXPECT_NEAR(share / 4000.0, components / 3.0, 3.5 / std::sqrt(4000.0));
    }
}

TEST(ReleaseComponents, RefusesSumsThatThePlanIsNotFor) {
  SeededSource source(9);
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Constant(3, 2, 0.5);
  for (const ComponentMethod method : component_methods) {
    const ComponentPlan plan = plan_components(target, coordinates(2, 1.0), asking(1.0, method));
    const auto refused = [&](const std::string& name, const auto& moments) {
      EXPECT_TRUE(refuses(name, [&] { return release_components(plan, moments, source).values; }));
      const Released none{{}, {}, Eigen::MatrixXd::Zero(2, 1), plan.certificate};
      EXPECT_TRUE(refuses(name, [&] { return diagnose_components(plan, none, moments); }));
    };
    refused("row_norm_bound", gram_of(rows, 100.0));
    refused("coordinates", gram_of(Eigen::MatrixXd::Constant(3, 3, 0.1), 1.0));
    refused("scaling", rank_moments_of(rows));
    IntegerGram sampled = gram_of(rows, 1.0);
    sampled.sampling_rate = 0.5;
    refused("sampling_rate", sampled);
    if (method == wishart) continue;
    const ComponentPlan ranks =
        plan_components(target, coordinates(2, 1.0), asking(1.0, method, RowScaling::ranks));
    EXPECT_TRUE(refuses(
        "scaling", [&] { return release_components(ranks, gram_of(rows, 1.0), source).values; }));
    EXPECT_TRUE(refuses("coordinates", [&] {
      return release_components(ranks, rank_moments_of(RowBlock::Ones(3, 3)), source).values;
    }));
  }
}

TEST(ComponentErrors, AreKnownForTheTrueOnesAndForOthers) {
  const Eigen::VectorXd eigenvalues = (Eigen::VectorXd(5) << 5.0, 4.0, 3.0, 2.0, 1.0).finished();
  const Eigen::MatrixXd moments = eigenvalues.asDiagonal();
  const Eigen::MatrixXd axes = Eigen::MatrixXd::Identity(5, 5);
  const ComponentErrors exact = component_errors(axes.leftCols(2), moments);
  EXPECT_NEAR(exact.spectral, 0.0, 1e-28);
  EXPECT_NEAR(exact.frobenius, 0.0, 1e-28);
  EXPECT_NEAR(exact.captured, 1.0, 1e-14);
  const ComponentErrors orthogonal = component_errors(axes.rightCols(2), moments);
  EXPECT_NEAR(orthogonal.spectral, 1.0, 1e-14);
  EXPECT_NEAR(orthogonal.frobenius, 4.0, 1e-14);
  EXPECT_NEAR(orthogonal.captured, 3.0 / 9.0, 1e-14);
  const ComponentErrors all = component_errors(axes, moments);
  EXPECT_NEAR(all.spectral, 0.0, 1e-28);
  EXPECT_NEAR(all.captured, 1.0, 1e-14);
  const ComponentErrors none = component_errors(Eigen::MatrixXd::Zero(5, 2), moments);
  EXPECT_EQ(none.spectral, 1.0);
  EXPECT_EQ(none.frobenius, 4.0);
  EXPECT_EQ(none.captured, 0.0);
  EXPECT_TRUE(refuses("components", [&] { return component_errors(axes.topRows(3), moments); }));
}

// By the definition: norms of the difference of the projections.
TEST(ComponentErrors, AreNormsOfTheDifferenceOfProjections) {
  SeededRandom random(10);
  for (int trial = 0; trial < 50; ++trial) {
    const int p = random.whole(1, 7), k = random.whole(1, p);
    const Eigen::MatrixXd rows = random_rows(random, 20, p, 1.0);
    const Eigen::MatrixXd moments = rows.transpose() * rows;
    const Eigen::MatrixXd drawn = random_rows(random, p, k, 1.0);
    const Eigen::MatrixXd v = HouseholderQr(drawn).thin_orthogonal();
    const SymmetricEigen axes = symmetric_eigen(moments);
    const Eigen::MatrixXd u = axes.vectors.rightCols(k);
    const Eigen::MatrixXd difference = u * u.transpose() - v * v.transpose();
    const double norm = symmetric_eigenvalues(difference).cwiseAbs().maxCoeff();
    const ComponentErrors errors = component_errors(v, moments);
    EXPECT_NEAR(errors.spectral, norm * norm, 1e-12);
    EXPECT_NEAR(errors.frobenius, difference.squaredNorm(), 1e-12);
    EXPECT_NEAR(errors.captured, (v.transpose() * moments * v).trace() / axes.values.tail(k).sum(),
                1e-12);
  }
}

// Predictions from the plan's own numbers: beta for as many rows as there are.
TEST(DiagnoseComponents, PredictsWhatTheLimitSaysAtTheBetaUsed) {
  SeededRandom random(11);
  SeededSource source(12);
  const double n = 800.0, p = 6.0;
  const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(6, 0.6, 0.1);
  const Eigen::MatrixXd rows = random_rows(random, 800, 6, 1.0) * scales.asDiagonal();
  const IntegerGram gram = gram_of(rows, 1.5);
  const Eigen::VectorXd values = symmetric_eigenvalues(gram.matrix() * (p / 2.25 / n));
  std::vector<double> eigenvalues(values.begin(), values.end());
  for (const ComponentMethod method : component_methods)
    for (const double components : {1.0, 2.0}) {
      const ComponentPlan plan = plan_components(PrivacyTarget(3.0, 1e-5), coordinates(6, 1.5),
                                                 asking(components, method));
      const Released released = release_components(plan, gram, source);
      const Diagnostics found = diagnose_components(plan, released, gram);
      const ComponentErrors errors = component_errors(released.values, gram.matrix());
      EXPECT_NEAR(value_of(found, "spectral_error"), errors.spectral, 1e-9);
      EXPECT_NEAR(value_of(found, "frobenius_error"), errors.frobenius, 1e-9);
      EXPECT_NEAR(value_of(found, "variance_captured"), errors.captured, 1e-9);
      EXPECT_GT(value_of(found, "relative_gap"), 0.0);
      const bool other = method == exponential && components > 1.0;
      const std::string prefix = other ? "joint_predicted_" : "predicted_";
      if (method >= gaussian_orthogonal_ensemble ||
          released.certificate.find("components_found") != nullptr) {
        EXPECT_TRUE(std::isnan(value_of(found, prefix + "spectral_error")));
        continue;
      }
      const double beta = method == adaptive
                              ? number_in(released.certificate, "beta") * n / 1000.0
                              : beta_of_range(plan.frames().range, p, n, RowScaling::separate);
      const ComponentSpectrum spectrum(eigenvalues, n, components);
      EXPECT_NEAR(value_of(found, prefix + "spectral_error"),
                  predicted_utility(spectrum, beta).spectral, 1e-9);
      const auto mu = predicted_mu(spectrum, beta);
      const double told = value_of(found, prefix + "mu");
      EXPECT_TRUE(mu ? std::abs(told - *mu) < 1e-8 : std::isnan(told));
    }
}

TEST(DiagnoseComponents, ServesEmptyTablesAndRanks) {
  SeededSource source(13);
  const ComponentPlan plan = plan_components(target, coordinates(3, 1.0), {2.0});
  const IntegerGram empty = gram_of(Eigen::MatrixXd(0, 3), 1.0);
  const Diagnostics found =
      diagnose_components(plan, release_components(plan, empty, source), empty);
  EXPECT_EQ(value_of(found, "joint_predicted_spectral_error"), 1.0);
  EXPECT_TRUE(std::isnan(value_of(found, "relative_gap")));
  const ComponentPlan ranks =
      plan_components(target, coordinates(3, 1.0), {1.0, exponential, RowScaling::ranks});
  SeededRandom random(14);
  const RankMoments moments = rank_moments_of(random_rows(random, 50, 3, 1.0));
  const Diagnostics ranked =
      diagnose_components(ranks, release_components(ranks, moments, source), moments);
  EXPECT_GT(value_of(ranked, "predicted_spectral_error"), 0.0);
}

}  // namespace
}  // namespace modicum::testing::component_shape_test
