#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/random_projection.h"
#include "support/refusals.h"

namespace modicum::testing::propose_test_release_test {
namespace {

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

// As its certificate states it: S beside an infinite loss.
TEST(ProposeTestRelease, GivesBackItsTarget) {
  for (const PrivacyTarget& target :
       {PrivacyTarget(5.0, 1e-3), PrivacyTarget(10.0, 0.3), PrivacyTarget(0.1, 1e-9)}) {
    const ProposeTestRelease found = calibrate_propose_test_release(target, 300.0, 1.0);
    PrivacyLoss loss = gaussian_mechanism(found.eigenvalue_noise, found.eigenvalue_sensitivity());
    loss.compose(ridge_projection(300.0, found.largest_ridge, 1.0));
    loss.compose(PrivacyLoss::infinite_with_probability(found.failure));
    EXPECT_LE(profile(loss, target.epsilon, Accuracy::certified).delta().upper(), target.delta);
    EXPECT_NEAR(epsilon_at(loss, target.delta).value.upper(), target.epsilon,
                1e-9 * target.epsilon);
  }
}

// The projection by Gaussian noise of its own, on a grid of outcomes h of the test: what is not
// good is told apart for certain, what is good loses as it does.
TEST(ProposeTestRelease, FailsNoWorseThanAnInfiniteLoss) {
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (const double bound : {-1.0, 0.5, 3.0})
    for (const double shift : {0.05, 1.0, 4.0})
      for (const double sketch : {0.1, 1.0, 3.0})
        for (const double epsilon : {-1.0, 0.0, 0.3, 2.0}) {
          const auto profile_of_sketch = [&](double at) {
            return below(sketch / 2 - at / sketch) -
                   std::exp(at) * below(-sketch / 2 - at / sketch);
          };
          // With the row h is N(0, 1), without it N(-shift, 1).
          double failure = 0.0, forward = 0.0, whole_forward = 0.0, reverse = 0.0,
                 whole_reverse = 0.0;
          constexpr double step = 0.01;
          for (double h = -9.0 - shift; h < 9.0; h += step) {
            const double x = step * std::exp(-0.5 * h * h) / std::sqrt(2.0 * M_PI),
                         log_ratio = shift * h + shift * shift / 2, y = x * std::exp(-log_ratio);
            const double there = profile_of_sketch(epsilon - log_ratio),
                         back = profile_of_sketch(epsilon + log_ratio);
            const bool good = h <= bound;
            failure += good ? 0.0 : x;
            forward += good ? x * there : x;
            reverse += good ? y * back : y;
            whole_forward += x * there;
            whole_reverse += y * back;
          }
          EXPECT_LE(forward, failure + (1.0 - failure) * whole_forward + 1e-12);
          EXPECT_LE(reverse, failure + (1.0 - failure) * whole_reverse + 1e-12);
        }
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

// Over the law of |g|, for two columns of density x exp(-x^2/2), by quadrature.
TEST(AdditiveProjection, IsTheMeanOverTheLawOfTheMatrix) {
  const auto mean = [](double epsilon, double ratio) {
    const double step = 1e-3;
    double sum = 0.0;
    for (double x = 0.5 * step; x < 12.0; x += step)
      sum += x * std::exp(-0.5 * x * x) * step *
             profile(gaussian_differential_privacy(ratio * x), epsilon, Accuracy::fast)
                 .delta()
                 .upper();
    return sum;
  };
  for (const double epsilon : {0.0, 0.5, 2.0})
    EXPECT_NEAR(profile(additive_projection(2.0, 2.0, 1.0), epsilon).delta().upper(),
                mean(epsilon, 0.5), 1e-6)
        << epsilon;
  EXPECT_TRUE(refuses("standard_deviation", [] { return additive_projection(2.0, 0.0, 1.0); }));
}

TEST(AdditiveProjection, CountsTheNoiseAloneAndSpendsAllOfDelta) {
  const PrivacyTarget target(1.0, 1e-4);
  const AdditiveProjectionCalibration found = calibrate_additive_projection(target, 2.0, 3.0);
  // For two columns |g|^2 is exponential: P[|g| > t] = exp(-t^2 / 2).
  EXPECT_NEAR(found.norm_bound, std::sqrt(2.0 * std::log(2e4)), 1e-9);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
  EXPECT_GE(found.achieved.delta().upper(), 0.999 * target.delta);
  // Half of delta for a large |g|, half for the noise at its bound: more than is needed.
  EXPECT_LT(found.standard_deviation,
            0.9 * calibrate_gaussian({1.0, 5e-5}, 3.0 * found.norm_bound).parameter);
}

}  // namespace
}  // namespace modicum::testing::propose_test_release_test
