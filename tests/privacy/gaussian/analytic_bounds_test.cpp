#include "modicum/privacy/analytic_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::analytic_bounds_test {
namespace {

Enclosure delta(const GaussianSpectrum& spectrum, double epsilon) {
  return directed_delta(PrivacyLoss::gaussian(spectrum).forward(), epsilon, Accuracy::fast).value;
}

TEST(Lemma2Bound, LiesAboveDeltaWithTheSmallerCovarianceFirst) {
  SeededRandom random(701);
  for (int i = 0; i < 500; ++i) {
    GaussianSpectrum spectrum;
    double supremum = 0.0;
    for (int k = random.whole(1, 4); k > 0; --k) {
      const double ratio = random.uniform(0.05, 0.999), multiplicity = random.whole(1, 20);
      spectrum.add(GaussianSpectrum::component(0.0, ratio, multiplicity));
      supremum -= 0.5 * multiplicity * std::log(ratio);
    }
    const double epsilon = supremum * random.uniform(0.0, 1.2);
    const double bound = lemma2_bound(spectrum, epsilon);
    EXPECT_GE(bound, delta(spectrum, epsilon).upper()) << i;
    EXPECT_LE(bound, 1.0) << i;
    EXPECT_EQ(bound == 0.0, epsilon >= supremum) << i;
  }
}

TEST(Lemma2Bound, IsTheExponentialBoundWrittenOut) {
  // One coordinate, tau = 1/2, epsilon = 0.1, both parameters on a fine grid.
  const double tau = 0.5, epsilon = 0.1, slack = -std::log(tau) - 2.0 * epsilon;
  double first = 1.0, second = 1.0;
  for (double s = 0.0; s < 50.0; s += 1e-3)
    first = std::min(first, std::exp(s * slack) / std::sqrt(1.0 + 2.0 * s * (1.0 - tau)));
  for (double u = 0.0; u < 0.5; u += 1e-5)
    second = std::min(second, std::exp(-u * slack) / std::sqrt(1.0 - 2.0 * u * (1.0 - tau) / tau));
  const double grid = first - std::exp(epsilon) * (1.0 - second);
  EXPECT_NEAR(lemma2_bound(GaussianSpectrum::component(0.0, tau), epsilon), grid, 1e-6);
}

// Truths by mpmath: regularized incomplete gamma functions to 60 digits.
TEST(Lemma2Bound, IsRoundedUpwards) {
  GaussianSpectrum close;
  close.add({Precise::exactly(-1e-20), Precise::exactly(0.0), 0x1p53});
  EXPECT_GE(lemma2_bound(close, 0.0), 2.7e-13);
  // epsilon is half of log 2 less 1.5e-17.
  EXPECT_GE(lemma2_bound(GaussianSpectrum::component(0.0, 0.5), 0.34657359027997264), 4.2e-26);
  EXPECT_EQ(lemma2_bound(GaussianSpectrum::component(0.0, 0.5), 0.3465735902799727), 0.0);
}

TEST(Lemma2Bound, TakesRatiosThatAreOneUpToRounding) {
  GaussianSpectrum exact = GaussianSpectrum::component(0.0, 0.5, 3.0), rounded = exact;
  rounded.add({{1e-60, 0.0, 1e-58}, Precise::exactly(0.0), 7.0});
  rounded.set_off_diagonal({1e-40, 1e-40});
  const double sharp = lemma2_bound(exact, 0.3), safe = lemma2_bound(rounded, 0.3);
  EXPECT_GE(safe, sharp);
  EXPECT_LE(safe, sharp * (1.0 + 1e-15));
  // A dense pair that differs in one direction only: the other ratios are 1 up to rounding.
  const Eigen::MatrixXd larger{{2.0, 0.3, 0.1}, {0.3, 1.0, 0.2}, {0.1, 0.2, 3.0}};
  const Eigen::Vector3d direction(0.1, 0.7, -0.4);
  const auto pair =
      reduce_pair({Eigen::VectorXd::Zero(3), larger - 0.25 * direction * direction.transpose()},
                  {Eigen::VectorXd::Zero(3), larger}, Accuracy::certified);
  const Enclosure truth =
      directed_delta(PrivacyLoss::gaussian(*pair).forward(), 0.01, Accuracy::certified).value;
  EXPECT_GE(lemma2_bound(*pair, 0.01), truth.upper());
  EXPECT_GE(theorem42_bound(*pair, 0.01), truth.upper());
  EXPECT_LT(theorem42_bound(*pair, 0.01), 1.0);
}

TEST(ChainedBound, IsRoundedUpwards) {
  const auto half = [](double) { return 0.5; };
  EXPECT_EQ(chained_bound(
                half, [](double) { return 0.0; }, 1.0, 0.25),
            0.5);
  EXPECT_EQ(chained_bound(half, half, 1.0, 0.25), 1.0);
  // What is left of epsilon is rounded downwards.
  double rest = 1.0;
  chained_bound(
      half, [&](double at) { return rest = at; }, 1.0, 1e-20);
  EXPECT_LT(rest, 1.0);
}

TEST(Theorem42Bound, LiesAboveDeltaWithTheSmallerCovarianceFirst) {
  SeededRandom random(702);
  for (int i = 0; i < 100; ++i) {
    GaussianSpectrum spectrum;
    for (int k = random.whole(1, 3); k > 0; --k)
      spectrum.add(
          GaussianSpectrum::component(random.uniform(-1.0, 1.0), random.uniform(0.3, 1.0)));
    const double epsilon = random.uniform(0.0, 5.0);
    const double bound = theorem42_bound(spectrum, epsilon);
    EXPECT_GE(bound, delta(spectrum, epsilon).upper()) << i;
    EXPECT_LE(bound, 1.0) << i;
  }
}

TEST(Theorem42Bound, OfAPureShiftIsExact) {
  const GaussianSpectrum spectrum = GaussianSpectrum::shift(0.7, 1.0);
  const Enclosure exact = delta(spectrum, 1.5);
  EXPECT_GE(theorem42_bound(spectrum, 1.5), exact.lower());
  EXPECT_NEAR(theorem42_bound(spectrum, 1.5) / exact.upper(), 1.0, 1e-12);
}

TEST(AnalyticBounds, RefuseTheDirectionInWhichTheyAreFalse) {
  for (const double ratio : {1.0 + 1e-12, 2.0, 1e12}) {
    const GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, ratio);
    EXPECT_TRUE(refuses("variance_ratio", [&] { return lemma2_bound(spectrum, 1.0); }));
    EXPECT_TRUE(refuses("variance_ratio", [&] { return theorem42_bound(spectrum, 1.0); }));
  }
  const GaussianSpectrum mixed = spectrum_of({{0.0, 0.5, 1.0}, {0.0, 1.5, 1.0}});
  EXPECT_TRUE(refuses("variance_ratio", [&] { return lemma2_bound(mixed, 1.0); }));
}

TEST(AnalyticBounds, RefuseArgumentsOutsideTheirDomain) {
  const GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, 0.5);
  for (const double bad : not_finite) {
    EXPECT_TRUE(refuses("epsilon", [&] { return lemma2_bound(spectrum, bad); }));
    EXPECT_TRUE(refuses("epsilon", [&] { return theorem42_bound(spectrum, bad); }));
  }
  EXPECT_TRUE(refuses("epsilon", [&] { return theorem42_bound(spectrum, -0.1); }));
  EXPECT_TRUE(
      refuses("mean", [&] { return lemma2_bound(GaussianSpectrum::component(0.1, 0.5), 1.0); }));
}

// An estimated spectrum may hold ratios above 1 within its radius.
TEST(AnalyticBounds, RefuseASpectrumThatMayLieOnTheWrongSide) {
  GaussianSpectrum spectrum;
  spectrum.add({{-1e-12, 0.0, 1e-3}, Precise::exactly(0.0), 1.0});
  EXPECT_TRUE(refuses("variance_ratio", [&] { return lemma2_bound(spectrum, 0.0); }));
}

}  // namespace
}  // namespace modicum::testing::analytic_bounds_test
