#include "privacy/laws/atomic_moment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "support/closed_forms.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::atomic_moment_test {
namespace {

using Moments = std::vector<std::unique_ptr<AtomicMoment>>;

Moments moments(double size, double count) {
  Moments result;
  result.push_back(std::make_unique<TwoPointMoment>(TwoPointPart{Precise::exactly(size), count}));
  result.push_back(std::make_unique<LaplaceMoment>(LaplacePart{Precise::exactly(size), count}));
  return result;
}

TEST(TwoPointMoment, IsThatOfItsTwoPoints) {
  for (const double e : {0.01, 1.0, 20.0})
    for (const double x : {-3.0, -1.0, -0.5, 0.0, 0.7, 4.0}) {
      const double likely = 1.0 / (1.0 + std::exp(-e)), unlikely = 1.0 / (1.0 + std::exp(e));
      const double truth = std::log(likely * std::exp(x * e) + unlikely * std::exp(-x * e));
      const TwoPointMoment moment({Precise::exactly(e), 3.0});
      EXPECT_NEAR(moment.value(Ball(x)).middle(), 3.0 * truth, 1e-12 * (1.0 + std::abs(truth)));
    }
}

// Noise at 0 under X: L = a for t <= 0, a - 2t up to t = a, -a beyond.
TEST(LaplaceMoment, IsThatOfItsLaw) {
  for (const double a : {0.1, 1.0, 6.0})
    for (const double x : {-2.5, -0.5, 0.0, 0.3, 2.0}) {
      const auto between = [&](long double t) { return std::exp(x * (a - 2 * t) - t) / 2; };
      const long double truth =
          std::log(0.5L * std::exp(x * a) + detail::tanh_sinh(between, 0.0L, a) +
                   0.5L * std::exp(-a - x * a));
      const LaplaceMoment moment({Precise::exactly(a), 2.0});
      EXPECT_NEAR(moment.value(Ball(x)).middle(), 2.0 * static_cast<double>(truth), 1e-12);
    }
}

TEST(AtomicMoments, AgreeInEveryArithmetic) {
  const PrecisionScope scope(128);
  for (const double size : {0.05, 1.0, 8.0})
    for (const auto& moment : moments(size, 5.0))
      for (const double x : {-2.0, -0.4, 0.25, 3.0}) {
        const Ball value = moment->value(Ball(x));
        EXPECT_NEAR(static_cast<double>(moment->jet(x).value), value.middle(), 1e-13);
        for (const double y : {0.0, 0.3, 11.0}) {
          const std::complex<double> k = moment->at({x, y}).value;
          const ComplexBall exact = moment->moment(ComplexBall(Ball(x), Ball(y)));
          const std::complex<double> found = std::exp(k);
          EXPECT_NEAR(found.real(), exact.real().middle(), 1e-11 * std::exp(value.middle()));
          EXPECT_NEAR(found.imag(), exact.imaginary().middle(), 1e-11 * std::exp(value.middle()));
        }
      }
}

// Sizes and places of many scales: a loss of 1e5 beside a z of 1e-6 leaves nothing to cancel.
TEST(AtomicMoments, AreWithinTheirRoundingOverManyScales) {
  const PrecisionScope scope(256);
  SeededRandom random(301);
  for (int i = 0; i < 400; ++i) {
    const double size = random.log_uniform(1e-4, 1e5), count = random.whole(1, 100);
    const double x = random.log_uniform(1e-7, 1e2) / std::max(1.0, 1e-3 * size);
    const double y = random.log_uniform(1e-7, 1e2) / std::max(1.0, 1e-3 * size);
    for (const auto& moment : moments(size, count)) {
      const LogMomentValue found = moment->at({x, y});
      const ComplexBall exact = moment->moment(ComplexBall(Ball(x), Ball(y)));
      ComplexBall ratio = exp(ComplexBall(Ball(found.value.real()), Ball(found.value.imag())));
      ratio = ratio / exact - ComplexBall(Ball(1.0));
      EXPECT_LE(abs(ratio).upper(), 1.1 * found.rounding * ulp) << size << " " << x << " " << y;
      const Jet jet = moment->jet(x);
      const Ball error = Ball(static_cast<double>(jet.value)) - moment->value(Ball(x));
      EXPECT_LE(abs(error).upper(), static_cast<double>(jet.magnitude) * 0x1p-62 +
                                        std::abs(static_cast<double>(jet.value)) * 0x1p-52);
    }
  }
}

TEST(AtomicMoments, HaveTheDerivativesOfTheirValues) {
  for (const double size : {0.05, 1.0, 8.0})
    for (const auto& moment : moments(size, 5.0))
      for (const long double x : {-2.0L, -0.5L, -0.4999L, 0.25L, 3.0L}) {
        const long double h = 1e-5L;
        const Jet here = moment->jet(x), before = moment->jet(x - h), after = moment->jet(x + h);
        const auto scale = static_cast<double>(1 + std::abs(here.first) + here.second);
        EXPECT_NEAR(static_cast<double>((after.value - before.value) / (2 * h)),
                    static_cast<double>(here.first), 1e-7 * scale);
        EXPECT_NEAR(static_cast<double>((after.first - before.first) / (2 * h)),
                    static_cast<double>(here.second), 1e-7 * scale);
      }
}

TEST(AtomicMoments, AreSymmetricAndVanishAtZeroAndMinusOne) {
  const PrecisionScope scope(128);
  for (const auto& moment : moments(1.5, 7.0)) {
    EXPECT_TRUE(moment->value(Ball(0.0)).contains_zero());
    EXPECT_TRUE(moment->value(Ball(-1.0)).contains_zero());
    EXPECT_TRUE((moment->value(Ball(2.0)) - moment->value(Ball(-3.0))).contains_zero());
  }
}

TEST(AtomicMoments, StayBelowTheirBoundFurtherUp) {
  const PrecisionScope scope(128);
  for (const double size : {0.2, 1.0, 8.0})
    for (const auto& moment : moments(size, 2.0))
      for (const double x : {0.1, 2.0})
        for (const double height : {0.1, 1.0, 5.0}) {
          const double bound = moment->far_bound(Ball(x), Ball(height)).upper();
          for (double y = height; y < 40.0; y += 0.37)
            EXPECT_LE(moment->at({x, y}).value.real(), bound + 1e-12);
        }
}

}  // namespace
}  // namespace modicum::testing::atomic_moment_test
