#include "numerics/scaled_normal_tail.h"

#include <acb_hypgeom.h>
#include <gtest/gtest.h>

#include "support/seeded_random.h"

namespace modicum::testing::scaled_normal_tail_test {
namespace {

using Complex = std::complex<double>;

// The second route: Arb's erfc, with as many bits as the exponents cancel.
ComplexBall truth_at(const ComplexBall& v, double size) {
  const PrecisionScope scope(256 + static_cast<long>(1.5 * std::min(size * size, 1e6)));
  ComplexBall result = v * (Ball(1.0) / sqrt(Ball(2.0)));
  acb_hypgeom_erfc(result.raw(), result.raw(), PrecisionScope::bits());
  return result * exp(v * v * Ball(0.5)) * Ball(0.5);
}
ComplexBall ball(Complex z) { return {Ball(z.real()), Ball(z.imag())}; }

void expect_true_and_sharp(Complex v, double wide) {
  const ComplexBall truth = truth_at(ball(v), std::abs(v));
  const Disc found = scaled_normal_tail(Disc(v, 0.0));
  EXPECT_LE(abs(truth - ball(found.middle())).upper(), found.radius()) << v;
  EXPECT_LE(found.radius(), wide * abs(truth).lower()) << v;
}

TEST(ScaledNormalTail, ContainsTheErrorFunctionOfBalls) {
  SeededRandom random(91);
  for (int i = 0; i < 800; ++i) {
    const Complex v(random.log_uniform(1e-6, 60.0), 30.0 * (2.0 * random.unit() - 1.0));
    expect_true_and_sharp(v, 1e-13);
  }
}

// Next to the imaginary axis, at nodes of the rule and between them, and about the place where the
// poles leave the strip.
TEST(ScaledNormalTail, ContainsItWhereThePolesLieAmongTheNodes) {
  for (int k = 0; k <= 80; ++k)
    for (const double off : {0.0, 1e-9, -1e-3, 0.25, 0.26})
      for (const double x : {0.0, 1e-300, 1e-8, 0.3, 9.3, 9.31, 9.8, 9.81, 10.3, 10.308, 10.31})
        expect_true_and_sharp({x, 0.640625 * (0.5 * k + off)}, 1e-13);
}

TEST(ScaledNormalTail, FarOutItIsTheFirstTermsOfItsSeries) {
  for (const double size : {61.0, 1e3, 1e6, 1e12, 1e60})
    for (const double angle : {0.0, 0.7, 1.5, M_PI / 2.0, -1.2}) {
      const Complex v(std::max(0.0, size * std::cos(angle)), size * std::sin(angle));
      const Complex first = 1.0 / (std::sqrt(2.0 * M_PI) * v),
                    found = scaled_normal_tail(Disc(v, 0.0)).middle();
      EXPECT_LE(std::abs(found / first - (1.0 - 1.0 / (v * v))), 4.0 / std::pow(size, 4.0) + 1e-14)
          << v;
    }
}

TEST(ScaledNormalTail, KnowsWhatTheEdgeOfADiscMayChange) {
  SeededRandom random(92);
  for (int i = 0; i < 500; ++i) {
    const Complex v(random.log_uniform(1e-3, 40.0), 20.0 * (2.0 * random.unit() - 1.0));
    const double radius = std::min(v.real(), random.log_uniform(1e-14, 0x1p-10));
    const Complex off = std::polar(0.999999 * radius, 6.3 * random.unit());
    const Disc found = scaled_normal_tail(Disc(v, radius));
    const ComplexBall truth = truth_at(ball(v) + ball(off), std::abs(v));
    EXPECT_LE(abs(truth - ball(found.middle())).upper(), found.radius()) << v;
  }
}

TEST(ScaledNormalTail, TellsNothingOfTheLeftHalfPlaneAndOfNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Complex v : {Complex(-1e-3, 2.0), Complex(nan, 0.0), Complex(1.0, nan)})
    EXPECT_FALSE(scaled_normal_tail(Disc(v, 0.0)).finite());
  EXPECT_FALSE(scaled_normal_tail(Disc(1.0, 0.1)).finite());
  EXPECT_FALSE(scaled_normal_tail(Disc(1.0, nan)).finite());
}

}  // namespace
}  // namespace modicum::testing::scaled_normal_tail_test
