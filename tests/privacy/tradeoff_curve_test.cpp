#include "modicum/privacy/tradeoff_curve.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "privacy/laws/subsampled_law.h"

namespace modicum::testing::tradeoff_curve_test {
namespace {

// Never above the truth, and not far below it.
void expect_close(const PrivacyLoss& loss) {
  TradeoffCurve curve(loss, Accuracy::fast);
  for (const double level : {0.0, 0.001, 0.03, 0.2, 0.5, 0.8, 0.97, 1.0}) {
    const Enclosure truth = tradeoff(loss, level, Accuracy::fast).value;
    const double lower = curve.lower(level);
    EXPECT_LE(lower, truth.upper()) << level;
    EXPECT_GE(lower, truth.lower() - 1e-3) << level;
  }
}

TEST(TradeoffCurve, IsCloseToItsPointsFromBelow) {
  // Laplace noise on either side of where its tails are quickly known.
  expect_close(PrivacyLoss::laplace(Precise::ratio(1.0, 4.0)).repeated(19.0));
  expect_close(PrivacyLoss::laplace(Precise::ratio(1.0, 4.0)).repeated(20.0));
  expect_close(PrivacyLoss::laplace(Precise::ratio(1.0, 50.0)).repeated(40.0));
  const auto law = subsampled_laplace_law(Precise::exactly(1.0), 0.1);
  expect_close(PrivacyLoss::law(law, reversed(law)).repeated(5.0));
}

TEST(TradeoffCurve, RefusesWhatIsNoLevel) {
  TradeoffCurve curve(PrivacyLoss::laplace(Precise::exactly(1.0)), Accuracy::fast);
  EXPECT_ANY_THROW(curve.lower(-0.1));
  EXPECT_ANY_THROW(curve.lower(1.5));
}

}  // namespace
}  // namespace modicum::testing::tradeoff_curve_test
