#include "modicum/mechanisms/spherical_optimum.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/refusals.h"

namespace modicum::testing {
namespace {

TEST(SphericalOptimum, IsNeverWorseThanTheNamedMechanisms) {
  for (const double dimension : {1.0, 3.0, 20.0})
    for (const double delta : {1e-6, 1e-2}) {
      const SphericalOptimum found = optimize_spherical({0.5, delta}, dimension, 2.0);
      EXPECT_LE(
          found.mean_squared_error,
          std::min(found.gaussian_mean_squared_error, found.l2_mean_squared_error) * (1.0 + 1e-6));
      EXPECT_LE(found.achieved.delta().upper(), delta);
      EXPECT_EQ(found.achieved.proof, Proof::certified);
      EXPECT_GE(found.gain(), -1e-6);
    }
  EXPECT_TRUE(refuses("delta", [] { return optimize_spherical({1.0, 0.0}, 3.0, 1.0); }));
}

// [WeiBienstock2026, Figure 2]: up to about 15 per cent at epsilon 0.1 in low dimension, shrinking.
TEST(SphericalOptimum, AdvantageShrinksWithTheDimension) {
  const SphericalAdvantage low = largest_spherical_advantage(0.1, 2.0, 1.0);
  const SphericalAdvantage high = largest_spherical_advantage(0.1, 30.0, 1.0);
  EXPECT_GT(low.optimum.gain(), 0.1);
  EXPECT_LT(low.optimum.gain(), 0.2);
  EXPECT_LT(high.optimum.gain(), low.optimum.gain());
  EXPECT_NEAR(low.optimum.gaussian_mean_squared_error / low.optimum.l2_mean_squared_error, 1.0,
              1e-6);
}

}  // namespace
}  // namespace modicum::testing
