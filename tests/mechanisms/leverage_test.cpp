#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/random_projection.h"
#include "support/refusals.h"

namespace modicum::testing {
namespace {

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

}  // namespace
}  // namespace modicum::testing
