#include "numerics/ball.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "modicum/numerics/errors.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::ball_test {
namespace {

TEST(PrecisionScope, EndsWithItsBlock) {
  const long before = PrecisionScope::bits();
  {
    const PrecisionScope outer(200);
    EXPECT_EQ(PrecisionScope::bits(), 200);
    {
      const PrecisionScope inner(1000);
      EXPECT_EQ(PrecisionScope::bits(), 1000);
    }
    EXPECT_EQ(PrecisionScope::bits(), 200);
  }
  EXPECT_EQ(PrecisionScope::bits(), before);
}

TEST(Ball, IsExactFromADouble) {
  EXPECT_TRUE(arb_is_exact(Ball(0.1).raw()));
  EXPECT_EQ(Ball(0.1).lower(), 0.1);
  EXPECT_EQ(Ball(0.1).upper(), 0.1);
}

TEST(Ball, RoundsItsEndsOutwards) {
  const PrecisionScope scope(200);
  const Ball third = Ball(1.0) / 3.0;
  EXPECT_LT(third.lower(), third.upper());
  EXPECT_EQ(std::nextafter(third.lower(), 1.0), third.upper());
  EXPECT_TRUE(surely_less(Ball(third.lower()), third));
  EXPECT_TRUE(surely_less(third, Ball(third.upper())));
}

TEST(Ball, SurvivesTheEndsOfTheDoubleRange) {
  const PrecisionScope scope(128);
  const Ball tiny = exp(Ball(-1e5)), huge = exp(Ball(1e5));
  EXPECT_EQ(tiny.lower(), 0.0);
  EXPECT_GT(tiny.upper(), 0.0);
  EXPECT_LE(tiny.upper(), 5e-324);
  EXPECT_GE(huge.upper(), HUGE_VAL);
  EXPECT_GE(huge.lower(), 1e308);
  EXPECT_TRUE(huge.finite());
}

TEST(Ball, BetweenHoldsBothEnds) {
  SeededRandom random(911);
  for (int i = 0; i < 1000; ++i) {
    const double a = random.sign() * random.log_uniform(1e-300, 1e300),
                 b = random.sign() * random.log_uniform(1e-300, 1e300);
    const Ball ball = Ball::between(std::min(a, b), std::max(a, b));
    EXPECT_TRUE(arb_contains(ball.raw(), Ball(a).raw()));
    EXPECT_TRUE(arb_contains(ball.raw(), Ball(b).raw()));
  }
}

// Arb itself would end the program.
TEST(Ball, BetweenRefusesEndsInTheWrongOrderAndNaN) {
  EXPECT_THROW(Ball::between(1.0, std::nextafter(1.0, 0.0)), InvalidParameter);
  EXPECT_THROW(Ball::between(HUGE_VAL, -HUGE_VAL), InvalidParameter);
  EXPECT_THROW(Ball::between(std::nan(""), 1.0), InvalidParameter);
  EXPECT_THROW(Ball::between(0.0, std::nan("")), InvalidParameter);
  EXPECT_FALSE(Ball::between(0.0, HUGE_VAL).finite());
}

TEST(Ball, WidensOnBothSides) {
  const Ball wide = Ball(1.0).widened(0.25);
  EXPECT_LE(wide.lower(), 0.75);
  EXPECT_GE(wide.upper(), 1.25);
  // A ball as radius counts with its upper end, and its sign does not matter.
  const Ball wider = Ball(1.0).widened(Ball::between(-0.5, 0.25));
  EXPECT_LE(wider.lower(), 0.5);
  EXPECT_GE(wider.upper(), 1.5);
}

TEST(Ball, ComparesOnlyWhatIsSure) {
  const Ball unsure = Ball::between(-1.0, 1.0);
  EXPECT_FALSE(unsure.surely_positive());
  EXPECT_FALSE(unsure.surely_negative());
  EXPECT_FALSE(unsure.surely_nonpositive());
  EXPECT_TRUE(unsure.contains_zero());
  EXPECT_TRUE(Ball(0.0).surely_nonpositive());
  EXPECT_FALSE(Ball(0.0).surely_positive());
  EXPECT_TRUE(Ball(0.0).exactly_zero());
}

TEST(Ball, FunctionsHoldTheirValues) {
  SeededRandom random(912);
  for (int i = 0; i < 500; ++i) {
    const PrecisionScope scope(128);
    const double x = random.sign() * random.log_uniform(1e-10, 20.0);
    const auto near = [&](const Ball& ball, long double value) {
      return std::abs(ball.middle() - static_cast<double>(value)) <=
             4e-16 * std::abs(static_cast<double>(value));
    };
    const long double y = x;
    EXPECT_TRUE(near(exp(Ball(x)), std::exp(y)));
    EXPECT_TRUE(near(expm1(Ball(x)), std::expm1(y)));
    EXPECT_TRUE(near(log(Ball(std::abs(x))), std::log(std::abs(y))));
    EXPECT_TRUE(near(sqrt(Ball(std::abs(x))), std::sqrt(std::abs(y))));
    EXPECT_TRUE(near(abs(Ball(x)), std::abs(y)));
    EXPECT_TRUE(near(max(Ball(x), 0.5), std::max(y, 0.5L)));
    if (x > -1.0) {
      EXPECT_TRUE(near(log1p(Ball(x)), std::log1p(y)));
    }
    if (x < 5.0) {
      EXPECT_TRUE(near(erfc(Ball(x)), std::erfc(y)));
    }
  }
  EXPECT_NEAR(Ball::pi().middle(), M_PI, 1e-16);
}

TEST(Ball, IsCopiedMovedAndAssigned) {
  Ball a = 1.5;
  Ball b = a;
  b += 1.0;
  EXPECT_EQ(a.middle(), 1.5);
  Ball c = std::move(b);
  EXPECT_EQ(c.middle(), 2.5);
  a = c;
  EXPECT_EQ(a.middle(), 2.5);
  a = *&a;
  EXPECT_EQ(a.middle(), 2.5);
}

TEST(ComplexBall, ComputesLikeComplexNumbers) {
  SeededRandom random(913);
  const PrecisionScope scope(128);
  for (int i = 0; i < 300; ++i) {
    const std::complex<double> x{random.normal(), random.normal()},
        y{random.normal(), random.normal()};
    const ComplexBall a(Ball(x.real()), Ball(x.imag())), b(Ball(y.real()), Ball(y.imag()));
    const auto near = [](const ComplexBall& ball, std::complex<double> value) {
      return std::abs(std::complex<double>{ball.real().middle(), ball.imaginary().middle()} -
                      value) <= 1e-14 * (1.0 + std::abs(value));
    };
    EXPECT_TRUE(near(a + b, x + y));
    EXPECT_TRUE(near(a - b, x - y));
    EXPECT_TRUE(near(a * b, x * y));
    EXPECT_TRUE(near(a / b, x / y));
    EXPECT_TRUE(near(exp(a), std::exp(x)));
    EXPECT_TRUE(near(-a, -x));
    EXPECT_NEAR(abs(a).middle(), std::abs(x), 1e-14);
  }
}

TEST(ComplexBall, WidensInBothParts) {
  const ComplexBall wide = ComplexBall(Ball(1.0), Ball(2.0)).widened(0.5);
  EXPECT_LE(wide.real().lower(), 0.5);
  EXPECT_GE(wide.imaginary().upper(), 2.5);
  EXPECT_FALSE(acb_is_exact(wide.raw()));
  EXPECT_TRUE(acb_is_exact(wide.midpoint().raw()));
  EXPECT_FALSE(ComplexBall::indeterminate().finite());
}

}  // namespace
}  // namespace modicum::testing::ball_test
