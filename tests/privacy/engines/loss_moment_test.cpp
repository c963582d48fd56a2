#include "privacy/engines/loss_moment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/quantity.h"
#include "privacy/laws/bounded_range_law.h"
#include "support/truth.h"

namespace modicum::testing::loss_moment_test {
namespace {

// Every kind of part.
DirectedLoss mixed() {
  PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.25, 0.75, 2.0));
  loss.compose(PrivacyLoss::two_point(Precise::exactly(0.5)).repeated(2.0));
  loss.compose(PrivacyLoss::laplace(Precise::exactly(0.25)).repeated(3.0));
  const auto law = bounded_range_law(0.5);
  loss.compose(PrivacyLoss::law(law, law));
  return loss.forward();
}

TEST(LossMoment, IsTheSumOfItsParts) {
  const DirectedLoss loss = mixed();
  const LossMoment moment(loss);
  EXPECT_EQ(moment.atomic().size(), 3u);
  for (const double x : {-1.0, -0.25, 0.0, 0.5, 2.0}) {
    const QuantityValue exact = log_moment(loss, x);
    EXPECT_EQ(exact.proof, Proof::certified);
    EXPECT_NEAR(static_cast<double>(moment.jet(x).value), exact.value.middle(), 1e-12);
  }
  EXPECT_TRUE(log_moment(loss, 0.0).value.contains_zero());
  EXPECT_TRUE(log_moment(loss, -1.0).value.contains_zero());
}

TEST(MeanLoss, IsTheSlopeAtZero) {
  const DirectedLoss loss = mixed();
  EXPECT_NEAR(mean_loss(loss).value.middle(), static_cast<double>(LossMoment(loss).jet(0.0L).first),
              1e-10);
  // m^2/2 of a shift, e tanh(e/2), a - 1 + e^{-a}.
  EXPECT_NEAR(
      mean_loss(PrivacyLoss::gaussian(GaussianSpectrum::shift(0.5, 1.0)).forward()).value.middle(),
      0.125, 1e-15);
  EXPECT_NEAR(mean_loss(PrivacyLoss::two_point(Precise::exactly(0.5)).forward()).value.middle(),
              0.5 * std::tanh(0.25), 1e-15);
  EXPECT_NEAR(mean_loss(PrivacyLoss::laplace(Precise::exactly(0.5)).forward()).value.middle(),
              std::exp(-0.5) - 0.5, 1e-15);
}

// An off-diagonal rest leaves only K enclosed, and the slope between two secants.
TEST(MeanLoss, OfADensePairIsEnclosed) {
  GaussianSpectrum spectrum = GaussianSpectrum::component(0.25, 0.75, 2.0);
  const double exact = mean_loss(PrivacyLoss::gaussian(spectrum).forward()).value.middle();
  spectrum.set_off_diagonal({1e-12, 1e-12});
  EXPECT_TRUE(encloses(mean_loss(PrivacyLoss::gaussian(spectrum).forward()).value.enclosure(),
                       Ball(exact).widened(Ball(1e-15))));
}

TEST(ProfileBound, LiesAboveTheProfile) {
  const DirectedLoss loss = mixed();
  for (const double shift : {0.0, 0.5, 2.0}) {
    const Ball delta = quantity(loss, shift, Kernel::profile, Accuracy::fast).value;
    for (const double x : {0.1, 1.0, 5.0})
      EXPECT_GE(profile_bound(loss, x, shift).value.upper(), delta.lower());
  }
}

TEST(LargestFiniteLoss, AddsUpTheParts) {
  // 2 * 0.5 + 3 * 0.25 + 0.5, and sup L of the Gaussian part: -log 0.75 + 2 * (1/16) / (2/4).
  const double truth = 2.25 - std::log(0.75) + 0.25;
  const Ball found = largest_finite_loss(mixed());
  EXPECT_NEAR(found.middle(), truth, 1e-13);
  EXPECT_FALSE(
      largest_finite_loss(PrivacyLoss::gaussian(GaussianSpectrum::shift(1.0, 1.0)).forward())
          .finite());
}

}  // namespace
}  // namespace modicum::testing::loss_moment_test
