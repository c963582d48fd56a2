#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/spherical/spherical_estimate.h"
#include "privacy/spherical/spherical_law.h"
#include "support/truth.h"

namespace modicum::testing::spherical_nodes_test {
namespace {

double log_moment_by(const WeightedLosses& rule, double order) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < rule.losses.size(); ++i)
    sum += std::exp(static_cast<long double>(rule.log_weights[i] + order * rule.losses[i]));
  return static_cast<double>(std::log(sum));
}

// K(x) of the Gaussian is mu^2 x (x + 1) / 2; of others another quadrature.
TEST(SphericalNodes, HaveTheMomentsOfTheLoss) {
  for (const double dimension : {1.0, 2.0, 10.0}) {
    const SphericalPair pair(dimension, dimension - 1.0, Precise::exactly(0.5), 2.0, 0.25);
    const WeightedLosses rule = SphericalEstimate(pair).rule(4.0, 0.0, 1);
    for (const double x : {-0.5, 0.3, 1.0, 3.5})
      EXPECT_NEAR(log_moment_by(rule, x), x * (x + 1.0) / 32.0, 2e-14) << dimension << ' ' << x;
  }
  struct Row {
    double dimension, alpha, p, sensitivity;
  };
  for (const Row& row : {Row{2.0, 1.0, 1.0, 0.5}, Row{3.0, 2.0, 1.5, 0.3}, Row{1.0, -0.2, 3.0, 0.5},
                         Row{100.0, 99.0, 1.3, 0.3}}) {
    const SphericalPair pair(row.dimension, row.alpha, Precise::exactly(1.0), row.p,
                             row.sensitivity);
    const SphericalEstimate estimate(pair);
    const WeightedLosses rule = estimate.rule(1.0, 0.0, 1);
    for (const double x : {0.3, 0.9})
      EXPECT_NEAR(log_moment_by(rule, x), estimate.moment(x).log(), 1e-12) << row.dimension;
    EXPECT_NEAR(log_moment_by(rule, -1.0), 0.0, 1e-12);
  }
}

// Many copies of the Gaussian member, on the way of the family.
TEST(SphericalNodes, ComposeAsTheGaussian) {
  for (const double dimension : {1.0, 10.0}) {
    const auto law = spherical_law(dimension, dimension - 1.0, Precise::exactly(0.5), 2.0, 0.01);
    const PrivacyLoss many = PrivacyLoss::law(law, law).repeated(1e4);
    const ProfilePoint found = profile(many, 1.0, Accuracy::fast);
    const PrivacyLoss gaussian = PrivacyLoss::gaussian(GaussianSpectrum::shift(0.01, 1.0));
    const Enclosure exact = profile(gaussian.repeated(1e4), 1.0).delta();
    EXPECT_EQ(found.proof, Proof::estimated);
    EXPECT_TRUE(found.delta().overlaps(exact)) << dimension;
    EXPECT_LT(found.delta().relative_width(), 2e-9) << dimension;
  }
}

// Values of another route, at high precision (tests/reference/spherical.json).
TEST(SphericalNodes, ComposeTheL2Mechanism) {
  const auto law = spherical_law(10.0, 9.0, Precise::exactly(0.2), 1.0, 1.0);
  const PrivacyLoss many = PrivacyLoss::law(law, law).repeated(32.0);
  for (const auto& [epsilon, delta] : {std::pair{0.1, "0.1026658492514972359856543"},
                                       std::pair{2.0, "8.894396006274818967353008e-10"}}) {
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure found = profile(many, epsilon, accuracy).delta();
      EXPECT_TRUE(encloses(found, decimal(delta))) << epsilon;
      EXPECT_LT(found.relative_width(), 1e-9) << epsilon;
    }
  }
}

}  // namespace
}  // namespace modicum::testing::spherical_nodes_test
