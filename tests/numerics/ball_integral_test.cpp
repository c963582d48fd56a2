#include "numerics/ball_integral.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/truth.h"

namespace modicum::testing::ball_integral_test {
namespace {

void expect_close(const Ball& value, const Ball& truth) {
  EXPECT_TRUE(arb_overlaps(value.raw(), truth.raw())) << ::testing::PrintToString(value);
  EXPECT_LE((value - truth).upper() - (value - truth).lower(), 1e-15);
}

TEST(BallIntegral, EnclosesKnownIntegrals) {
  const PrecisionScope scope(96);
  expect_close(integrate([](const ComplexBall& z, bool) { return exp(z); }, 0.0, 1.0).real(),
               expm1(Ball(1.0)));
  // With poles at i and -i: the integral of 1/(1 + x^2) over [-1, 1] is pi/2.
  const auto bell = [](const ComplexBall& z, bool) {
    const ComplexBall one(Ball(1.0));
    return one / (one + z * z);
  };
  expect_close(integrate(bell, -1.0, 1.0).real(), Ball::pi() / 2.0);
  expect_close(integrate(bell, 0.25, 0.25).real(), Ball(0.0));
}

TEST(BallIntegral, TakesEndsThatAreNoDoubles) {
  const PrecisionScope scope(96);
  const ComplexBall sum =
      integrate([](const ComplexBall& z, bool) { return z; }, 0.0, sqrt(Ball(2.0)));
  expect_close(sum.real(), Ball(1.0));
}

TEST(BallIntegral, HandsOnWhatTheFunctionThrows) {
  int calls = 0;
  const auto refuse = [&](const ComplexBall&, bool) -> ComplexBall {
    ++calls;
    throw std::runtime_error("no value");
  };
  EXPECT_THROW(integrate(refuse, 0.0, 1.0), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

// The branch cut of x^(1/2) runs through 0: where the function must be analytic nothing is said.
TEST(Power, IsNotFiniteOnABranchCutWhereItMustBeAnalytic) {
  const PrecisionScope scope(96);
  const ComplexBall half(Ball(0.5)), around_zero(Ball::between(-1.0, 1.0));
  EXPECT_FALSE(power(around_zero, half, true).finite());
  EXPECT_TRUE(power(around_zero, half, false).finite());
  expect_close(power(ComplexBall(Ball(2.0)), half, true).real(), sqrt(Ball(2.0)));
}

}  // namespace
}  // namespace modicum::testing::ball_integral_test
