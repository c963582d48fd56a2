#include "modicum/mechanisms/subsampled.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/randomized_response.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::subsampled_test {
namespace {

TEST(Subsampled, EverybodySampledIsThePlainMechanism) {
  for (const double epsilon : {0.0, 0.5, 2.0}) {
    EXPECT_EQ(profile(subsampled_gaussian(2.0, 1.0, 1.0), epsilon).delta().upper(),
              profile(gaussian_mechanism(2.0, 1.0), epsilon).delta().upper());
    EXPECT_EQ(profile(subsampled_laplace(2.0, 1.0, 1.0), epsilon).delta().upper(),
              profile(laplace_mechanism(2.0, 1.0), epsilon).delta().upper());
  }
  EXPECT_TRUE(profile(subsampled_gaussian(2.0, 0.0, 0.1), 0.1).delta().is_exactly_zero());
}

TEST(Subsampled, NeverWorseThanAmplificationOfThePlainGuarantee) {
  SeededRandom random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const double rate = random.log_uniform(1e-4, 1.0), sigma = random.log_uniform(0.3, 10.0);
    const double epsilon = random.log_uniform(0.01, 5.0);
    const double plain = profile(gaussian_mechanism(sigma, 1.0), epsilon).delta().upper();
    const PrivacyTarget amplified = amplified_by_sampling({epsilon, plain}, rate);
    const ProfilePoint found = profile(subsampled_gaussian(sigma, 1.0, rate), amplified.epsilon);
    EXPECT_LE(found.delta().upper(), amplified.delta * (1.0 + 1e-9) + 1e-300);
    // In the direction of removal the amplified guarantee is met with equality.
    EXPECT_NEAR(found.forward.upper() / amplified.delta, 1.0, 1e-6);
  }
}

TEST(Subsampled, MonotoneInRateNoiseAndCount) {
  SeededRandom random(17);
  for (int trial = 0; trial < 20; ++trial) {
    const double rate = random.log_uniform(1e-3, 0.4), sigma = random.log_uniform(0.5, 4.0);
    const double epsilon = random.uniform(0.05, 1.0);
    const double base = profile(subsampled_gaussian(sigma, 1.0, rate), epsilon).delta().upper();
    EXPECT_GE(profile(subsampled_gaussian(sigma, 1.0, 2.0 * rate), epsilon).delta().upper(), base);
    EXPECT_LE(profile(subsampled_gaussian(2.0 * sigma, 1.0, rate), epsilon).delta().upper(), base);
  }
  const PrivacyLoss step = subsampled_gaussian(1.0, 1.0, 0.02);
  double last = 0.0;
  for (const double count : {300.0, 1000.0, 3000.0, 1e5}) {
    const Enclosure delta = profile(step.repeated(count), 1.0, Accuracy::certified).delta();
    EXPECT_GT(delta.lower(), last);
    last = delta.upper();
  }
}

// Simulation of the sum of losses: within six standard errors, a false alarm of 2e-9 each.
TEST(Subsampled, AgreesWithSimulation) {
  SeededRandom random(29);
  const double rate = 0.2, sigma = 1.0, epsilon = 0.5;
  const int steps = 20, draws = 20000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < draws; ++i) {
    double loss = 0.0;
    for (int k = 0; k < steps; ++k) {
      const double x = random.normal() + (random.unit() < rate ? 1.0 / sigma : 0.0);
      loss += std::log1p(rate * std::expm1(x / sigma - 0.5 / (sigma * sigma)));
    }
    const double value = loss > epsilon ? -std::expm1(epsilon - loss) : 0.0;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / draws;
  const double error = std::sqrt((squares / draws - mean * mean) / draws);
  const ProfilePoint found =
      profile(subsampled_gaussian(sigma, 1.0, rate).repeated(steps), epsilon);
  EXPECT_NEAR(found.forward.upper(), mean, 6.0 * error);
}

TEST(Subsampled, CalibrationIsSafeAndTight) {
  const PrivacyTarget target(1.0, 1e-5);
  const Calibration found = calibrate_subsampled_gaussian(target, 2.0, 0.01, 1000.0);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
  EXPECT_EQ(found.achieved.proof, Proof::certified);
  const PrivacyLoss less = subsampled_gaussian(found.parameter * (1.0 - 1e-9), 2.0, 0.01);
  EXPECT_GT(profile(less.repeated(1000.0), 1.0, Accuracy::certified).delta().lower(), target.delta);
}

TEST(Subsampled, RefusesBadParameters) {
  for (const double bad : {0.0, -0.1, 1.5, std::nan("")}) {
    EXPECT_TRUE(refuses("sampling_rate", [&] { return subsampled_gaussian(1.0, 1.0, bad); }));
    EXPECT_TRUE(refuses("sampling_rate", [&] { return subsampled_laplace(1.0, 1.0, bad); }));
  }
  EXPECT_TRUE(refuses("standard_deviation", [] { return subsampled_gaussian(0.0, 1.0, 0.1); }));
  EXPECT_TRUE(refuses("scale", [] { return subsampled_laplace(-1.0, 1.0, 0.1); }));
  EXPECT_THROW(calibrate_subsampled_gaussian({1.0, 0.0}, 1.0, 0.1, 1.0), CalibrationFailed);
}

TEST(BoundedRange, LiesBetweenHalfAndFullPureGuarantee) {
  for (const double range : {0.1, 1.0, 5.0})
    for (const double epsilon : {0.0, 0.05, 0.5, 2.0}) {
      const Enclosure found = profile(bounded_range(range), epsilon, Accuracy::certified).delta();
      EXPECT_LE(found.lower(), profile(pure_guarantee(range), epsilon).delta().upper());
      EXPECT_GE(found.upper(), profile(pure_guarantee(0.5 * range), epsilon).delta().lower());
    }
  EXPECT_TRUE(profile(bounded_range(0.5), 0.5).delta().is_exactly_zero());
  EXPECT_TRUE(profile(bounded_range(0.0), 0.0).delta().is_exactly_zero());
  EXPECT_TRUE(refuses("range", [] { return bounded_range(-1.0); }));
}

}  // namespace
}  // namespace modicum::testing::subsampled_test
