#include "mechanisms/sampling/sampled_law.h"

#include <gtest/gtest.h>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::sampled_law_test {
namespace {

// The Gaussian mechanism on a sample, on a way of its own.
TEST(SampledLaw, OfGaussianNoiseIsSubsampledNoise) {
  const PrivacyLoss found = sampled_loss(gaussian_mechanism(1.0, 1.0), 0.25, {1.0}),
                    truth = subsampled_gaussian(1.0, 1.0, 0.25);
  for (const double epsilon : {-0.5, -0.2, 0.0, 0.3, 2.0}) {
    const ProfilePoint one = profile(found, epsilon, Accuracy::certified),
                       other = profile(truth, epsilon, Accuracy::certified);
    EXPECT_NEAR(one.forward.upper(), other.forward.upper(), 1e-13) << epsilon;
    EXPECT_NEAR(one.reverse.upper(), other.reverse.upper(), 1e-13) << epsilon;
    EXPECT_LE(one.forward.lower(), other.forward.upper());
    EXPECT_GE(one.forward.upper(), other.forward.lower());
    EXPECT_GE(one.reverse.upper(), other.reverse.lower());
  }
}

// What the calibration proves is what the loss says, in both directions.
TEST(SampledLaw, ProjectionsGiveBackTheirTarget) {
  const PrivacyTarget target(1.0, 1e-6);
  const ProjectionCalibration found = calibrate_subsampled_projection(target, 50.0, 1.0, 0.1);
  const PrivacyLoss loss = subsampled_projection(50.0, found.ridge, 1.0, 0.1);
  const ProfilePoint point = profile(loss, 1.0, Accuracy::certified);
  EXPECT_NEAR(point.forward.upper() / found.achieved.forward.upper(), 1.0, 1e-9);
  EXPECT_EQ(point.reverse.upper(), found.achieved.reverse.upper());  // 0 at so large an epsilon
  EXPECT_LE(point.delta().upper(), 1e-6);
  EXPECT_NEAR(epsilon_at(loss, 1e-6, Accuracy::certified).value.upper(), 1.0, 1e-6);
}

TEST(SampledLaw, IsMonotoneInTheRate) {
  double last = 0.0;
  for (const double rate : {0.01, 0.1, 0.5, 0.9, 1.0}) {
    const double delta = profile(subsampled_projection(20.0, 10.0, 1.0, rate), 0.5).delta().upper();
    EXPECT_GT(delta, last);
    last = delta;
  }
  EXPECT_EQ(last, profile(ridge_projection(20.0, 10.0, 1.0), 0.5).delta().upper());
}

TEST(SampledLaw, RefusesBadParameters) {
  for (const double bad : {0.0, -0.5, 1.5, not_a_number})
    EXPECT_TRUE(
        refuses("sampling_rate", [&] { return subsampled_projection(20.0, 10.0, 1.0, bad); }));
  PrivacyLoss several = gaussian_mechanism(1.0, 1.0);
  several.compose(pure_guarantee(1.0));
  EXPECT_TRUE(refuses("loss", [&] { return sampled_loss(several, 0.5, {}); }));
}

}  // namespace
}  // namespace modicum::testing::sampled_law_test
