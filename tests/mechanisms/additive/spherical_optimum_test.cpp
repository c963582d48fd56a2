#include "modicum/mechanisms/spherical_optimum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/refusals.h"

namespace modicum::testing::spherical_optimum_test {
namespace {

TEST(SphericalOptimum, IsNeverWorseThanTheNamedMechanisms) {
  for (const auto& [dimension, delta] :
       {std::pair{1.0, 1e-2}, std::pair{3.0, 1e-6}, std::pair{20.0, 1e-2}}) {
    const SphericalOptimum found = optimize_spherical({0.5, delta}, dimension, 2.0);
    EXPECT_LE(found.error, std::min(found.gaussian_error, found.l2_error) * (1.0 + 1e-6));
    EXPECT_LE(found.achieved.delta().upper(), delta);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    EXPECT_GE(found.gain(), -1e-6);
  }
  EXPECT_TRUE(refuses("delta", [] { return optimize_spherical({1.0, 0.0}, 3.0, 1.0); }));
}

// The mean and the quantile of a gamma variable: known for the exponential and for the normal.
TEST(SphericalNoiseError, IsThatOfKnownLaws) {
  const NoiseError absolute{NoiseError::Kind::absolute}, interval{NoiseError::Kind::interval, 0.95};
  const SphericalNoise laplace(1.0, 0.0, 0.5, 1.0), gaussian = SphericalNoise::gaussian(1.0, 3.0);
  EXPECT_NEAR(spherical_noise_error(laplace), 8.0, 1e-12);
  EXPECT_NEAR(spherical_noise_error(laplace, absolute), 2.0, 1e-13);
  EXPECT_NEAR(spherical_noise_error(laplace, interval), -2.0 * std::log(0.05), 1e-9);
  EXPECT_NEAR(spherical_noise_error(gaussian, absolute), 3.0 * std::sqrt(2.0 / M_PI), 1e-12);
  EXPECT_NEAR(spherical_noise_error(gaussian, interval), 3.0 * 1.959963984540054, 1e-9);
  EXPECT_TRUE(refuses("level", [&] {
    return spherical_noise_error(gaussian, {NoiseError::Kind::interval, 1.0});
  }));
}

TEST(SphericalOptimum, OtherErrors) {
  const PrivacyTarget target(1.0, 1e-3);
  const NoiseError absolute{NoiseError::Kind::absolute};
  const SphericalOptimum squared = optimize_spherical(target, 3.0, 1.0);
  const SphericalOptimum distance = optimize_spherical(target, 3.0, 1.0, 1.0, absolute);
  EXPECT_LE(distance.error, spherical_noise_error(squared.noise, absolute) * (1.0 + 1e-4));
  EXPECT_LE(distance.error, std::min(distance.gaussian_error, distance.l2_error) * (1.0 + 1e-6));
  EXPECT_LE(distance.achieved.delta().upper(), 1e-3);
}

// Minima far from the members with names: in a narrow valley of large p, and two of them for a
// large epsilon.
TEST(SphericalOptimum, FindsTheLeastOfSeveralMinima) {
  struct Case {
    double dimension, epsilon, delta, known;
  };
  for (const auto& [dimension, epsilon, delta, known] :
       {Case{1.0, 0.1, 0.3, 0.85470}, Case{2.0, 0.1, 0.3, 1.98495}}) {
    const SphericalOptimum found = optimize_spherical({epsilon, delta}, dimension, 1.0);
    EXPECT_LE(found.error, known * (1.0 + 1e-5)) << dimension;
    EXPECT_LE(found.achieved.delta().upper(), delta);
  }
}

// Several answers: what the search ends with is proved, and is what calibration by itself finds. A
// search with proofs at every step found 263.6132.
TEST(SphericalOptimum, OfSeveralAnswers) {
  const PrivacyTarget target(1.0, 1e-5);
  const SphericalOptimum found = optimize_spherical(target, 2.0, 3.0, 10.0);
  EXPECT_LE(found.error, 9.0 * 263.6132);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
  EXPECT_EQ(found.achieved.proof, Proof::certified);
  const SphericalNoise& noise = found.noise;
  const Calibration alone = calibrate_spherical(target, 2.0, noise.alpha, noise.p, 3.0, 10.0);
  EXPECT_NEAR(alone.parameter / noise.beta, 1.0, 1e-8);
}

// Poles so deep that beta would be no double are no reason to give up.
TEST(SphericalOptimum, ServesTinyDeltas) {
  for (const auto& [dimension, delta] : {std::pair{1.0, 1e-50}, std::pair{3.0, 1e-200}}) {
    const SphericalOptimum found = optimize_spherical({1.0, delta}, dimension, 1.0);
    EXPECT_LE(found.achieved.delta().upper(), delta);
    EXPECT_LE(found.error, found.l2_error * (1.0 + 1e-9));
  }
}

// [WeiBienstock2026, Figure 2]: up to about 15 per cent at epsilon 0.1 in low dimension, shrinking.
TEST(SphericalOptimum, AdvantageShrinksWithTheDimension) {
  const SphericalAdvantage low = largest_spherical_advantage(0.1, 2.0, 1.0);
  const SphericalAdvantage high = largest_spherical_advantage(0.1, 30.0, 1.0);
  EXPECT_GT(low.optimum.gain(), 0.1);
  EXPECT_LT(low.optimum.gain(), 0.2);
  EXPECT_LT(high.optimum.gain(), low.optimum.gain());
  EXPECT_NEAR(low.optimum.gaussian_error / low.optimum.l2_error, 1.0, 1e-6);
}

// Between the Gaussian, p = 2, the l2 mechanism, p = 1, and the best over alpha too.
TEST(SphericalOptimum, GeneralizedGaussianIsTheBestOverP) {
  const PrivacyTarget target(0.1, 0.003);
  const SphericalOptimum found = optimize_generalized_gaussian(target, 2.0, 1.0);
  EXPECT_EQ(found.noise.alpha, 1.0);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
  EXPECT_LT(found.error, std::min(found.gaussian_error, found.l2_error));
  for (const double factor : {0.9, 1.1}) {
    const double p = found.noise.p * factor;
    const Calibration other = calibrate_spherical(target, 2.0, 1.0, p, 1.0);
    EXPECT_GT(SphericalNoise(2.0, 1.0, other.parameter, p).mean_squared_error(), found.error);
  }
}

}  // namespace
}  // namespace modicum::testing::spherical_optimum_test
