#include "modicum/mechanisms/spherical.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "privacy/spherical/spherical_law.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::spherical_test {
namespace {

// The law of the family, without regard to the closed form of this member.
TEST(SphericalMechanism, GaussianMemberIsTheGaussianMechanism) {
  for (const double dimension : {1.0, 2.0, 7.0, 1e4, 1e6})
    for (const double epsilon : {0.0, 0.5, 3.0}) {
      const SphericalNoise noise = SphericalNoise::gaussian(dimension, 0.8);
      const auto law = spherical_law(dimension, noise.alpha, noise.exact_beta, 2.0, 1.0);
      const Enclosure found =
          profile(PrivacyLoss::law(law, law), epsilon, Accuracy::certified).delta();
      const Enclosure exact = profile(gaussian_mechanism(0.8, 1.0), epsilon).delta();
      EXPECT_NEAR(found.upper() / exact.upper(), 1.0, 1e-11) << dimension << " " << epsilon;
    }
}

TEST(SphericalMechanism, MembersInClosedFormComposeAsSuch) {
  for (const double dimension : {1.0, 3.0, 1e6}) {
    const SphericalNoise noise = SphericalNoise::gaussian(dimension, 300.0);
    const Enclosure found =
        profile(spherical_mechanism(noise, 0.3).repeated(1e6), 1.0, Accuracy::certified).delta();
    const Enclosure exact =
        profile(gaussian_mechanism(300.0, 0.3).repeated(1e6), 1.0, Accuracy::certified).delta();
    EXPECT_TRUE(found.overlaps(exact));
    EXPECT_LT(found.relative_width(), 1e-12);
  }
  const PrivacyLoss laplace = spherical_mechanism({1.0, 0.0, 0.25, 1.0}, 0.5).repeated(40.0);
  const Enclosure found = profile(laplace, 1.0).delta();
  EXPECT_TRUE(found.overlaps(profile(laplace_mechanism(4.0, 0.5).repeated(40.0), 1.0).delta()));
  EXPECT_LT(found.relative_width(), 1e-9);
}

TEST(SphericalMechanism, OneDimensionalL2IsLaplace) {
  for (const double epsilon : {0.0, 0.4, 1.9, 2.1}) {
    const Enclosure found =
        profile(spherical_mechanism(SphericalNoise::l2(1.0, 0.5), 1.0), epsilon).delta();
    EXPECT_NEAR(found.upper(), profile(laplace_mechanism(0.5, 1.0), epsilon).delta().upper(),
                1e-15);
  }
}

// 1/3 is no double: beta rounded downwards would promise a delta of 0.
TEST(SphericalMechanism, RoundingOfBetaNeverShowsInTheAnswer) {
  const double epsilon = 0.3333333333333333;
  const Enclosure found =
      profile(spherical_mechanism(SphericalNoise::l2(1.0, 3.0), 1.0), epsilon, Accuracy::certified)
          .delta();
  const Enclosure exact =
      profile(laplace_mechanism(3.0, 1.0), epsilon, Accuracy::certified).delta();
  EXPECT_GT(exact.lower(), 0.0);
  EXPECT_TRUE(found.overlaps(exact)) << ::testing::PrintToString(found);
}

TEST(SphericalMechanism, OnlySensitivityTimesScaleMatters) {
  SeededRandom random(41);
  for (int trial = 0; trial < 20; ++trial) {
    const double dimension = random.whole(1, 20), p = random.log_uniform(0.4, 5.0);
    const double alpha = random.uniform(-0.8, dimension - 1.0), factor = 4.0;
    const double epsilon = random.uniform(0.0, 2.0);
    const Enclosure one =
        profile(spherical_mechanism({dimension, alpha, 1.0, p}, 0.5), epsilon).delta();
    const Enclosure two =
        profile(spherical_mechanism({dimension, alpha, std::pow(factor, -p), p}, 2.0), epsilon)
            .delta();
    EXPECT_NEAR(one.upper(), two.upper(), 1e-10 * one.upper() + 1e-300);
  }
}

// A deficit T - 1 - alpha that is lost beside the other terms of the loss is not lost by itself.
TEST(SphericalMechanism, AnAlphaJustBelowItsEndIsAsGoodAsTheEnd) {
  const double p = 0.52301582810387792, end = 1.0;
  for (const double epsilon : {0.5, 3.0, 8.0}) {
    const auto delta = [&](double alpha, Accuracy accuracy) {
      return profile(spherical_mechanism(SphericalNoise(2.0, alpha, 4.0, p), 1.0), epsilon,
                     accuracy)
          .delta();
    };
    const double truth = delta(end, Accuracy::fast).upper();
    const Enclosure found = delta(std::nextafter(end, 0.0), Accuracy::fast);
    EXPECT_NEAR(found.upper(), truth, 1e-9);
    EXPECT_TRUE(found.overlaps(delta(std::nextafter(end, 0.0), Accuracy::certified)));
  }
}

TEST(SphericalMechanism, OracleIsSafeAndTight) {
  const SphericalNoise noise(10.0, 9.0, 0.5, 1.3);
  const double bound = spherical_oracle(noise, 1.0, 0.7, 1e-12);
  const Enclosure exact =
      profile(spherical_mechanism(noise, 1.0), 0.7, Accuracy::certified).delta();
  EXPECT_GE(bound, exact.lower());
  EXPECT_LE(bound - exact.lower(), 1e-12);
  EXPECT_TRUE(refuses("slack", [&] { return spherical_oracle(noise, 1.0, 0.7, 1e-13); }));
}

TEST(SphericalMechanism, MeanSquaredErrors) {
  EXPECT_NEAR(SphericalNoise::gaussian(7.0, 2.0).mean_squared_error(), 28.0, 1e-12);
  // The radius of the l2 mechanism is Gamma(T): E R^2 = T (T + 1) scale^2.
  EXPECT_NEAR(SphericalNoise::l2(4.0, 3.0).mean_squared_error(), 180.0, 1e-11);
}

TEST(SphericalMechanism, RefusesBadParameters) {
  EXPECT_TRUE(refuses("dimension", [] { return SphericalNoise(0.0, 0.0, 1.0, 1.0); }));
  EXPECT_TRUE(refuses("dimension", [] { return SphericalNoise(2.5, 0.0, 1.0, 1.0); }));
  EXPECT_TRUE(refuses("dimension", [] { return calibrate_l2({1.0, 1e-6}, 1e12, 1.0); }));
  EXPECT_TRUE(refuses("alpha", [] { return SphericalNoise(3.0, 2.5, 1.0, 1.0); }));
  EXPECT_TRUE(refuses("alpha", [] { return SphericalNoise(3.0, -1.0, 1.0, 1.0); }));
  EXPECT_TRUE(refuses("alpha", [] { return SphericalNoise(3.0, NAN, 1.0, 1.0); }));
  EXPECT_TRUE(refuses("beta", [] { return SphericalNoise(3.0, 2.0, 0.0, 1.0); }));
  EXPECT_TRUE(refuses("p", [] { return SphericalNoise(3.0, 2.0, 1.0, -1.0); }));
  EXPECT_THROW(calibrate_spherical({1.0, 0.0}, 3.0, 2.0, 2.0, 1.0), CalibrationFailed);
}

// P[R < s] is about (s/scale)^{0.1}: the scale would have to be 1e40, and beta 1e-400.
TEST(SphericalMechanism, SaysWhereBetaWouldBeNoDouble) {
  try {
    calibrate_spherical({1.0, 1e-4}, 2.0, -0.9, 10.0, 1.0);
    FAIL();
  } catch (const CalibrationFailed& error) {
    EXPECT_NE(std::string(error.what()).find("double"), std::string::npos) << error.what();
  }
  // Near that end, and with powers whose mean squared error is no double.
  for (const double p : {0.02, 50.0, 300.0}) {
    const Calibration found = calibrate_spherical({1.0, 1e-3}, 3.0, 2.0, p, 1e-3);
    EXPECT_LE(found.achieved.delta().upper(), 1e-3) << p;
  }
}

TEST(SphericalMechanism, PureL2NeedsNoDelta) {
  const Calibration found = calibrate_l2({1.0, 0.0}, 5.0, 2.0);
  EXPECT_NEAR(found.parameter, 2.0, 1e-9);
  EXPECT_EQ(found.achieved.delta().upper(), 0.0);
  // Whatever the count, at once; what is found has a delta of 0 by its profile too.
  const Calibration many = calibrate_spherical({1.0, 0.0}, 3.0, 2.0, 0.7, 2.0, 1e9);
  EXPECT_NEAR(many.parameter * 1e9 * std::pow(2.0, 0.7), 1.0, 1e-12);
  const Calibration two = calibrate_spherical({1.0, 0.0}, 3.0, 2.0, 0.7, 2.0, 2.0);
  const PrivacyLoss one = spherical_mechanism({3.0, 2.0, two.parameter, 0.7}, 2.0);
  EXPECT_EQ(profile(one, 0.5, Accuracy::certified).delta().upper(), 0.0);
  EXPECT_GT(profile(one, 0.4999, Accuracy::certified).delta().lower(), 0.0);
}

TEST(SphericalMechanism, CompositionNeedsLessNoiseThanSplittingTheBudget) {
  const double together = calibrate_l2({1.0, 1e-5}, 10.0, 1.0, 4.0, Accuracy::fast).parameter;
  const double split = calibrate_l2({0.25, 0.25e-5}, 10.0, 1.0, 1.0, Accuracy::fast).parameter;
  EXPECT_LT(together, split);
}

}  // namespace
}  // namespace modicum::testing::spherical_test
