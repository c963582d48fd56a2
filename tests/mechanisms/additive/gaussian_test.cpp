#include "modicum/mechanisms/gaussian.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_test {
namespace {

TEST(GaussianMechanism, HasTheClosedFormProfile) {
  // Quotients that are exact in doubles.
  for (const auto& [deviation, sensitivity] :
       {std::pair{1.0, 1.0}, std::pair{8.0, 1.0}, std::pair{0.25, 2.0}})
    for (const double epsilon : {-1.0, 0.0, 0.1, 1.0, 10.0}) {
      const ProfilePoint point =
          profile(gaussian_mechanism(deviation, sensitivity), epsilon, Accuracy::certified);
      EXPECT_TRUE(
          encloses(point.forward, equal_covariance_delta(sensitivity / deviation, epsilon)));
      EXPECT_TRUE(
          encloses(point.reverse, equal_covariance_delta(sensitivity / deviation, epsilon)));
    }
}

TEST(GaussianMechanism, DoesNotRoundTheQuotient) {
  // 1/3 is no double: at delta = 1e-100 rounding it would show.
  const PrecisionScope scope(truth_bits);
  const Ball t = Ball(1.0) / 3.0, e = 7.0, root = sqrt(Ball(2.0));
  const Ball truth =
      (erfc((e / t - t / 2.0) / root) - exp(e) * erfc((e / t + t / 2.0) / root)) / 2.0;
  const Enclosure value = profile(gaussian_mechanism(3.0, 1.0), 7.0, Accuracy::certified).delta();
  EXPECT_TRUE(encloses(value, truth));
  EXPECT_LE(value.relative_width(), 1e-15);
}

TEST(GaussianMechanism, ComposesToOneGaussian) {
  PrivacyLoss loss = gaussian_mechanism(2.0, 1.0);            // mu = 1/2
  loss.compose(gaussian_mechanism(4.0, 1.0).repeated(12.0));  // mu^2 = 12/16
  EXPECT_TRUE(
      encloses(profile(loss, 1.0, Accuracy::certified).delta(), equal_covariance_delta(1.0, 1.0)));
  const ProfilePoint thousand =
      profile(gaussian_mechanism(1024.0, 1.0).repeated(0x1p20), 1.0, Accuracy::certified);
  EXPECT_TRUE(encloses(thousand.delta(), equal_covariance_delta(1.0, 1.0)));
}

TEST(GaussianMechanism, WithoutSensitivityReleasesNothing) {
  EXPECT_TRUE(profile(gaussian_mechanism(1.0, 0.0), 0.0).delta().is_exactly_zero());
  EXPECT_TRUE(profile(gaussian_differential_privacy(0.0), 0.0).delta().is_exactly_zero());
}

TEST(GaussianMechanism, RefusesWhatIsNoNoise) {
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0})
    EXPECT_TRUE(refuses("standard_deviation", [&] { return gaussian_mechanism(bad, 1.0); })) << bad;
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300}) {
    EXPECT_TRUE(refuses("sensitivity", [&] { return gaussian_mechanism(1.0, bad); })) << bad;
    EXPECT_TRUE(refuses("mu", [&] { return gaussian_differential_privacy(bad); })) << bad;
  }
  EXPECT_THROW(gaussian_mechanism(1e-300, 1e300), InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::gaussian_test
