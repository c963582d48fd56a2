#include "privacy/spherical/spherical_copies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/spherical/spherical_law.h"
#include "support/seeded_random.h"

namespace modicum::testing::spherical_copies_test {
namespace {

// Gaussian noise has a closed form.
TEST(SphericalCopies, AgreeWithGaussianNoise) {
  for (const double dimension : {1.0, 2.0, 3.0, 20.0})
    for (const double count : {3.0, 40.0}) {
      const double mu = 0.7 / std::sqrt(count);
      const SphericalPair pair(dimension, dimension - 1.0, Precise::exactly(0.5), 2.0, mu);
      const auto quick = quick_spherical_profile(pair, count, 1.5, 1.0);
      ASSERT_TRUE(quick.has_value()) << dimension << ' ' << count;
      const PrivacyLoss one = PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0));
      const double exact = profile(one.repeated(count), 1.5).delta().upper();
      EXPECT_NEAR(quick->log_delta, std::log(exact), 1e-5) << dimension << ' ' << count;
    }
}

// The proof knows nothing of this rule.
TEST(SphericalCopies, AgreeWithTheProof) {
  SeededRandom random(31);
  for (int i = 0; i < 8; ++i) {
    const double dimension = random.whole(1, 4), p = random.uniform(1.2, 2.5);
    const double count = random.whole(8, 30), epsilon = random.uniform(0.5, 2.0);
    const double sensitivity = random.uniform(0.2, 0.6) * std::sqrt(dimension / count);
    const Precise beta = Precise::exactly(dimension / p);
    const SphericalPair pair(dimension, dimension - 1.0, beta, p, sensitivity);
    const auto quick = quick_spherical_profile(pair, count, epsilon, 1.0);
    if (!quick) continue;
    const auto law = spherical_law(dimension, dimension - 1.0, beta, p, sensitivity);
    const Enclosure exact = profile(PrivacyLoss::law(law, law).repeated(count), epsilon).delta();
    EXPECT_NEAR(quick->log_delta, std::log(exact.upper()), 1e-4)
        << dimension << ' ' << p << ' ' << count << ' ' << epsilon;
  }
}

}  // namespace
}  // namespace modicum::testing::spherical_copies_test
