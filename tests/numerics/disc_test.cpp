#include "numerics/disc.h"

#include <gtest/gtest.h>

#include "support/seeded_random.h"

namespace modicum::testing::disc_test {
namespace {

using Complex = std::complex<double>;

ComplexBall ball(Complex z) { return {Ball(z.real()), Ball(z.imag())}; }

Complex random_place(SeededRandom& random, double least, double most) {
  return std::polar(random.log_uniform(least, most), 6.3 * random.unit());
}

// A disc, and one of its numbers, next to its edge.
struct Known {
  Disc disc;
  ComplexBall truth;
};
Known random_known(SeededRandom& random, double least = 1e-6, double most = 1e3) {
  const Complex middle = random_place(random, least, most);
  const double radius =
      random.unit() < 0.3 ? 0.0 : std::abs(middle) * random.log_uniform(1e-18, 0.1);
  const Complex off = std::polar(0.999999 * radius, 6.3 * random.unit());
  return {Disc(middle, radius), ball(middle) + ball(off)};
}

// Contains the truth, and is no wider than what a step of rounding and the slope make of it.
void expect_contains(const Disc& disc, const ComplexBall& truth, int i) {
  if (!disc.finite()) return;
  EXPECT_LE(abs(truth - ball(disc.middle())).lower(), disc.radius()) << i;
  EXPECT_LE(abs(truth).lower(), disc.most()) << i;
  EXPECT_GE(abs(truth).upper(), disc.least()) << i;
  EXPECT_LE(truth.real().lower(), disc.real_most()) << i;
}

TEST(Disc, ContainsWhatBallsSay) {
  SeededRandom random(1820);
  const PrecisionScope scope(200);
  const ComplexBall one{Ball(1.0)};
  int told = 0;
  for (int i = 0; i < 3000; ++i) {
    const Known a = random_known(random), b = random_known(random);
    expect_contains(a.disc + b.disc, a.truth + b.truth, i);
    expect_contains(a.disc - b.disc, a.truth - b.truth, i);
    expect_contains(a.disc * b.disc, a.truth * b.truth, i);
    expect_contains(a.disc / b.disc, a.truth / b.truth, i);
    // Differences that cancel, and logarithms next to -1 and next to the cut.
    expect_contains(a.disc - a.disc, ComplexBall(), i);
    const Known x = random_known(random, 1e-8, 30.0), small = random_known(random, 1e-9, 1e-2);
    expect_contains(exp(x.disc), exp(x.truth), i);
    for (const Known& each : {x, Known{small.disc - Disc(1.0), small.truth - one},
                              Known{-x.disc * x.disc, -x.truth * x.truth}}) {
      const Disc found = log1p_minus(each.disc);
      told += found.finite() ? 1 : 0;
      expect_contains(found, log1p_minus(each.truth), i);
    }
  }
  EXPECT_GT(told, 5000);
}

TEST(Disc, IsNarrowWhereNothingIsLost) {
  SeededRandom random(1821);
  for (int i = 0; i < 500; ++i) {
    const Disc a(random_place(random, 1e-6, 1e3), 0.0), b(random_place(random, 1e-6, 1e3), 0.0);
    for (const Disc& each : {a * b, a / b}) EXPECT_LE(each.radius(), 1e-14 * each.most()) << i;
    const Disc x(random_place(random, 1e-9, 0.2), 0.0);
    EXPECT_LE(log1p_minus(x).radius(), 1e-13 * log1p_minus(x).most()) << i;
  }
}

TEST(Disc, TellsNothingWhereNothingIsKnown) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((Disc(1.0) / Disc(0.0)).finite());
  EXPECT_FALSE((Disc(1.0) / Disc(Complex(1.0), 1.0)).finite());
  EXPECT_FALSE((Disc(1.0) / Disc(1e200)).finite());  // its square overflows
  EXPECT_FALSE((Disc(1.0) / Disc(1e-200)).finite());
  EXPECT_FALSE(exp(Disc(-800.0, 700.0)).finite());
  EXPECT_FALSE(exp(Disc(1000.0)).finite());
  EXPECT_FALSE(log1p_minus(Disc(-1.0)).finite());
  EXPECT_FALSE(log1p_minus(Disc(Complex(-3.0, 1e-3), 1e-2)).finite());  // both sides of the cut
  EXPECT_TRUE(log1p_minus(Disc(Complex(-3.0, 1e-2), 1e-3)).finite());
  EXPECT_FALSE((Disc(nan) * Disc(0.0)).finite());
  EXPECT_FALSE((Disc(1.0) / Disc(nan)).finite());
  EXPECT_FALSE(exp(Disc(0.0, nan)).finite());
  EXPECT_FALSE(log1p_minus(Disc(nan)).finite());
  EXPECT_FALSE((Disc(1e200) * Disc(1e200)).finite());
  EXPECT_GE((Disc(1e-200) * Disc(1e-200)).most(), 1e-400L);
}

}  // namespace
}  // namespace modicum::testing::disc_test
