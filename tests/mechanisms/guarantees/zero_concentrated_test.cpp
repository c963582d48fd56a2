#include "modicum/mechanisms/zero_concentrated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/privacy/conversions.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::zero_concentrated_test {
namespace {

// Whatever is rho-zCDP lies below: the Gaussian mechanism with mu^2 = 2 rho, and randomized
// response, of which that Gaussian is no bound.
TEST(ZeroConcentrated, IsAboveWhatItDescribes) {
  for (const double pure : {0.1, 0.5, 2.0}) {
    const double rho = zcdp_from_pure(pure);
    const PrivacyLoss bound = zero_concentrated(rho);
    for (const double epsilon : {-0.5, 0.0, 0.05, 0.3, 1.0}) {
      const double found = profile(bound, epsilon).delta().upper();
      EXPECT_GE(found, profile(pure_guarantee(pure), epsilon).delta().lower());
      const double sigma = 1.0 / std::sqrt(2.0 * rho);
      EXPECT_GE(found * (1 + 1e-12),
                profile(gaussian_mechanism(sigma, 1.0), epsilon).delta().lower());
    }
  }
}

TEST(ZeroConcentrated, AgreesWithTheConversion) {
  for (const double rho : {0.01, 0.5})
    EXPECT_NEAR(
        epsilon_at(zero_concentrated(rho), 1e-6).value.upper() / epsilon_from_zcdp(rho, 1e-6), 1.0,
        1e-6);
}

TEST(ZeroConcentrated, SeveralAreLessThanTheirComposition) {
  const double together = profile(zero_concentrated(0.04), 0.5).delta().upper();
  const double composed = profile(zero_concentrated(0.01).repeated(4.0), 0.5).delta().upper();
  EXPECT_LT(together, composed);
}

// The least over all real orders of the chords, by mpmath.
TEST(RenyiCurves, GiveTheBestDeltaOfTheirChords) {
  const PrivacyLoss loss = renyi_guarantee({0.0, 0.0, {{{2.0, 8.0, 4.0}, {0.25, 1.25, 0.5}}}});
  EXPECT_NEAR(profile(loss, 0.5).delta().upper(), 0.10546875, 1e-9);
  EXPECT_NEAR(profile(loss, 1.5).delta().upper() / 0.0052509798669231502, 1.0, 1e-9);
  EXPECT_NEAR(profile(loss, 4.0).delta().upper() / 2.1418921912765591e-10, 1.0, 1e-9);
  EXPECT_TRUE(loss.is_upper_bound());
}

TEST(RenyiCurves, OfAMechanismAreAboveIt) {
  const PrivacyLoss truth = pure_guarantee(0.5);
  RenyiCurve curve;
  for (const double order : {1.5, 2.0, 5.0, 20.0, 100.0}) {
    curve.orders.push_back(order);
    curve.divergences.push_back(renyi_divergence(truth, order).value.upper());
  }
  const PrivacyLoss bound = renyi_guarantee({0.0, 0.0, {curve}});
  for (const double epsilon : {-0.4, 0.0, 0.3, 0.49})
    EXPECT_GE(profile(bound, epsilon).delta().upper(), profile(truth, epsilon).delta().lower());
  // Fewer orders say less.
  const RenyiCurve fewer{{1.5, 100.0}, {curve.divergences[0], curve.divergences[4]}};
  EXPECT_GE(profile(renyi_guarantee({0.0, 0.0, {fewer}}), 0.3).delta().upper(),
            profile(bound, 0.3).delta().upper());
}

// zCDP at many orders is zCDP, and sums are sums of the divergences.
TEST(RenyiCurves, AddUp) {
  RenyiCurve fine;
  for (double order = 1.05; order < 60.0; order *= 1.02) {
    fine.orders.push_back(order);
    fine.divergences.push_back(0.1 * order);
  }
  const double whole = epsilon_at(zero_concentrated(0.1), 1e-6).value.upper();
  EXPECT_NEAR(epsilon_at(renyi_guarantee({0.0, 0.0, {fine}}), 1e-6).value.upper(), whole, 1e-3);
  RenyiBounds half{0.05};
  RenyiCurve coarse = fine;
  for (double& each : coarse.divergences) each *= 0.5;
  half.add({0.0, 0.0, {coarse}});
  EXPECT_NEAR(epsilon_at(renyi_guarantee(half), 1e-6).value.upper(), whole, 1e-3);
  const RenyiBounds twice = RenyiBounds{0.0, 0.0, {coarse}}.repeated(2.0);
  EXPECT_NEAR(epsilon_at(renyi_guarantee(twice), 1e-6).value.upper(), whole, 1e-3);
  // xi moves epsilon by itself.
  EXPECT_NEAR(epsilon_at(renyi_guarantee({0.1, 0.25}), 1e-6).value.upper(), whole + 0.25, 1e-6);
}

TEST(RenyiCurves, ConcludeNothingBeyondTheirOrders) {
  // With order 2 alone the tail falls like e^-epsilon.
  const PrivacyLoss loss = renyi_guarantee({0.0, 0.0, {{{2.0}, {0.1}}}});
  const double near = profile(loss, 5.0).delta().upper(), far = profile(loss, 10.0).delta().upper();
  EXPECT_NEAR(std::log(near / far), 5.0, 1e-9);
  // A second curve that ends early ends the sum.
  const PrivacyLoss both =
      renyi_guarantee({0.0, 0.0, {{{2.0, 50.0}, {0.1, 0.2}}, {{2.0}, {1e-9}}}});
  EXPECT_NEAR(profile(both, 10.0).delta().upper() / far, 1.0, 1e-6);
}

TEST(RenyiCurves, RefusesWhatIsNoCurve) {
  const auto curve = [](std::vector<double> orders, std::vector<double> divergences) {
    return [=] { return renyi_guarantee({0.0, 0.0, {{orders, divergences}}}); };
  };
  EXPECT_TRUE(refuses("divergences", curve({}, {})));
  EXPECT_TRUE(refuses("divergences", curve({2.0, 3.0}, {1.0})));
  for (const double bad : {1.0, 0.5, -2.0, std::nan(""), HUGE_VAL})
    EXPECT_TRUE(refuses("order", curve({bad}, {1.0})));
  for (const double bad : {-0.1, std::nan(""), HUGE_VAL})
    EXPECT_TRUE(refuses("divergence", curve({2.0}, {bad})));
  EXPECT_TRUE(refuses("order", curve({2.0, 2.0}, {1.0, 1.0})));
  EXPECT_TRUE(refuses("xi", [] { return renyi_guarantee({0.1, -1.0}); }));
}

TEST(ZeroConcentrated, RefusesBadParameters) {
  for (const double bad : {-0.1, std::nan(""), HUGE_VAL})
    EXPECT_TRUE(refuses("rho", [&] { return zero_concentrated(bad); }));
  EXPECT_EQ(profile(zero_concentrated(0.0), 0.0).delta().upper(), 0.0);
}

}  // namespace
}  // namespace modicum::testing::zero_concentrated_test
