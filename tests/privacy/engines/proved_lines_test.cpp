#include "privacy/engines/proved_lines.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/engines/bent_paths.h"
#include "privacy/laws/subsampled_law.h"
#include "support/seeded_random.h"

namespace modicum::testing::proved_lines_test {
namespace {

PrivacyLoss proved_steps(double rate, double deviation, double count) {
  const auto law = subsampled_gaussian_law(Precise::ratio(1.0, deviation), rate);
  return PrivacyLoss::law(law, reversed(law)).repeated(count);
}

double width_of(const Ball& value) { return (value.upper() - value.lower()) / value.upper(); }

// 1.828236666516576873073615 by quadrature to 30 digits (tests/reference/composed_laws.json).
TEST(ProvedLines, KnowTheEpsilonOfATrainingRun) {
  const Answer found = epsilon_at(proved_steps(0.01, 1.0, 1000.0), 1e-5, Accuracy::certified);
  EXPECT_LE(found.value.lower(), 1.8282366665165768);
  EXPECT_GE(found.value.upper(), 1.8282366665165769);
  EXPECT_LT(found.value.relative_width(), 2e-14);
  EXPECT_EQ(found.proof, Proof::certified);
}

// A line made elsewhere says the same, or is made anew.
TEST(ProvedLines, ServeOtherShifts) {
  SeededRandom random(72);
  const PrecisionScope scope(96);
  for (int trial = 0; trial < 4; ++trial) {
    const double rate = random.log_uniform(5e-3, 0.1), deviation = random.log_uniform(0.8, 3.0);
    const double count = std::floor(random.log_uniform(300.0, 1e4));
    const double spread = rate * std::sqrt(count * std::expm1(1.0 / (deviation * deviation)));
    const PrivacyLoss loss = proved_steps(rate, deviation, count);
    ProvedLines kept(loss.forward());
    for (const double deviations : {1.0, 1.001, 1.3, 3.0, 0.5}) {
      const double shift = spread * (deviations + 0.5 * spread);
      const auto again = kept.at(shift, Accuracy::certified);
      const auto fresh = ProvedLines(loss.forward()).at(shift, Accuracy::certified);
      const auto estimate = BentPaths(loss.forward()).at(shift, Kernel::profile);
      ASSERT_TRUE(again && fresh && estimate) << trial << ", " << deviations;
      EXPECT_TRUE(arb_overlaps(again->value.raw(), fresh->value.raw()));
      EXPECT_TRUE(arb_overlaps(again->value.raw(), estimate->value.raw()));
      EXPECT_LE(width_of(again->value), 1e-10);
      EXPECT_EQ(again->proof, Proof::certified);
    }
  }
}

TEST(ProvedLines, LeaveFewCopiesToOthers) {
  const PrecisionScope scope(96);
  ProvedLines few(proved_steps(0.01, 1.0, 3.0).forward());
  EXPECT_FALSE(few.at(0.3, Accuracy::certified).has_value());
  EXPECT_FALSE(few.at(0.31, Accuracy::automatic).has_value());
}

}  // namespace
}  // namespace modicum::testing::proved_lines_test
