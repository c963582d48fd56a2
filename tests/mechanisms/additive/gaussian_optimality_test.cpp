#include "modicum/mechanisms/gaussian_optimality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/spherical.h"
#include "support/refusals.h"

namespace modicum::testing::gaussian_optimality_test {
namespace {

// By bisection with 40 digits.
TEST(GaussianOptimality, HoldsUpToTheKnownDeltaForSmallAndLargeEpsilon) {
  const double known[][2] = {{0.0, 0.7661898387},    {0.25, 0.7366704443},   {1.0, 0.6491851492},
                             {16.0, 0.1976152609},   {152.0, 0.05300362827}, {153.0, 0.05280089732},
                             {200.0, 0.04515728923}, {700.0, 0.02185462091}, {1e4, 0.004849336801},
                             {1e8, 3.357114549e-5}};
  for (const auto& [epsilon, delta] : known) {
    const Enclosure found = gaussian_optimal_up_to(epsilon);
    EXPECT_NEAR(found.lower() / delta, 1.0, 1e-9) << epsilon;
    EXPECT_LT(found.relative_width(), 1e-9) << epsilon;
  }
}

TEST(GaussianOptimality, FallsWithEpsilon) {
  double before = 1.0;
  for (double epsilon = 1e-3; epsilon < 1e6; epsilon *= 1.5) {
    const Enclosure found = gaussian_optimal_up_to(epsilon);
    EXPECT_LT(found.upper(), before) << epsilon;
    before = found.lower();
  }
}

// By a search in another program, which does not prove its minima: tests of the same kind.
TEST(AdditiveErrorFloor, IsNearTheGaussianInHighDimension) {
  struct Case {
    double epsilon, delta, dimension, least, most;
  };
  for (const Case& each : {Case{1.0, 1e-5, 100.0, 0.71, 0.745}, Case{1.0, 1e-5, 1000.0, 0.96, 0.97},
                           Case{0.1, 3e-3, 100.0, 0.935, 0.95}, Case{1.0, 0.2, 10.0, 0.88, 0.91},
                           Case{0.0, 0.1, 1000.0, 0.98, 1.0}, Case{1.0, 1e-5, 1e6, 0.998, 1.0}}) {
    const PrivacyTarget target(each.epsilon, each.delta);
    const double deviation = calibrate_gaussian(target, 1.0).parameter;
    const double share =
        additive_error_floor(target, each.dimension) / (each.dimension * deviation * deviation);
    EXPECT_GE(share, each.least) << each.epsilon << " " << each.dimension;
    EXPECT_LE(share, each.most) << each.epsilon << " " << each.dimension;
  }
}

TEST(AdditiveErrorFloor, IsBelowTheErrorOfEveryNoise) {
  for (const double dimension : {2.0, 5.0, 30.0})
    for (const auto& target : {PrivacyTarget(0.1, 0.3), PrivacyTarget(1.0, 0.1),
                               PrivacyTarget(1.0, 0.9), PrivacyTarget(3.0, 1e-3)}) {
      const double floor = additive_error_floor(target, dimension);
      EXPECT_GE(floor, 0.0);
      for (const double p : {1.0, 2.0, 6.0, 40.0}) {
        const double beta =
            calibrate_spherical(target, dimension, dimension - 1.0, p, 1.0, 1.0, Accuracy::fast)
                .parameter;
        EXPECT_LE(floor, SphericalNoise(dimension, dimension - 1.0, beta, p).mean_squared_error());
      }
    }
}

TEST(AdditiveErrorFloor, RefusesWhatIsNoQuestion) {
  EXPECT_TRUE(refuses("dimension", [] { return additive_error_floor({1.0, 1e-5}, 1.0); }));
  EXPECT_TRUE(refuses("dimension", [] { return additive_error_floor({1.0, 1e-5}, 1e9); }));
  EXPECT_TRUE(refuses("delta", [] { return additive_error_floor({1.0, 0.0}, 10.0); }));
  EXPECT_TRUE(refuses("epsilon", [] { return additive_error_floor({1e3, 1e-5}, 10.0); }));
}

TEST(GaussianOptimality, RefusesWhatIsNoEpsilon) {
  for (const double bad : {-1.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("epsilon", [=] { return gaussian_optimal_up_to(bad); }));
}

}  // namespace
}  // namespace modicum::testing::gaussian_optimality_test
