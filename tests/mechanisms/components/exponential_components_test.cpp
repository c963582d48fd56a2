#include "modicum/mechanisms/exponential_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/privacy/conversions.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::exponential_components_test {
namespace {

using enum RowScaling;

// [YunDudeja2025, section 1]: p = 200, n = 2504, beta = 0.01, 0.2, 1.2 give 0.16, 3.19, 19.17.
TEST(PureEpsilonOfReplacing, IsThatOfThePaper) {
  EXPECT_NEAR(pure_epsilon_of_replacing(0.01, 200.0, 2504.0, separate), 0.16, 0.005);
  EXPECT_NEAR(pure_epsilon_of_replacing(0.2, 200.0, 2504.0, separate), 3.19, 0.006);
  EXPECT_NEAR(pure_epsilon_of_replacing(1.2, 200.0, 2504.0, separate), 19.17, 0.005);
  EXPECT_DOUBLE_EQ(pure_epsilon_of_replacing(1.2, 200.0, 2504.0, ranks),
                   4.5 * pure_epsilon_of_replacing(1.2, 200.0, 2504.0, separate));
}

TEST(ComponentRange, IsHalfOfItAndFourAndAHalfTimesForRanks) {
  EXPECT_DOUBLE_EQ(component_range(1.2, 200.0, 2504.0, separate), 0.6 * 40000.0 / 2504.0);
  EXPECT_DOUBLE_EQ(component_range(1.2, 200.0, 2504.0, ranks), 4.5 * 0.6 * 40000.0 / 2504.0);
  EXPECT_EQ(component_range(0.0, 200.0, 2504.0, separate), 0.0);
  EXPECT_EQ(component_range(1.0, 2.0, 2.0, separate), 1.0);  // exact in doubles
}

TEST(BetaOfRange, IsTheInverseOnTheSafeSide) {
  SeededRandom random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const double p = random.whole(1, 5000), n = random.whole(1, 1000000);
    const RowScaling scaling = trial % 2 == 0 ? separate : ranks;
    const double range = random.log_uniform(1e-6, 1e6), beta = beta_of_range(range, p, n, scaling);
    EXPECT_LE(component_range(beta, p, n, scaling), range);
    EXPECT_GE(component_range(beta * (1.0 + 0x1p-50), p, n, scaling), range);
  }
  EXPECT_EQ(beta_of_range(0.0, 10.0, 10.0, separate), 0.0);
}

TEST(ComponentGuarantee, IsTheClosedFormForOneDraw) {
  for (const double range : {0.1, 1.0, 4.0}) {
    const ComponentGuarantee found = component_guarantee(range, 1.0, 1e-3);
    const double root = 1.0 - std::sqrt(1e-3 * -std::expm1(-range));
    EXPECT_NEAR(found.epsilon, range + 2.0 * std::log(root), 1e-9);
    EXPECT_GE(found.epsilon, range + 2.0 * std::log(root) - 1e-14);
    EXPECT_EQ(found.pure_epsilon, range);
    EXPECT_DOUBLE_EQ(found.zcdp, range * range / 8.0);
  }
  EXPECT_EQ(component_guarantee(1.0, 3.0, 0.0).epsilon, 3.0);
  EXPECT_EQ(component_guarantee(0.0, 3.0, 1e-6).epsilon, 0.0);
}

TEST(ComponentGuarantee, IsNeverAboveWhatAnyOfTheThreeGives) {
  for (const double draws : {2.0, 5.0, 20.0})
    for (const double range : {0.05, 0.5, 3.0}) {
      const ComponentGuarantee found = component_guarantee(range, draws, 1e-6);
      EXPECT_LE(found.epsilon, draws * range * (1.0 + 1e-15));
      EXPECT_LE(found.epsilon, epsilon_from_zcdp(draws * range * range / 8.0, 1e-6) + 1e-12);
      EXPECT_LE(found.epsilon, composed_bounded_range_epsilon(range, draws, 1e-6));
    }
}

TEST(LargestComponentRange, MeetsTheTargetAndNoLargerOneDoes) {
  for (const double draws : {1.0, 3.0, 20.0})
    for (const auto& target :
         {PrivacyTarget(1.0, 0.0), PrivacyTarget(1.0, 1e-6), PrivacyTarget(0.1, 1e-3),
          PrivacyTarget(1.0, 0.5), PrivacyTarget(1e4, 1e-9), PrivacyTarget(1e-12, 0.5)}) {
      const double range = largest_component_range(target, draws);
      EXPECT_LE(component_guarantee(range, draws, target.delta).epsilon, target.epsilon);
      EXPECT_GT(component_guarantee(range * 1.001, draws, target.delta).epsilon, target.epsilon);
    }
  EXPECT_THROW(largest_component_range(PrivacyTarget(0.0, 0.0), 1.0), CalibrationFailed);
  EXPECT_GT(largest_component_range(PrivacyTarget(0.0, 0.01), 1.0), 0.0);
}

// Ranges whose square is no double; and many draws, of which zCDP alone speaks.
TEST(ComponentGuarantee, StandsHugeRangesAndManyDraws) {
  EXPECT_LE(component_guarantee(1e200, 2.0, 1e-6).epsilon, 2e200);
  EXPECT_GT(component_guarantee(1e200, 2.0, 1e-6).epsilon, 1.999e200);
  EXPECT_LE(component_guarantee(largest_component_range({1e307, 1e-6}, 2.0), 2.0, 1e-6).epsilon,
            1e307);
  const ComponentGuarantee many = component_guarantee(1e-3, 5000.0, 1e-6);
  EXPECT_EQ(many.epsilon, epsilon_from_zcdp(many.zcdp, 1e-6));
  EXPECT_LT(many.epsilon, 0.05 * many.pure_epsilon);
}

TEST(ComponentRange, RefusesWhatIsNoProblem) {
  for (const double bad : {not_a_number, infinity, -1.0}) {
    EXPECT_TRUE(refuses("beta", [=] { return component_range(bad, 10.0, 10.0, separate); }));
    EXPECT_TRUE(refuses("dimension", [=] { return component_range(1.0, bad, 10.0, separate); }));
    EXPECT_TRUE(refuses("rows", [=] { return component_range(1.0, 10.0, bad, separate); }));
    EXPECT_TRUE(refuses("range", [=] { return beta_of_range(bad, 10.0, 10.0, separate); }));
    EXPECT_TRUE(refuses("range", [=] { return component_guarantee(bad, 1.0, 0.1).epsilon; }));
    EXPECT_TRUE(refuses("draws", [=] { return component_guarantee(1.0, bad, 0.1).epsilon; }));
    EXPECT_TRUE(refuses("delta", [=] { return component_guarantee(1.0, 1.0, bad).epsilon; }));
  }
  EXPECT_TRUE(refuses("beta", [] { return component_range(1e308, 5000.0, 1.0, separate); }));
}

}  // namespace
}  // namespace modicum::testing::exponential_components_test
