#include "modicum/mechanisms/laplace.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::laplace_test {
namespace {

TEST(LaplaceMechanism, HasTheClosedFormProfile) {
  const PrecisionScope scope(truth_bits);
  for (const double scale : {0.5, 3.0, 10.0})
    for (const double share : {-0.5, 0.0, 0.25, 0.9}) {
      const double epsilon = share / scale;
      const Ball truth = -expm1((Ball(epsilon) - Ball(1.0) / scale) / 2.0);
      const Enclosure value =
          profile(laplace_mechanism(scale, 1.0), epsilon, Accuracy::certified).delta();
      EXPECT_TRUE(encloses(value, truth)) << scale << ' ' << share;
      EXPECT_LE(value.relative_width(), 1e-15);
    }
}

TEST(LaplaceMechanism, IsPureAtSensitivityOverScale) {
  const Enclosure epsilon = epsilon_at(laplace_mechanism(3.0, 1.0), 0.0).value;
  EXPECT_LE(epsilon.lower(), 1.0 / 3.0);
  EXPECT_GT(epsilon.upper(), 1.0 / 3.0) << "1/3 lies above its double";
  EXPECT_LE(epsilon.relative_width(), 1e-15);
  EXPECT_TRUE(profile(laplace_mechanism(2.0, 1.0), 0.5).delta().is_exactly_zero());
}

TEST(LaplaceMechanism, IsDominatedByRandomizedResponseOfTheSameRange) {
  const PrivacyLoss response = PrivacyLoss::two_point(Precise::exactly(0.5));
  for (const double count : {1.0, 3.0, 10.0})
    for (const double epsilon : {-1.0, 0.0, 0.2, 0.45, 2.0}) {
      EXPECT_LE(profile(laplace_mechanism(2.0, 1.0).repeated(count), epsilon).delta().lower(),
                profile(response.repeated(count), epsilon).delta().upper());
    }
}

TEST(LaplaceMechanism, RefusesWhatIsNoNoise) {
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0})
    EXPECT_TRUE(refuses("scale", [&] { return laplace_mechanism(bad, 1.0); })) << bad;
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300})
    EXPECT_TRUE(refuses("sensitivity", [&] { return laplace_mechanism(1.0, bad); })) << bad;
  EXPECT_THROW(laplace_mechanism(1e-300, 1e300), InvalidParameter);
  EXPECT_TRUE(profile(laplace_mechanism(1.0, 0.0), 0.0).delta().is_exactly_zero());
}

}  // namespace
}  // namespace modicum::testing::laplace_test
