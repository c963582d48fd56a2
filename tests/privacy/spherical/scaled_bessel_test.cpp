#include "privacy/spherical/scaled_bessel.h"

#include <acb_hypgeom.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_random.h"

namespace modicum::testing::scaled_bessel_test {
namespace {

// By Arb's hypergeometric series, with digits for all that cancels.
ComplexBall by_series(double order, const ComplexBall& w) {
  ComplexBall result, nu{Ball(order)};
  acb_hypgeom_bessel_k_scaled(result.raw(), nu.raw(), w.raw(), 700);
  return result;
}

bool overlap(const ComplexBall& a, const ComplexBall& b) {
  return acb_overlaps(a.raw(), b.raw()) != 0;
}

TEST(ScaledBessel, HoldsTheSeriesOffTheNegativeAxis) {
  SeededRandom random(4401);
  const PrecisionScope scope(96);
  for (int i = 0; i < 80; ++i) {
    const double order = 0.5 * random.whole(0, 9), size = random.log_uniform(2.0, 1e4);
    const double angle = random.sign() * random.uniform(0.0, 2.5);
    const ComplexBall w(Ball(size * std::cos(angle)), Ball(size * std::sin(angle)));
    SCOPED_TRACE(::testing::Message() << order << ' ' << size << ' ' << angle);
    const ScaledBessel found = scaled_bessel_k(order, w);
    EXPECT_TRUE(overlap(found.of_order, by_series(order, w)));
    EXPECT_TRUE(overlap(found.of_next, by_series(order + 1.0, w)));
    EXPECT_GT(acb_rel_accuracy_bits(found.of_order.raw()), 70);
    EXPECT_GT(acb_rel_accuracy_bits(found.of_next.raw()), 70);
  }
}

TEST(ScaledBessel, IsElementaryForHalves) {
  const PrecisionScope scope(96);
  const ComplexBall w(Ball(0.3), Ball(-0.2));
  const ScaledBessel found = scaled_bessel_k(1.5, w);
  EXPECT_TRUE(overlap(found.of_order, by_series(1.5, w)));
  EXPECT_GT(acb_rel_accuracy_bits(found.of_next.raw()), 80);
}

TEST(ScaledBessel, IsWideOrUnknownWhereItsRuleFailsAndNeverWrong) {
  const PrecisionScope scope(96);
  for (const double size : {1e-3, 0.1, 1.0})
    for (const double angle : {0.0, 1.5, 3.0, 3.14}) {
      const ComplexBall w(Ball(size * std::cos(angle)), Ball(size * std::sin(angle)));
      const ScaledBessel found = scaled_bessel_k(0.0, w);
      EXPECT_TRUE(!found.of_order.finite() || overlap(found.of_order, by_series(0.0, w)));
      EXPECT_TRUE(!found.of_next.finite() || overlap(found.of_next, by_series(1.0, w)));
    }
}

}  // namespace
}  // namespace modicum::testing::scaled_bessel_test
