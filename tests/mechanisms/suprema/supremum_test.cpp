#include "mechanisms/suprema/supremum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/lifting.h"
#include "modicum/privacy/profile.h"

namespace modicum::testing::supremum_test {
namespace {

TEST(SearchPeak, FindsTheLargestValueEndsIncluded) {
  const Peak inside = search_peak([](double x) { return 1.0 - std::abs(x - 0.317); });
  EXPECT_NEAR(inside.place, 0.317, 1e-5);
  EXPECT_NEAR(inside.value, 1.0, 1e-5);
  EXPECT_EQ(search_peak([](double x) { return x; }).place, 1.0);
  EXPECT_EQ(search_peak([](double x) { return 1.0 - x; }).place, 0.0);
}

TEST(ProvedBelow, HoldsInBothDirectionsOrNotAtAll) {
  const GaussianSpectrum spectrum = GaussianSpectrum::component(0.5, 1.5, 2.0);
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    const double delta =
        profile(PrivacyLoss::gaussian(spectrum), epsilon, Accuracy::certified).delta().upper();
    for (const GaussianSpectrum& either : {spectrum, spectrum.reversed()}) {
      EXPECT_TRUE(proved_below(either, epsilon, 1.01 * delta));
      EXPECT_FALSE(proved_below(either, epsilon, 0.9999 * delta));
    }
  }
}

TEST(CoveredByPieces, SplitsUntilEveryPieceHolds) {
  // Pieces hold if they are short; points always.
  double reached = 0.0;
  const auto is_short = [&](double from, double to) {
    EXPECT_EQ(from, reached) << "no gap";
    if (to - from > 0.01) return false;
    reached = to;
    return true;
  };
  EXPECT_TRUE(covered_by_pieces(is_short, [](double) { return true; }));
  EXPECT_EQ(reached, 1.0);
  const auto always = [](double, double) { return true; };
  const auto never = [](double, double) { return false; };
  EXPECT_TRUE(covered_by_pieces(always, [](double) { return false; })) << "no point is asked";
  EXPECT_FALSE(covered_by_pieces(never, [](double) { return true; }));
  EXPECT_FALSE(covered_by_pieces(never, [](double) { return false; }));
}

TEST(ProvedBound, IsTheFirstThatIsProved) {
  EXPECT_DOUBLE_EQ(proved_bound(0.1, 0.01, [](double) { return true; }), 0.101);
  EXPECT_DOUBLE_EQ(proved_bound(0.1, 0.01, [](double bound) { return bound > 0.103; }), 0.104);
  EXPECT_EQ(proved_bound(0.999, 0.01, [](double) { return false; }), 1.0) << "needs no proof";
  EXPECT_THROW(proved_bound(0.1, 0.01, [](double) { return false; }), TargetUnreachable);
}

TEST(SmallestProved, StaysJustAboveTheRoot) {
  const auto log_excess = [](double x) { return std::log(7.0 / x); };
  for (const double start : {0.01, 1.0, 1e6}) {
    const double found = smallest_proved(
        "ridge", log_excess, [](double x) { return x > 7.0; }, start, 1e-9);
    EXPECT_GT(found, 7.0);
    EXPECT_LT(found, 7.01);
  }
  EXPECT_THROW(smallest_proved(
                   "ridge", log_excess, [](double) { return false; }, 1.0, 1e-9),
               CalibrationFailed);
  EXPECT_THROW(smallest_proved(
                   "ridge", [](double) { return 1.0; }, [](double) { return true; }, 1.0, 1e-9),
               CalibrationFailed);
}

// Parts that hardly lose anything beside a supremum: about its own value, and never below the value
// of one of its pairs composed with them.
TEST(SupremumLoss, BesideLittleIsAsAlone) {
  const PrivacyLoss tiny = PrivacyLoss::gaussian(GaussianSpectrum::shift(1e-6, 1.0));
  const PrivacyLoss pair = least_squares(1000.0, 10.0, 0.015, 1.0 / 31.0);
  for (const auto& [alone, epsilon] : {std::pair{lifted_loss({1.0, 0.5, 10.0}), 12.0},
                                       {lifted_loss({0.05, 1e-3, 1.0}), 0.2},
                                       {least_squares_dominating(1000.0, 10.0, 30.0, 1.0), 2.0}}) {
    PrivacyLoss both = alone;
    both.compose(tiny);
    const double single = profile(alone, epsilon).delta().upper(),
                 together = profile(both, epsilon).delta().upper();
    EXPECT_GE(together, single);
    EXPECT_LE(together, 1.01 * single);
  }
  PrivacyLoss both = least_squares_dominating(1000.0, 10.0, 30.0, 1.0), one = pair;
  both.compose(tiny);
  one.compose(tiny);
  EXPECT_GE(profile(both, 2.0).delta().upper(),
            profile(one, 2.0, Accuracy::certified).delta().lower());
  // What counts is not left out.
  PrivacyLoss more = lifted_loss({0.2, 0.1, 5.0});
  const double before = profile(more, 1.0).delta().upper();
  more.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(0.1, 1.0)));
  EXPECT_GT(profile(more, 1.0).delta().upper(), 1.01 * before);
}

// An atom far out, however small, would spoil it.
TEST(SupremumLoss, ComposesNoWorseThanEpsilonsAdd) {
  for (const PrivacyLoss& each :
       {least_squares_dominating(1000.0, 10.0, 1000.0, 1.0), lifted_loss({0.01, 1e-4, 10.0}),
        least_squares_dominating(10.0, 3.0, 3.0, 1.0)}) {
    const double one = epsilon_at(each, 5e-7).value.upper();
    EXPECT_LE(epsilon_at(each.repeated(2.0), 1e-6).value.upper(), 2.0 * one);
  }
}

// As many corners, and the same numbers.
TEST(SupremumLoss, FamiliesOfDifferentKindsAreNeverTheSame) {
  const auto constant = [](std::string_view name, std::vector<double> key, double delta) {
    SupremumFamily family{name, std::move(key), [=](double) { return delta; },
                          [=](double, double) { return delta; }};
    family.places = [] { return std::vector<double>{0.0, 1.0}; };
    return loss_of_supremum(std::move(family), 4, 0.0, 0.0);
  };
  const auto together = [](PrivacyLoss loss, const PrivacyLoss& other) {
    loss.compose(other);
    return loss.forward().laws;
  };
  const PrivacyLoss one = constant("one", {1.0, 2.0, 3.0}, 0.1);
  EXPECT_EQ(together(one, constant("one", {1.0, 2.0, 3.0}, 0.1)).size(), 1U);
  EXPECT_EQ(together(one, constant("other", {1.0, 2.0, 3.0}, 0.2)).size(), 2U);
  EXPECT_EQ(together(one, constant("one", {1.0, 2.0, 4.0}, 0.2)).size(), 2U);
}

TEST(SupremumLoss, BesideAnEstimateIsNotProved) {
  GaussianSpectrum estimated = GaussianSpectrum::shift(1e-6, 1.0);
  estimated.set_estimated();
  PrivacyLoss loss = lifted_loss({0.05, 1e-3, 1.0});
  loss.compose(PrivacyLoss::gaussian(estimated));
  EXPECT_EQ(profile(loss, 0.2).proof, Proof::estimated);
  EXPECT_THROW(profile(loss, 0.2, Accuracy::certified), Error);
}

}  // namespace
}  // namespace modicum::testing::supremum_test
