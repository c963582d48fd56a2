#include "modicum/mechanisms/calibrate_discrete.h"

#include <gtest/gtest.h>

#include "modicum/mechanisms/discrete.h"
#include "support/refusals.h"

namespace modicum::testing::calibrate_discrete_test {
namespace {

TEST(CalibrateDiscrete, MeetsTheTargetAndHardlyMore) {
  const PrivacyTarget target(0.5, 1e-6);
  for (const double sensitivity : {1.0, 3.0}) {
    const double sigma = calibrate_discrete_gaussian(target, sensitivity).parameter;
    const double scale = calibrate_discrete_laplace(target, sensitivity).parameter;
    const auto delta = [&](const PrivacyLoss& loss) {
      return profile(loss, target.epsilon, Accuracy::certified).delta();
    };
    EXPECT_LE(delta(discrete_gaussian(sigma, sensitivity)).upper(), target.delta);
    EXPECT_LE(delta(discrete_laplace(scale, sensitivity)).upper(), target.delta);
    EXPECT_GT(delta(discrete_gaussian(sigma * (1.0 - 1e-7), sensitivity)).upper(), target.delta);
    EXPECT_GT(delta(discrete_laplace(scale * (1.0 - 1e-7), sensitivity)).upper(), target.delta);
    // Sigma hardly differs from the deviation of continuous noise where that is wide.
    EXPECT_NEAR(sigma / calibrate_gaussian(target, sensitivity).parameter, 1.0, 1e-2);
  }
}

TEST(CalibrateDiscrete, PureLaplaceIsTheLargestLoss) {
  const Calibration found = calibrate_discrete_laplace({1.0, 0.0}, 2.0, 3.0);
  EXPECT_NEAR(found.parameter, 6.0, 1e-12);
  EXPECT_EQ(found.achieved.delta().upper(), 0.0);
}

TEST(CalibrateDiscrete, RefusesBadSensitivities) {
  for (const double bad : {0.0, -1.0, 1.5, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("sensitivity", [&] {
      return calibrate_discrete_gaussian({1.0, 1e-5}, bad);
    }));
    EXPECT_TRUE(refuses("sensitivity", [&] {
      return calibrate_discrete_laplace({1.0, 1e-5}, bad);
    }));
  }
  EXPECT_THROW(calibrate_discrete_gaussian({1e-5, 1e-5}, 1.0), TargetUnreachable);
}

}  // namespace
}  // namespace modicum::testing::calibrate_discrete_test
