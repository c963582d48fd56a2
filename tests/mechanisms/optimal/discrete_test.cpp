#include "modicum/mechanisms/discrete.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::discrete_test {
namespace {

// Sums of (p(k - D) - e^epsilon p(k))_+ by mpmath at 35 digits.
TEST(DiscreteNoise, ProfilesAreLatticeSums) {
  struct Row {
    bool gaussian;
    double width, sensitivity, epsilon, delta;
  };
  for (const Row& row : {Row{true, 4.0, 1.0, 0.125, 0.052672227404885934975},
                         Row{true, 4.0, 1.0, 0.5, 0.0027529236763292247588},
                         Row{true, 0.5, 1.0, 1.0, 0.60320486916660640459},
                         Row{true, 4.0, 3.0, 0.25, 0.20902470960902882952},
                         Row{true, 1.0, 2.0, 0.0, 0.64091300149132231531},
                         Row{false, 2.0, 1.0, 0.25, 0.13768751663174727211},
                         Row{false, 2.0, 3.0, 0.5, 0.3934693402873665764},
                         Row{false, 0.5, 2.0, 1.0, 0.83694477363838282225}}) {
    const PrivacyLoss loss = row.gaussian ? discrete_gaussian(row.width, row.sensitivity)
                                          : discrete_laplace(row.width, row.sensitivity);
    const ProfilePoint found = profile(loss, row.epsilon, Accuracy::certified);
    EXPECT_NEAR(found.forward.lower() / row.delta, 1.0, 1e-14) << row.width << ", " << row.epsilon;
    EXPECT_LE(found.forward.lower(), row.delta * (1 + 1e-15));
    EXPECT_GE(found.forward.upper(), row.delta * (1 - 1e-15));
    EXPECT_LT(found.forward.relative_width(), 1e-14);
    EXPECT_EQ(found.forward.upper(), found.reverse.upper());
  }
}

TEST(DiscreteNoise, DiscreteLaplaceIsPure) {
  const PrivacyLoss loss = discrete_laplace(2.0, 3.0);
  EXPECT_EQ(profile(loss, 1.5).delta().upper(), 0.0);
  EXPECT_GT(profile(loss, 1.4).delta().lower(), 0.0);
  EXPECT_NEAR(epsilon_at(loss, 0.0).value.upper(), 1.5, 1e-14);
}

TEST(DiscreteNoise, RenyiDivergences) {
  // (1/2) log sum p(k-D)^3 / p(k)^2.
  EXPECT_NEAR(renyi_divergence(discrete_gaussian(0.75, 1.0), 3.0).value.upper(),
              2.6666666666666666667, 1e-12);
  EXPECT_NEAR(renyi_divergence(discrete_laplace(2.0, 3.0), 3.0).value.upper(),
              1.2804047663859432646, 1e-12);
}

// Two answers: the double sum.
TEST(DiscreteNoise, Composes) {
  const Enclosure found = profile(discrete_gaussian(4.0, 1.0).repeated(2.0), 0.5).forward;
  EXPECT_LE(found.lower(), 0.015783577120256378619);
  EXPECT_GE(found.upper(), 0.015783577120256378619);
  EXPECT_LT(found.relative_width(), 0.02);
}

// The continuous formula is no bound: it is too small where sigma is.
TEST(DiscreteNoise, ApproachesTheContinuousGaussianFromAbove) {
  double last = 2.0;
  for (const double sigma : {1.0, 8.0, 64.0}) {
    const double epsilon = 1.0 / sigma;
    const double ratio = profile(discrete_gaussian(sigma, 1.0), epsilon).delta().lower() /
                         profile(gaussian_mechanism(sigma, 1.0), epsilon).delta().upper();
    EXPECT_GT(ratio, 1.0);
    EXPECT_LT(ratio, last);
    last = ratio;
  }
  EXPECT_LT(last, 1.001);
}

TEST(DiscreteNoise, RefusesBadParameters) {
  for (const double bad : {0.5, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_TRUE(refuses("sensitivity", [&] { return discrete_gaussian(1.0, bad); }));
    EXPECT_TRUE(refuses("sensitivity", [&] { return discrete_laplace(1.0, bad); }));
  }
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_TRUE(refuses("sigma", [&] { return discrete_gaussian(bad, 1.0); }));
    EXPECT_TRUE(refuses("scale", [&] { return discrete_laplace(bad, 1.0); }));
  }
  EXPECT_EQ(profile(discrete_gaussian(1.0, 0.0), 0.0).delta().upper(), 0.0);
}

}  // namespace
}  // namespace modicum::testing::discrete_test
