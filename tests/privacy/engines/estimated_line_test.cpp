#include "privacy/engines/estimated_line.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/proved_lines.h"
#include "support/seeded_random.h"

namespace modicum::testing::estimated_line_test {
namespace {

PrivacyLoss many_parts(SeededRandom& random, int parts) {
  PrivacyLoss loss;
  for (int i = 0; i < parts; ++i) {
    loss.compose(PrivacyLoss::laplace(Precise::exactly(random.log_uniform(0.02, 0.2))));
    loss.compose(PrivacyLoss::two_point(Precise::exactly(random.log_uniform(0.02, 0.2))));
    loss.compose(PrivacyLoss::gaussian(
        GaussianSpectrum::component(random.uniform(0.05, 0.1), random.log_uniform(0.9, 1.1))));
  }
  return loss;
}

// One line for several shifts, against balls made for each.
TEST(EstimatedLine, HoldsWhatIsProvedAtOtherShifts) {
  SeededRandom random(73);
  const PrecisionScope scope(96);
  for (int trial = 0; trial < 2; ++trial) {
    const DirectedLoss loss = many_parts(random, 6).forward();
    const LossMoment moment(loss);
    const double home = random.uniform(0.3, 1.0);
    const auto plan = LinePlan::make(loss, moment, home, Accuracy::fast, 0.0);
    ASSERT_TRUE(plan.has_value());
    const EstimatedLine line(*plan, moment, home);
    EXPECT_LT(line.width(), 1e-10);
    for (const double shift : {home + 1e-9, home + 0.1, home - 0.2}) {
      const auto fresh = LinePlan::make(loss, moment, shift, Accuracy::certified, slow_decay);
      ASSERT_TRUE(fresh.has_value());
      const Ball proved = ProvedLine(*fresh, moment, shift).at(shift);
      EXPECT_TRUE(arb_overlaps(line.at(shift).raw(), proved.raw())) << home << ", " << shift;
    }
  }
}

// A history of a thousand different parts: what is found is where it should be.
TEST(EstimatedLine, EpsilonOfALongHistoryIsWhereDeltaIsCrossed) {
  SeededRandom random(74);
  const PrivacyLoss history = many_parts(random, 333);
  const Answer found = epsilon_at(history, 1e-6, Accuracy::fast);
  EXPECT_LT(found.value.relative_width(), 1e-9);
  const double inside = found.value.lower() * (1.0 - 1e-8),
               outside = found.value.upper() * (1.0 + 1e-8);
  EXPECT_GT(profile(history, inside, Accuracy::fast).delta().lower(), 1e-6);
  EXPECT_LT(profile(history, outside, Accuracy::fast).delta().upper(), 1e-6);
}

}  // namespace
}  // namespace modicum::testing::estimated_line_test
