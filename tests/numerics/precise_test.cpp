#include "modicum/numerics/precise.h"

#include <gtest/gtest.h>

#include "numerics/precise_ball.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::precise_test {
namespace {

TEST(Precise, HoldsQuotientsTo32Digits) {
  SeededRandom random(901);
  for (int i = 0; i < 1000; ++i) {
    const PrecisionScope scope(truth_bits);
    const double a = random.sign() * random.log_uniform(1e-150, 1e150),
                 b = random.log_uniform(1e-150, 1e150);
    const Precise quotient = Precise::ratio(a, b);
    const Ball truth = Ball(a) / b;
    EXPECT_TRUE(arb_overlaps(to_ball(quotient).raw(), truth.raw())) << a << '/' << b;
    EXPECT_EQ(quotient.high, a / b);
    EXPECT_LE(quotient.radius, std::abs(quotient.high) * 1e-31);
  }
}

TEST(Precise, KeepsExactQuotientsExact) {
  EXPECT_TRUE(Precise::ratio(3.0, 4.0).is_exactly(0.75));
  EXPECT_TRUE(Precise::ratio(0.0, 7.0).is_exactly(0.0));
  EXPECT_FALSE(Precise::ratio(1.0, 3.0).is_exactly(1.0 / 3.0));
}

TEST(Precise, RefusesQuotientsThatAreNoNumbers) {
  EXPECT_THROW(Precise::ratio(1.0, 0.0), InvalidParameter);
  EXPECT_THROW(Precise::ratio(0.0, 0.0), InvalidParameter);
  EXPECT_THROW(Precise::ratio(1e300, 1e-300), InvalidParameter);
  for (const double bad : not_finite) {
    EXPECT_THROW(Precise::ratio(bad, 1.0), InvalidParameter);
    EXPECT_THROW(Precise::ratio(1.0, bad), InvalidParameter);
  }
}

TEST(Precise, RoundTripsThroughBalls) {
  SeededRandom random(902);
  for (int i = 0; i < 1000; ++i) {
    const PrecisionScope scope(160);
    const Ball value = exp(Ball(random.uniform(-300.0, 300.0)));
    const Precise precise = to_precise("value", value);
    EXPECT_TRUE(arb_contains(to_ball(precise).raw(), value.raw()));
    EXPECT_LE(std::abs(precise.low), std::abs(precise.high) * 0x1p-52);
  }
}

TEST(Precise, CoversTheRadiusOfABall) {
  const PrecisionScope scope(160);
  const Ball wide = Ball::between(0.1, 0.7);
  const Ball back = to_ball(to_precise("value", wide));
  EXPECT_TRUE(arb_contains(back.raw(), wide.raw()));
}

TEST(Precise, AddsItsPartsWithoutRounding) {
  const PrecisionScope scope(64);  // a low precision must not spoil the exact sum
  const Ball value = to_ball({1.0, 0x1p-1000, 0.0});
  EXPECT_TRUE(arb_is_exact(value.raw()));
  EXPECT_EQ((value - 1.0).middle(), 0x1p-1000);
}

TEST(Precise, RefusesBallsBeyondTheDoubleRange) {
  const PrecisionScope scope(160);
  EXPECT_TRUE(refuses("value", [] { return to_precise("value", exp(Ball(1000.0))); }));
  EXPECT_TRUE(refuses("value", [] { return to_precise("value", log(Ball(-1.0))); }));
}

}  // namespace
}  // namespace modicum::testing::precise_test
