#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/privacy/gaussian_pair.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing {
namespace {

// sigma / l of [LuWei2024, Table 2] and of [Sheffet2019] for the same targets.
TEST(ProjectionCalibration, MeetsTheFiguresOfThePaper) {
  const PrivacyTarget cancer(1.0, 1.0 / 2809.0), flight(1.0, 1.0 / 327346.0);
  const auto published = [](const ProjectionCalibration& found) {
    return std::sqrt(found.published_ridge);
  };
  EXPECT_NEAR(published(calibrate_projection(cancer, 300, 1)), 6.1855, 5e-5);
  EXPECT_NEAR(published(calibrate_projection(flight, 1270, 1)), 10.3163, 5e-5);
  EXPECT_NEAR(published(calibrate_singular_value_projection(cancer, 300, 1)), 18.3449, 5e-5);
  EXPECT_NEAR(published(calibrate_singular_value_projection(flight, 1270, 1)), 28.5118, 5e-5);
}

TEST(ProjectionCalibration, NeedsLessRidgeThanPublished) {
  const ProjectionCalibration found = calibrate_projection({5.0, 1e-6}, 50, 2.0);
  EXPECT_NEAR(found.ridge, found.published_ridge - 4.0, 1e-9);
  EXPECT_NEAR(found.ridge / found.published_ridge, 0.86, 0.005);
  EXPECT_LE(found.achieved.delta().upper(), 1e-6);
  EXPECT_GE(found.achieved.delta().lower(), 0.999999e-6);
}

// Every neighbor of a table, with rows of norm l, by the pair of the two laws themselves.
TEST(ProjectionCalibration, KeepsItsPromiseOnRealNeighbors) {
  const double bound = 1.5, columns = 20.0;
  const PrivacyTarget target(1.0, 1e-4);
  const double ridge = calibrate_projection(target, columns, bound).ridge;
  SeededRandom random(3);
  for (const Eigen::Index rows : {1, 2, 6}) {
    Eigen::MatrixXd table(rows, 3);
    for (double& entry : table.reshaped()) entry = random.normal();
    table.rowwise().normalize();
    table *= bound;
    const Eigen::MatrixXd covariance =
        table.transpose() * table + ridge * Eigen::MatrixXd::Identity(3, 3);
    double worst = 0.0;
    for (Eigen::Index row = 0; row < rows; ++row) {
      const Eigen::VectorXd v = table.row(row).transpose();
      const Eigen::MatrixXd without = covariance - v * v.transpose();
      const auto spectrum =
          reduce_pair({Eigen::VectorXd::Zero(3), covariance}, {Eigen::VectorXd::Zero(3), without});
      ASSERT_TRUE(spectrum.has_value());
      const ProfilePoint point =
          profile(PrivacyLoss::gaussian(spectrum->repeated(columns)), target.epsilon);
      worst = std::max(worst, point.delta().upper());
    }
    EXPECT_LE(worst, target.delta * (1 + 1e-9));
    if (rows == 1) {  // attained
      EXPECT_NEAR(worst, target.delta, 1e-8 * target.delta);
    }
  }
}

// The mixture q X + (1 - q) Y by simulation-free integration: both laws are chi-square in one
// number, so delta is a sum over a fine grid of it.
TEST(SubsampledProjection, IsTheMixtureOfBothLaws) {
  const double columns = 4.0, rate = 0.3;
  const PrivacyTarget target(0.5, 1e-3);
  const ProjectionCalibration found = calibrate_subsampled_projection(target, columns, 1.0, rate);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
  EXPECT_GT(found.achieved.delta().lower(), 0.999 * target.delta);
  EXPECT_LT(found.ridge, calibrate_projection(target, columns, 1.0).ridge);
  // |M v|^2 / |v|^2: t * chi-square with 4 degrees, t = 1 without and 1 + 1/ridge with the row.
  const double with = 1.0 + 1.0 / found.ridge;
  const auto density = [](double x, double scale) {
    return 0.25 * x / (scale * scale) * std::exp(-0.5 * x / scale);
  };
  double forward = 0.0, reverse = 0.0;
  const double step = 1e-3, growth = std::exp(target.epsilon);
  for (double x = 0.5 * step; x < 200.0; x += step) {
    const double y = density(x, 1.0), mixture = rate * density(x, with) + (1.0 - rate) * y;
    forward += step * std::max(0.0, mixture - growth * y);
    reverse += step * std::max(0.0, y - growth * mixture);
  }
  EXPECT_NEAR(found.achieved.forward.upper(), forward, 1e-8);
  EXPECT_NEAR(found.achieved.reverse.upper(), reverse, 1e-8);
}

TEST(RelativeProjection, AddsNothingWhereTheSetIsPrivateEnough) {
  const PrivacyTarget target(1.0, 1e-6);
  const double allowed = largest_leverage(target, 300.0);
  const ProjectionCalibration free =
      calibrate_relative_projection(target, 300.0, 1.0, 0.99 * allowed);
  EXPECT_EQ(free.ridge, 0.0);
  EXPECT_LE(free.achieved.delta().upper(), 1e-6);
  EXPECT_EQ(calibrate_relative_projection(target, 300.0, 1.0, 1.01 * allowed).ridge,
            calibrate_projection(target, 300.0, 1.0).ridge);
}

TEST(AdditiveProjection, CountsTheNoiseAlone) {
  const PrivacyTarget target(1.0, 1e-4);
  const AdditiveProjectionCalibration found = calibrate_additive_projection(target, 2.0, 3.0);
  // For two columns |g|^2 is exponential: P[|g| > t] = exp(-t^2 / 2).
  EXPECT_NEAR(found.norm_bound, std::sqrt(2.0 * std::log(2e4)), 1e-9);
  EXPECT_NEAR(found.standard_deviation,
              calibrate_gaussian({1.0, 5e-5}, 3.0 * found.norm_bound).parameter, 1e-6);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
}

// One exact composition against the published split of epsilon and delta.
TEST(ProposeTestRelease, ComposesExactly) {
  const PrivacyTarget target(1.0, 1e-6);
  const ProposeTestRelease found = calibrate_propose_test_release(target, 300.0, 1.0, 10.0, 1e-7);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
  PrivacyLoss together = gaussian_mechanism(10.0, 1.0 + 0x1p-20);
  together.compose(random_projection(300.0, found.leverage));
  EXPECT_NEAR(profile(together, 1.0).delta().upper() + 1e-7, 1e-6, 1e-11);
  EXPECT_NEAR(found.margin, 10.0 * 5.199337582, 1e-7);
  // The published way: epsilon_T for a third of delta, what is left for the projection.
  const double test = epsilon_at(gaussian_mechanism(10.0, 1.0), 4.5e-7).value.upper();
  const double split = calibrate_projection({1.0 - test, 4.5e-7}, 300.0, 1.0).published_ridge;
  EXPECT_NEAR(found.ridge_target / split, 0.64, 0.02);
}

TEST(ProposeTestRelease, ChoosesWellByItself) {
  const PrivacyTarget target(1.0, 1e-6);
  const ProposeTestRelease found = calibrate_propose_test_release(target, 300.0, 1.0);
  const double cost = found.ridge_target + found.margin;
  for (const double noise : {5.5, 6.5, 8.0, 12.0, 20.0})
    for (const double failure : {2e-8, 1e-7, 3e-7}) {
      const ProposeTestRelease other =
          calibrate_propose_test_release(target, 300.0, 1.0, noise, failure);
      EXPECT_LE(cost, 1.001 * (other.ridge_target + other.margin)) << noise << " " << failure;
    }
  // In the units of the data.
  const ProposeTestRelease scaled = calibrate_propose_test_release(target, 300.0, 2.0);
  EXPECT_NEAR(scaled.ridge_target, 4.0 * found.ridge_target, 1e-9 * scaled.ridge_target);
  EXPECT_NEAR(scaled.eigenvalue_noise, 4.0 * found.eigenvalue_noise, 1e-9 * found.margin);
}

TEST(ProposeTestRelease, RefusesWhereTheTestAloneOverspends) {
  EXPECT_THROW(calibrate_propose_test_release({1.0, 1e-6}, 300.0, 1.0, 1.0), CalibrationFailed);
  EXPECT_TRUE(refuses("failure", [] {
    return calibrate_propose_test_release({1.0, 1e-6}, 300.0, 1.0, {}, 2e-6);
  }));
  EXPECT_TRUE(refuses("eigenvalue_noise", [] {
    return calibrate_propose_test_release({1.0, 1e-6}, 300.0, 1.0, -1.0);
  }));
}

TEST(ProposeTestRelease, TheRidgeFillsWhatTheEigenvalueLacks) {
  const ProposeTestRelease found = calibrate_propose_test_release({1.0, 1e-6}, 300.0, 1.0);
  EXPECT_EQ(found.ridge(0.0), found.largest_ridge);
  EXPECT_NEAR(found.ridge(30.0), found.ridge_target - 30.0, 1e-9);
  EXPECT_EQ(found.ridge(1e6), 0.0);
  EXPECT_TRUE(refuses("eigenvalue_bound", [&] { return found.ridge(std::nan("")); }));
}

TEST(CovarianceMechanism, IsOneGaussianInTheMetricOfTheNoise) {
  const double deviation = 3.0, bound = 2.0;
  // A row v moves D^T D by v v^T: whitened entry by entry, diagonal variance twice the other.
  const Eigen::Vector3d v = Eigen::Vector3d(1.0, -2.0, 0.5).normalized() * bound;
  double mu_square = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
      mu_square += std::pow(v[i] * v[j], 2) / (deviation * deviation * (i == j ? 2.0 : 1.0));
  const ProfilePoint direct = profile(gaussian_differential_privacy(std::sqrt(mu_square)), 0.4);
  const ProfilePoint found = profile(covariance_mechanism(deviation, bound), 0.4);
  EXPECT_NEAR(found.delta().upper(), direct.delta().upper(), 1e-14);
  EXPECT_NEAR(calibrate_covariance({1.0, 1e-6}, 1.0).parameter, 2.98729909, 1e-7);
  EXPECT_THROW(calibrate_covariance({1.0, 0.0}, 1.0), CalibrationFailed);
  EXPECT_TRUE(refuses("row_norm_bound", [] { return covariance_mechanism(1.0, -1.0); }));
}

TEST(ProjectionCalibration, RefusesBadArgumentsAndNamesThem) {
  EXPECT_TRUE(refuses("columns", [] { return calibrate_projection({1, 1e-6}, 0.0, 1.0); }));
  EXPECT_TRUE(refuses("row_norm_bound", [] { return calibrate_projection({1, 1e-6}, 5, 0.0); }));
  EXPECT_TRUE(refuses("ridge", [] { return ridge_projection(5, 0.0, 1.0); }));
  EXPECT_TRUE(refuses("sampling_rate", [] {
    return calibrate_subsampled_projection({1, 1e-6}, 5, 1.0, 1e-7);
  }));
  EXPECT_TRUE(refuses("leverage", [] {
    return calibrate_relative_projection({1, 1e-6}, 5, 1.0, 1.0);
  }));
  EXPECT_THROW(calibrate_projection({1.0, 0.0}, 5, 1.0), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing
