#include "release/look/look_budget.h"

#include <gtest/gtest.h>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/description.h"
#include "support/seeded_random.h"

namespace modicum::testing::look_budget_test {
namespace {

// Rounds as the exact engine composes them, for shares that add up to all of it.
TEST(LookBudget, RoundsTogetherCostTheTarget) {
  SeededRandom random(3);
  for (const double epsilon : {0.05, 1.0, 8.0})
    for (const double delta : {1e-9, 1e-3}) {
      const PrivacyTarget target(epsilon, delta);
      const LookBudget budget(target);
      LookRounds rounds(budget);
      std::optional<PrivacyLoss> all;
      for (const int share : {10, 5, 35, 5, 45}) {
        const double sensitivity = std::exp(5.0 * random.normal());
        const PrivacyLoss round =
            gaussian_mechanism(rounds.deviation(share, sensitivity), sensitivity);
        if (all) all->compose(round);
        else all = round;
      }
      const ProfilePoint found = profile(*all, epsilon, Accuracy::certified);
      EXPECT_LE(found.delta().upper(), delta);
      EXPECT_GE(found.delta().lower(), delta * (1.0 - 1e-6));
      const ProfilePoint told = profile(describe(budget.description(), Accuracy::certified).loss,
                                        epsilon, Accuracy::certified);
      EXPECT_LE(told.delta().upper(), delta);
      EXPECT_GE(told.delta().upper(), found.delta().lower());
    }
}

TEST(LookBudget, NoRoundTakesMoreThanIsLeft) {
  const LookBudget budget({1.0, 1e-6});
  LookRounds rounds(budget);
  rounds.deviation(60, 1.0);
  EXPECT_EQ(rounds.left(), 40);
  EXPECT_THROW(rounds.deviation(41, 1.0), Error);
  EXPECT_THROW(rounds.deviation(0, 1.0), Error);
  EXPECT_THROW(rounds.deviation(1, 0.0), InvalidParameter);
  EXPECT_EQ(rounds.left(), 39);  // taken before the noise was found: never given back
}

TEST(LookBudget, NeedsDelta) { EXPECT_THROW(LookBudget({1.0, 0.0}), CalibrationFailed); }

}  // namespace
}  // namespace modicum::testing::look_budget_test
