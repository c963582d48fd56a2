#include "modicum/privacy/conversions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::conversions_test {
namespace {

PrivacyLoss gaussian(double mu) { return PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0)); }

TEST(Conversions, RenyiNeverFallsBelowTheExactEpsilon) {
  for (const double mu : {0.1, 1.0, 3.0})
    for (const double delta : {1e-3, 1e-8}) {
      const double exact = epsilon_at(gaussian(mu), delta).value.lower();
      for (const double order : {1.5, 4.0, 20.0, 100.0}) {
        const double divergence = renyi_divergence(gaussian(mu), order).value.upper();
        EXPECT_GE(epsilon_from_renyi(order, divergence, delta), exact);
      }
    }
}

TEST(Conversions, ZcdpIsTheBestOverAllOrders) {
  for (const double rho : {1e-3, 0.1, 2.0}) {
    const double best = epsilon_from_zcdp(rho, 1e-6);
    for (double order = 1.05; order < 1e4; order *= 1.3)
      EXPECT_LE(best, epsilon_from_renyi(order, rho * order, 1e-6) * (1.0 + 1e-12));
    EXPECT_GE(best, epsilon_at(gaussian(std::sqrt(2.0 * rho)), 1e-6).value.lower());
  }
  EXPECT_EQ(epsilon_from_zcdp(0.0, 1e-6), 0.0);
}

// rho = epsilon tanh(epsilon/2) is the supremum of D_order/order of randomized response.
TEST(Conversions, ZcdpOfPureIsTheSupremumOverOrders) {
  for (const double epsilon : {0.01, 0.5, 1.0, 4.0}) {
    const double rho = zcdp_from_pure(epsilon);
    EXPECT_LE(rho, 0.5 * epsilon * epsilon * (1.0 + 1e-15));
    const PrivacyLoss response = PrivacyLoss::two_point(Precise::exactly(epsilon));
    for (double order = 1.0; order < 1e4; order = 1.0 + 1.5 * (order - 0.99))
      EXPECT_GE(rho * order * (1.0 + 1e-14), renyi_divergence(response, order).value.lower());
    EXPECT_NEAR(rho, renyi_divergence(response, 1.0).value.upper(), 1e-14);
  }
}

TEST(Conversions, GaussianRho) { EXPECT_NEAR(zcdp_from_gaussian(0.6), 0.18, 1e-16); }

TEST(Conversions, RefuseBadParameters) {
  EXPECT_TRUE(refuses("order", [] { return epsilon_from_renyi(1.0, 0.1, 1e-5); }));
  EXPECT_TRUE(refuses("divergence", [] { return epsilon_from_renyi(2.0, -0.1, 1e-5); }));
  EXPECT_TRUE(refuses("delta", [] { return epsilon_from_zcdp(0.1, 0.0); }));
  EXPECT_TRUE(refuses("rho", [] { return epsilon_from_zcdp(std::nan(""), 0.1); }));
  EXPECT_TRUE(refuses("epsilon", [] { return zcdp_from_pure(-1.0); }));
}

}  // namespace
}  // namespace modicum::testing::conversions_test
