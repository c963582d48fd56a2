#include "modicum/mechanisms/discrete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

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
  EXPECT_LT(found.relative_width(), 1e-14);
}

// The law of the sum against a lattice of the losses of single answers; and with discrete Laplace
// noise, which is randomized response where a record moves the answer by 1.
TEST(DiscreteNoise, SumsAgreeWithLattices) {
  for (const auto& [sigma, sensitivity, count, epsilon] :
       {std::tuple{4.0, 1.0, 5.0, 1.0}, {0.6, 1.0, 3.0, 4.0}}) {
    const PrivacyLoss loss = discrete_gaussian(sigma, sensitivity).repeated(count);
    const Enclosure sum = profile(loss, epsilon, Accuracy::certified).forward,
                    lattice = directed_delta(loss.forward(), epsilon, Accuracy::certified).value;
    EXPECT_LE(lattice.lower(), sum.upper());
    EXPECT_GE(lattice.upper(), sum.lower());
    EXPECT_LT(lattice.relative_width(), 0.1);
    EXPECT_LT(sum.relative_width(), 1e-14);
    const double found = epsilon_at(loss, sum.upper()).value.upper();
    // The profile has a kink where it jumps from one integer to the next, and is convex.
    EXPECT_NEAR(found, epsilon, 1e-9);
    const Enclosure beside = tradeoff(loss, 0.1).value;
    EXPECT_LT(beside.relative_width(), 1e-10);
  }
}

// In whichever order they are composed; beside other noise the copies are copies again.
TEST(DiscreteNoise, CopiesAddUp) {
  PrivacyLoss loss = discrete_gaussian(3.0, 1.0);
  loss.compose(discrete_gaussian(3.0, 1.0).repeated(2.0));
  const double wanted = profile(discrete_gaussian(3.0, 1.0).repeated(3.0), 0.8).delta().upper();
  EXPECT_NEAR(profile(loss, 0.8).delta().upper(), wanted, 1e-15);
  EXPECT_TRUE(loss.with_copies_joined().has_value());
  EXPECT_TRUE(loss.with_copies_joined()->is_symmetric());
  EXPECT_FALSE(discrete_gaussian(3.0, 1.0).with_copies_joined().has_value());
  loss.compose(gaussian_mechanism(5.0, 1.0));
  EXPECT_FALSE(loss.with_copies_joined().has_value());
  EXPECT_GT(profile(loss, 0.8).delta().upper(), wanted);
}

// Against all combinations of single losses, in doubles.
TEST(DiscreteNoise, LaplaceSumsAreThoseOfAllCombinations) {
  for (const auto& [scale, shift, count] : {std::tuple{2.0, 3, 2}, {5.0, 2, 4}, {0.7, 4, 3}}) {
    const double r = std::exp(-1.0 / scale);
    std::vector<double> sums{1.0};
    for (int i = 0; i < count; ++i) {
      std::vector<double> next(sums.size() + static_cast<std::size_t>(shift));
      for (std::size_t s = 0; s < sums.size(); ++s)
        for (int k = 0; k <= shift; ++k)
          next[s + static_cast<std::size_t>(k)] +=
              sums[s] * std::pow(r, shift - k) * (k == 0 || k == shift ? 1.0 : 1.0 - r) / (1.0 + r);
      sums = std::move(next);
    }
    const PrivacyLoss loss = discrete_laplace(scale, shift).repeated(count);
    for (const double epsilon : {0.0, 0.3, 1.0, 2.2, 5.0}) {
      double delta = 0.0;
      for (std::size_t s = 0; s < sums.size(); ++s)
        delta +=
            sums[s] *
            std::max(0.0, 1.0 - std::exp(epsilon -
                                         (2.0 * static_cast<double>(s) - count * shift) / scale));
      const Enclosure found = profile(loss, epsilon, Accuracy::certified).delta();
      EXPECT_NEAR(found.upper(), delta, 1e-14) << scale << " " << epsilon;
      EXPECT_LT(found.upper() - found.lower(), 1e-15 * (delta + 1e-300));
    }
    EXPECT_NEAR(epsilon_at(loss, 0.0).value.upper(), shift * count / scale, 1e-13);
    EXPECT_EQ(profile(loss, 1e300).delta().upper(), 0.0);
  }
}

TEST(DiscreteNoise, GeometricNoiseIsRandomizedResponse) {
  // Ten answers with scale 9.9: the largest of the 11 losses are 10, 8 and 6 times 1/9.9.
  const Enclosure found =
      profile(discrete_laplace(9.9, 1.0).repeated(10.0), 1.0, Accuracy::certified).delta();
  const double p = 1.0 / (1.0 + std::exp(-1.0 / 9.9));
  EXPECT_NEAR(found.upper(), std::pow(p, 10.0) * (1.0 - std::exp(1.0 - 10.0 / 9.9)), 1e-12);
  EXPECT_LT(found.relative_width(), 1e-12);
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
