// Each law against its distribution function; a false alarm has probability at most 1e-9.
#include "randomness/exact_real.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/numerics/errors.h"
#include "randomness/distributions.h"
#include "support/seeded_source.h"

namespace modicum::testing::exact_real_test {
namespace {

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
  EXPECT_LT(largest_deviation(draws, normal_below), deviation_allowed(20000));
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

TEST(NearestInteger, RefusesWhatIsTooLarge) {
  class Constant final : public ExactReal {
   public:
    explicit Constant(double value) : value_(value) {}
    Ball at(long) override { return value_; }

   private:
    double value_;
  };
  for (const double value : {0.0, -3.0, 0x1p62, -0x1p62}) {
    Constant real(value);
    EXPECT_EQ(nearest_integer(real), static_cast<std::int64_t>(value));
  }
  Constant above(2.25);
  EXPECT_EQ(nearest_integer(above), 2);
  for (const double value : {0x1.0000000000001p62, -0x1.8p62, 0x1p64, -1e300}) {
    Constant real(value);
    EXPECT_THROW(nearest_integer(real), Error);
  }
}

}  // namespace
}  // namespace modicum::testing::exact_real_test
