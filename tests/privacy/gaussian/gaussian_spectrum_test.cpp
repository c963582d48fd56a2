#include "modicum/privacy/gaussian_spectrum.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "numerics/precise_ball.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_spectrum_test {
namespace {

bool contains(const Precise& outer, const Precise& inner) {
  const PrecisionScope scope(truth_bits);
  return arb_contains(to_ball(outer).raw(), to_ball(inner).raw()) != 0;
}

TEST(GaussianSpectrum, DropsCoordinatesThatCarryNothing) {
  EXPECT_TRUE(GaussianSpectrum().is_trivial());
  EXPECT_TRUE(GaussianSpectrum::component(0.0, 1.0, 7.0).is_trivial());
  EXPECT_TRUE(GaussianSpectrum::shift(0.0, 2.0).is_trivial());
  EXPECT_FALSE(GaussianSpectrum::component(0.0, 1.0 + 0x1p-52).is_trivial());
}

TEST(GaussianSpectrum, KeepsTheExcessExactly) {
  for (const double ratio : {1.0 + 0x1p-52, 1.0 - 0x1p-53, 0.1, 3.0, 1e-12, 1e12, 0.3}) {
    const PrecisionScope scope(truth_bits);
    const Precise excess = GaussianSpectrum::component(0.0, ratio).components().front().excess;
    EXPECT_TRUE(to_ball(excess).finite());
    EXPECT_TRUE((to_ball(excess) - (Ball(ratio) - 1.0)).exactly_zero()) << ratio;
    EXPECT_EQ(excess.radius, 0.0);
  }
}

// A ratio far below the spacing of doubles next to 1 must not be lost beside it.
TEST(GaussianSpectrum, KeepsRatiosFarBelowTheSpacingOfDoubles) {
  for (const double ratio : {1e-20, 1e-40, 1e-60, 1e-100, 1e-300}) {
    const PrecisionScope scope(2048);
    ASSERT_NO_THROW(GaussianSpectrum::component(0.5, ratio).reversed()) << ratio;
    const Ball kept =
        to_ball(GaussianSpectrum::component(0.5, ratio).components().front().excess) + 1.0;
    EXPECT_LE((abs(kept - Ball(ratio)) / Ball(ratio)).upper(), 1e-15) << ratio;
  }
}

TEST(GaussianSpectrum, JoinsCoordinatesWithOneRatio) {
  GaussianSpectrum spectrum = GaussianSpectrum::component(3.0, 2.0);
  spectrum.add(GaussianSpectrum::component(4.0, 2.0, 2.0));
  ASSERT_EQ(spectrum.components().size(), 1u);
  EXPECT_EQ(spectrum.components().front().multiplicity, 3.0);
  EXPECT_TRUE(spectrum.components().front().mean_square.is_exactly(41.0));
}

TEST(GaussianSpectrum, ReversedTwiceIsItself) {
  SeededRandom random(401);
  for (int i = 0; i < 1000; ++i) {
    const GaussianSpectrum spectrum = random_spectrum(random);
    const GaussianSpectrum twice = spectrum.reversed().reversed();
    ASSERT_EQ(twice.components().size(), spectrum.components().size());
    for (std::size_t k = 0; k < twice.components().size(); ++k) {
      const SpectrumComponent& before = spectrum.components()[k];
      const SpectrumComponent& after = twice.components()[k];
      EXPECT_TRUE(contains(after.excess, before.excess)) << i;
      EXPECT_TRUE(contains(after.mean_square, before.mean_square)) << i;
      EXPECT_EQ(after.multiplicity, before.multiplicity);
      EXPECT_DOUBLE_EQ(after.excess.high, before.excess.high);
      EXPECT_DOUBLE_EQ(after.mean_square.high, before.mean_square.high);
      EXPECT_LE(after.excess.radius, std::abs(before.excess.high) * 1e-28);
    }
  }
}

TEST(GaussianSpectrum, ReversesAsTheDefinitionSays) {
  const SpectrumComponent reversed =
      GaussianSpectrum::component(3.0, 4.0).reversed().components().front();
  EXPECT_EQ(reversed.excess.high, -0.75);      // 1/4 - 1
  EXPECT_EQ(reversed.mean_square.high, 2.25);  // (3 / sqrt 4)^2
}

TEST(GaussianSpectrum, ShiftsComposeToOneGaussian) {
  GaussianSpectrum spectrum = GaussianSpectrum::shift(3.0, 10.0);
  spectrum.add(GaussianSpectrum::shift(4.0, 10.0));
  EXPECT_TRUE(spectrum.is_pure_shift());
  ASSERT_EQ(spectrum.components().size(), 1u);
  const auto loss = PrivacyLoss::gaussian(spectrum);
  EXPECT_TRUE(loss.is_symmetric());
  const Ball truth = equal_covariance_delta(0.5, 1.0);
  EXPECT_TRUE(encloses(profile(loss, 1.0, Accuracy::certified).delta(), truth));
  // 10^6 shifts of 1/1000 are one shift of 1.
  const auto many = PrivacyLoss::gaussian(GaussianSpectrum::shift(1.0, 1024.0).repeated(0x1p20));
  EXPECT_TRUE(
      encloses(profile(many, 1.0, Accuracy::certified).delta(), equal_covariance_delta(1.0, 1.0)));
}

TEST(GaussianSpectrum, RefusesWhatIsNoSpectrum) {
  for (const double bad : not_finite) {
    EXPECT_TRUE(refuses("mean", [&] { return GaussianSpectrum::component(bad, 2.0); }));
    EXPECT_TRUE(refuses("variance_ratio", [&] { return GaussianSpectrum::component(0.0, bad); }));
    EXPECT_TRUE(
        refuses("multiplicity", [&] { return GaussianSpectrum::component(0.0, 2.0, bad); }));
    EXPECT_TRUE(refuses("shift", [&] { return GaussianSpectrum::shift(bad, 2.0); }));
    EXPECT_TRUE(refuses("standard_deviation", [&] { return GaussianSpectrum::shift(1.0, bad); }));
    EXPECT_TRUE(
        refuses("count", [&] { return GaussianSpectrum::component(0.0, 2.0).repeated(bad); }));
  }
  for (const double bad : {0.0, -1.0})
    EXPECT_TRUE(refuses("variance_ratio", [&] { return GaussianSpectrum::component(0.0, bad); }));
  for (const double bad : {0.0, -1.0, 0.5, 1.5, 0x1p54}) {
    EXPECT_TRUE(
        refuses("multiplicity", [&] { return GaussianSpectrum::component(0.0, 2.0, bad); }));
    EXPECT_TRUE(
        refuses("count", [&] { return GaussianSpectrum::component(0.0, 2.0).repeated(bad); }));
  }
  EXPECT_TRUE(refuses("standard_deviation", [&] { return GaussianSpectrum::shift(1.0, 0.0); }));
  EXPECT_TRUE(refuses("squared mean", [&] { return GaussianSpectrum::component(1e200, 2.0); }));
  EXPECT_TRUE(refuses("total multiplicity",
                      [&] { return GaussianSpectrum::component(0.0, 2.0, 0x1p52).repeated(4.0); }));
}

}  // namespace
}  // namespace modicum::testing::gaussian_spectrum_test
