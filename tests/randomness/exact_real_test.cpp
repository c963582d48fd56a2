// Each law against its distribution function; a false alarm has probability at most 1e-9.
#include "randomness/exact_real.h"

#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_source.h"

namespace modicum::testing {
namespace {

double gamma_below(double shape, double x) {
  Ball result;
  const Ball a = shape, z = x;
  arb_hypgeom_gamma_lower(result.raw(), a.raw(), z.raw(), 1, 64);
  return result.middle();
}

TEST(ExactUniform, DigitsNeverChangeOnceDrawn) {
  SeededSource source(1);
  ExactUniform value(source);
  const Ball coarse = value.at(64), fine = value.at(640), again = value.at(64);
  EXPECT_TRUE(arb_contains(coarse.raw(), fine.raw()));
  EXPECT_TRUE(arb_contains(coarse.raw(), again.raw()));
  EXPECT_LT(fine.upper() - fine.lower(), 1e-15);
}

TEST(ExactNormal, HasTheNormalLaw) {
  SeededSource source(2);
  std::vector<double> draws;
  for (int i = 0; i < 20000; ++i) draws.push_back(ExactNormal(source).at(96).middle());
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_LT(largest_deviation(draws, normal), deviation_allowed(20000));
}

TEST(ExactGamma, HasTheGammaLaw) {
  SeededSource source(3);
  for (const double shape : {0.1, 0.7, 1.0, 2.5, 60.0}) {
    std::vector<double> draws;
    for (int i = 0; i < 4000; ++i)
      draws.push_back(exact_gamma([shape] { return Ball(shape); }, source)->at(96).middle());
    const auto law = [shape](double x) { return gamma_below(shape, x); };
    EXPECT_LT(largest_deviation(draws, law), deviation_allowed(4000)) << shape;
  }
}

TEST(NearestMultiple, RoundsTheRealNumberItself) {
  SeededSource source(4);
  for (int i = 0; i < 500; ++i) {
    ExactNormal value(source);
    const double grid = std::ldexp(1.0, -i % 40);
    const double multiple = nearest_multiple(value, grid);
    EXPECT_EQ(multiple, std::nearbyint(multiple));
    const Ball distance = abs(value.at(256) - Ball(multiple) * Ball(grid));
    EXPECT_LE(distance.lower(), 0.5 * grid);
  }
}

TEST(SecureSource, GivesFairBits) {
  SecureSource source;
  double ones = 0.0;
  const int words = 20000;
  for (int i = 0; i < words; ++i) ones += __builtin_popcountll(source.next());
  // 64 words bits of variance 1/4: six and a half standard deviations, 1e-10 both sides.
  EXPECT_NEAR(ones, 32.0 * words, 6.5 * 0.5 * std::sqrt(64.0 * words));
  EXPECT_NE(source.next(), SecureSource().next());
}

}  // namespace
}  // namespace modicum::testing
