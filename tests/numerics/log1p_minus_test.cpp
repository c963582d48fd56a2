#include "numerics/log1p_minus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numerics/ball.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::log1p_minus_test {
namespace {

// log(1 + x) - x at 2000 bits: what cancels leaves enough.
Ball truth_at(double x) {
  const PrecisionScope scope(2000);
  return log1p(Ball(x)) - x;
}
ComplexBall truth_at(std::complex<double> x) {
  const PrecisionScope scope(2000);
  const ComplexBall z(Ball(x.real()), Ball(x.imag()));
  ComplexBall result;
  acb_log1p(result.raw(), z.raw(), 2000);
  return result - z;
}

double error_of(long double value, const Ball& truth) {
  const PrecisionScope scope(256);
  const double high = static_cast<double>(value), low = static_cast<double>(value - high);
  return (abs(Ball(high) + low - truth) / abs(truth)).upper();
}

std::vector<double> points() {
  SeededRandom random(921);
  std::vector<double> result{
      0.25,         -0.25, std::nextafter(0.25, 1.0), std::nextafter(0.25, 0.0), 1e-300, -1e-150,
      -0.999999999, 1e300};
  for (int i = 0; i < 3000; ++i) {
    result.push_back(random.log_uniform(1e-18, 1e6));
    result.push_back(-random.log_uniform(1e-18, 1.0));
  }
  return result;
}

TEST(Log1pMinus, KeepsItsDigitsInDoubles) {
  for (const double x : points())
    if (x * x > 1e-290) {
      EXPECT_LE(error_of(log1p_minus(x), truth_at(x)), 2e-15) << x;
    }
}

TEST(Log1pMinus, KeepsItsDigitsInLongDoubles) {
  for (const double x : points())
    if (x * x > 1e-270) {
      EXPECT_LE(error_of(log1p_minus(static_cast<long double>(x)), truth_at(x)), 1e-18) << x;
    }
}

TEST(Log1pMinus, IsExactlyZeroAtZero) {
  EXPECT_EQ(log1p_minus(0.0), 0.0);
  EXPECT_EQ(log1p_minus(std::complex<double>(0.0, 0.0)), std::complex<double>(0.0, 0.0));
}

TEST(Log1pMinus, IsNeverPositive) {
  for (const double x : points()) EXPECT_LE(log1p_minus(x), 0.0) << x;
}

TEST(Log1pMinus, KeepsItsDigitsInTheComplexPlane) {
  SeededRandom random(922);
  for (int i = 0; i < 3000; ++i) {
    const double size = random.log_uniform(1e-12, 1e4), angle = random.uniform(-M_PI, M_PI);
    const std::complex<double> x = std::polar(size, angle);
    if (std::abs(1.0 + x) < 1e-3) continue;
    const std::complex<double> value = log1p_minus(x);
    const ComplexBall truth = truth_at(x);
    const PrecisionScope scope(256);
    const ComplexBall error = ComplexBall(Ball(value.real()), Ball(value.imag())) - truth;
    EXPECT_LE((abs(error) / abs(truth)).upper(), 1e-14) << x;
  }
}

TEST(Log1pMinus, InBallsHoldsTheTruthAndKeepsTheirPrecision) {
  for (const double x : points()) {
    const PrecisionScope scope(128);
    const Ball value = log1p_minus(Ball(x)), truth = truth_at(x);
    EXPECT_TRUE(arb_overlaps(value.raw(), truth.raw())) << x;
    EXPECT_GE(arb_rel_accuracy_bits(value.raw()), 100) << x;
  }
}

TEST(Log1pMinus, InComplexBallsHoldsTheTruthAndKeepsTheirPrecision) {
  SeededRandom random(923);
  for (int i = 0; i < 2000; ++i) {
    const std::complex<double> x =
        std::polar(random.log_uniform(1e-15, 1e4), random.uniform(-3.1, 3.1));
    const PrecisionScope scope(128);
    const ComplexBall value = log1p_minus(ComplexBall(Ball(x.real()), Ball(x.imag())));
    EXPECT_TRUE(acb_overlaps(value.raw(), truth_at(x).raw())) << x;
    EXPECT_GE(acb_rel_accuracy_bits(value.raw()), 90) << x;
  }
}

// A ball with a radius must give a ball that holds the values at all of its points.
TEST(Log1pMinus, HoldsTheValuesOfAWholeBall) {
  SeededRandom random(924);
  for (int i = 0; i < 500; ++i) {
    const PrecisionScope scope(128);
    const double x = random.sign() * random.log_uniform(1e-6, 0.9),
                 radius = std::abs(x) * random.log_uniform(1e-12, 0.05);
    const Ball value = log1p_minus(Ball(x).widened(radius));
    for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0})
      EXPECT_TRUE(arb_overlaps(value.raw(), truth_at(x + share * radius).raw()));
  }
}

}  // namespace
}  // namespace modicum::testing::log1p_minus_test
