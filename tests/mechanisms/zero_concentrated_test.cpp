#include "modicum/mechanisms/zero_concentrated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/privacy/conversions.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing {
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

TEST(ZeroConcentrated, RefusesBadParameters) {
  for (const double bad : {-0.1, std::nan(""), HUGE_VAL})
    EXPECT_TRUE(refuses("rho", [&] { return zero_concentrated(bad); }));
  EXPECT_EQ(profile(zero_concentrated(0.0), 0.0).delta().upper(), 0.0);
}

}  // namespace
}  // namespace modicum::testing
