// The seeds are fixed; over all seeds, each comparison fails a true law with probability 1e-9.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::gamma_test {
namespace {

TEST(StandardGamma, HasTheGammaLaw) {
  SeededSource source(21);
  for (const double shape : {0.05, 0.5, 0.999, 1.0, 1.5, 30.0, 2000.0}) {
    std::vector<double> draws(200000);
    for (double& draw : draws) draw = standard_gamma(shape, source);
    const auto law = [shape](double x) { return gamma_below(shape, x); };
    EXPECT_LT(deviation_found(draws, law), deviation_allowed(2e5)) << shape;
  }
}

// Gamma(1) is -log u: compared without the incomplete gamma function, and with more draws.
TEST(StandardGamma, OfShapeOneIsExponential) {
  SeededSource source(22);
  std::vector<double> draws(1000000);
  for (double& draw : draws) draw = standard_gamma(1.0, source);
  EXPECT_LT(largest_deviation(draws, [](double x) { return -std::expm1(-x); }),
            deviation_allowed(1e6));
}

// P[gamma < x] is about x^shape: at 1e-3 half of the draws are below 1e-300, and at 1e-6 nearly all
// are below every positive double.
TEST(StandardGamma, StaysPositiveForTinyShapes) {
  SeededSource source(23);
  std::vector<double> draws(100000);
  for (double& draw : draws) draw = standard_gamma(1e-2, source);
  const auto law = [](double x) { return gamma_below(1e-2, x); };
  EXPECT_LT(deviation_found(draws, law), deviation_allowed(1e5));
  for (const double shape : {1e-3, 1e-6, 1e-300, 5e-324})
    for (int i = 0; i < 1000; ++i) {
      const double draw = standard_gamma(shape, source);
      EXPECT_TRUE(draw > 0.0 && std::isfinite(draw)) << shape;
    }
}

// (gamma - shape) / sqrt(shape) is normal up to 1 / (3 sqrt(2 pi shape)) in distribution.
TEST(StandardGamma, IsNormalForHugeShapes) {
  SeededSource source(24);
  for (const double shape : {1e10, 1e14}) {
    std::vector<double> draws(100000);
    for (double& draw : draws) draw = (standard_gamma(shape, source) - shape) / std::sqrt(shape);
    EXPECT_LT(largest_deviation(draws, normal_below), deviation_allowed(1e5) + 1e-5) << shape;
  }
  EXPECT_DOUBLE_EQ(standard_gamma(1e300, source), 1e300);
}

TEST(ChiSquare, HasItsLaw) {
  SeededSource source(25);
  for (const double degrees : {0.3, 1.0, 2.0, 3.7, 100.0}) {
    std::vector<double> draws(200000);
    for (double& draw : draws) draw = chi_square(degrees, source);
    const auto law = [degrees](double x) { return chi_square_below(degrees, x); };
    EXPECT_LT(deviation_found(draws, law), deviation_allowed(2e5)) << degrees;
  }
}

// Two routes: with one degree, its root is the size of a normal number.
TEST(ChiSquare, OfOneDegreeIsTheSquareOfANormal) {
  SeededSource source(26);
  std::vector<double> roots(500000);
  for (double& root : roots) root = std::sqrt(chi_square(1.0, source));
  EXPECT_LT(largest_deviation(roots, [](double x) { return std::erf(x / std::sqrt(2.0)); }),
            deviation_allowed(5e5));
}

TEST(ChiSquare, StaysPositiveForTheSmallestDegrees) {
  SeededSource source(27);
  for (int i = 0; i < 100; ++i) EXPECT_GT(chi_square(5e-324, source), 0.0);
}

TEST(GammaAndChiSquare, RefuseWhatIsNotPositive) {
  SeededSource source(28);
  for (const double bad : {0.0, -1.0, not_a_number, infinity, -infinity}) {
    EXPECT_TRUE(refuses("shape", [&] { return standard_gamma(bad, source); })) << bad;
    EXPECT_TRUE(refuses("degrees", [&] { return chi_square(bad, source); })) << bad;
  }
}

}  // namespace
}  // namespace modicum::testing::gamma_test
