#include <gtest/gtest.h>

#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::subsampled_renyi_test {
namespace {

// By the formula in doubles, the best whole order; here between orders, too.
TEST(BatchesByRenyi, AgreeWithTheFormula) {
  const auto epsilon = [](double share, double mu, double steps) {
    return epsilon_at(renyi_guarantee(batched_gaussian_moments(1.0, mu, share).repeated(steps)),
                      1e-6)
        .value.upper();
  };
  EXPECT_NEAR(epsilon(0.01, 1.0, 1000.0), 4.021208091777996, 2e-2);
  EXPECT_LE(epsilon(0.01, 1.0, 1000.0), 4.021208091777996 + 1e-9);
  EXPECT_NEAR(epsilon(0.01, 0.5, 1000.0), 1.6982398823903666, 1e-2);
}

// The pair is the smaller of the two bounds, for one step and composed.
TEST(BatchesByRenyi, AreAboveThePair) {
  for (const double share : {0.01, 0.1, 0.5})
    for (const double mu : {0.25, 1.0, 3.0})
      for (const double epsilon : {0.1, 0.5, 2.0})
        EXPECT_GE(profile(renyi_guarantee(batched_gaussian_moments(1.0, mu, share)), epsilon)
                      .delta()
                      .upper(),
                  profile(batched_gaussian(1.0, mu, share), epsilon).delta().upper())
            << share << ", " << mu << ", " << epsilon;
}

TEST(BatchesByRenyi, RefusesBadParameters) {
  for (const double bad : {0.0, -1.0, not_a_number, infinity})
    EXPECT_TRUE(
        refuses("standard_deviation", [&] { return batched_gaussian_moments(bad, 1.0, 0.1); }));
  for (const double bad : {0.0, 1.5, not_a_number})
    EXPECT_TRUE(refuses("sampling_rate", [&] { return batched_gaussian_moments(1.0, 1.0, bad); }));
}

}  // namespace
}  // namespace modicum::testing::subsampled_renyi_test
