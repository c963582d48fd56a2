#include "modicum/mechanisms/random_projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::random_projection_test {
namespace {

// rho = 1 / (1 - p) in terms of the leverage as given, not of a rounded ratio.
TEST(RandomProjection, HasTheProfileOfIncompleteGammaFunctions) {
  SeededRandom random(801);
  for (int i = 0; i < 100; ++i) {
    const double columns = std::floor(random.log_uniform(1.0, 2000.0));
    const double leverage = random.log_uniform(1e-4, 0.9);
    const double epsilon = random.uniform(-0.5, 3.0) * leverage * std::sqrt(columns);
    const auto rho = [&] { return Ball(1.0) / (Ball(1.0) - Ball(leverage)); };
    const Ball forward = larger_variance_first(columns, rho, epsilon);
    const Ball reverse = smaller_variance_first(columns, rho, epsilon);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const ProfilePoint point = profile(random_projection(columns, leverage), epsilon, accuracy);
      EXPECT_TRUE(encloses(point.forward, forward)) << columns << ' ' << leverage << ' ' << epsilon;
      EXPECT_TRUE(encloses(point.reverse, reverse)) << columns << ' ' << leverage << ' ' << epsilon;
      EXPECT_LE(relative_distance(point.forward, forward), 1e-11);
    }
  }
}

TEST(RandomProjection, HasTheProfileOfIncompleteGammaFunctionsAtAMillionColumns) {
  const auto rho = [] { return Ball(1.0) / (Ball(1.0) - Ball(1e-3)); };
  for (const double epsilon : {0.0, 1.0, 5.0}) {
    const ProfilePoint point = profile(random_projection(1e6, 1e-3), epsilon, Accuracy::certified);
    EXPECT_TRUE(encloses(point.forward, larger_variance_first(1e6, rho, epsilon)));
    EXPECT_TRUE(encloses(point.reverse, smaller_variance_first(1e6, rho, epsilon)));
    EXPECT_LE(point.forward.relative_width(), 1e-12);
  }
}

// One pair dominates at every real epsilon, negative ones too.
TEST(RandomProjection, NeverLosesLessAtLargerLeverage) {
  SeededRandom random(802);
  for (int i = 0; i < 500; ++i) {
    const double columns = random.whole(1, 200);
    const double large = random.log_uniform(1e-3, 0.9), small = large * random.unit();
    const double epsilon = random.sign() * random.log_uniform(1e-3, 5.0);
    const ProfilePoint more = profile(random_projection(columns, large), epsilon, Accuracy::fast);
    const ProfilePoint less = profile(random_projection(columns, small), epsilon, Accuracy::fast);
    EXPECT_LE(less.forward.lower(), more.forward.upper()) << i;
    EXPECT_LE(less.reverse.lower(), more.reverse.upper()) << i;
  }
}

TEST(RandomProjection, LosesMoreWithTheRowFirst) {
  for (const double epsilon : {0.0, 0.1, 1.0, 2.5}) {
    const ProfilePoint point = profile(random_projection(40.0, 0.1), epsilon, Accuracy::certified);
    EXPECT_GE(point.forward.upper(), point.reverse.lower()) << epsilon;
  }
}

TEST(RandomProjection, ComposesByColumns) {
  EXPECT_TRUE(profile(random_projection(300.0, 0.02), 1.0, Accuracy::certified)
                  .forward.overlaps(profile(random_projection(100.0, 0.02).repeated(3.0), 1.0,
                                            Accuracy::certified)
                                        .forward));
}

TEST(RandomProjection, OfARowWithoutLeverageLosesNothing) {
  EXPECT_TRUE(profile(random_projection(10.0, 0.0), 0.0).delta().is_exactly_zero());
}

TEST(RandomProjection, RefusesWhatIsNoLeverage) {
  for (const double bad : {not_a_number, infinity, -infinity, -1e-9, 1.0, 1.5})
    EXPECT_TRUE(refuses("leverage", [&] { return random_projection(10.0, bad); })) << bad;
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0, 1.5})
    EXPECT_TRUE(refuses("columns", [&] { return random_projection(bad, 0.5); })) << bad;
}

TEST(LargestLeverage, MeetsTheTargetAndHardlyMoreWould) {
  const PrivacyTarget target(5.0, 1e-6);
  const double leverage = largest_leverage(target, 50.0);
  EXPECT_NEAR(leverage, 0.140709, 1e-6);
  const auto delta = [&](double p) {
    return profile(random_projection(50.0, p), target.epsilon, Accuracy::certified).delta();
  };
  EXPECT_LE(delta(leverage).upper(), target.delta);
  EXPECT_GT(delta(leverage * (1.0 + 1e-9)).lower(), target.delta);
}

// log(4/delta) = 8 and r = 4: epsilon / (4 (8 + 8)).
TEST(SingularValueLeverage, IsTheFormula) {
  EXPECT_NEAR(singular_value_leverage({1.0, 4.0 * std::exp(-8.0)}, 4.0), 1.0 / 64.0, 1e-15);
  EXPECT_TRUE(refuses("delta", [] { return singular_value_leverage({1.0, 0.0}, 4.0); }));
  EXPECT_TRUE(refuses("columns", [] { return singular_value_leverage({1.0, 0.1}, 0.5); }));
}

// [LuWei2026, Figure 2].
TEST(LargestLeverage, ExceedsTheEarlierBoundEverywhere) {
  for (const double columns : {50.0, 100.0, 200.0, 500.0})
    for (const double epsilon : {0.1, 1.0, 5.0}) {
      const PrivacyTarget target(epsilon, 1e-6);
      EXPECT_GT(largest_leverage(target, columns, Accuracy::fast),
                6.0 * singular_value_leverage(target, columns))
          << columns << " columns, epsilon " << epsilon;
    }
}

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
}  // namespace modicum::testing::random_projection_test
