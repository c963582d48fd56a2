// The tail of one coordinate of a point on the sphere, against the incomplete beta function.
#include "numerics/symmetric_beta.h"

#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::symmetric_beta_test {
namespace {

Ball log_scale(double dimension) {
  const Ball half = Ball(dimension) / 2.0;
  Ball above, below;
  arb_lgamma(above.raw(), (half - 0.5).raw(), truth_bits);
  arb_lgamma(below.raw(), half.raw(), truth_bits);
  return log(Ball::pi()) / 2.0 + above - below;
}

Ball true_tail(double dimension, double w) {
  const Ball a = (Ball(dimension) - 1.0) / 2.0, x = (Ball(1.0) - w) / 2.0;
  Ball result;
  arb_hypgeom_beta_lower(result.raw(), a.raw(), a.raw(), x.raw(), 1, truth_bits);
  return result;
}

TEST(SymmetricBetaTail, AgreesWithTheIncompleteBetaFunction) {
  const PrecisionScope scope(truth_bits);
  SeededRandom random(511);
  for (const double dimension : {2.0, 3.0, 4.0, 5.0, 10.0, 31.0, 100.0, 1000.0, 1e4, 1e6}) {
    const SymmetricBetaTail tail(dimension, log_scale(dimension).middle());
    for (int i = 0; i < 20; ++i) {
      const double w = random.sign() * std::min(1.0 - random.log_uniform(1e-9, 1.0),
                                                30.0 * random.unit() / std::sqrt(dimension));
      const double truth = log(true_tail(dimension, w)).middle();
      EXPECT_NEAR(tail.log_upper(w), truth, 2e-15 * std::abs(truth) + 2e-14)
          << dimension << " " << w;
    }
    EXPECT_EQ(tail.log_upper(1.0), -HUGE_VAL);
    EXPECT_EQ(tail.log_upper(-1.0), 0.0);
  }
}

TEST(SymmetricBetaMills, EnclosesTheIncompleteBetaFunction) {
  const PrecisionScope scope(truth_bits);
  SeededRandom random(512);
  for (const double dimension : {2.0, 3.0, 4.0, 10.0, 101.0, 1e4, 1e6})
    for (int i = 0; i < 20; ++i) {
      const double w = std::min(1.0 - random.log_uniform(1e-9, 1.0),
                                10.0 * random.unit() / std::sqrt(dimension));
      const Ball mills = symmetric_beta_mills(dimension, w);
      const Ball square = (Ball(1.0) - w) * (Ball(w) + 1.0);
      const Ball truth = true_tail(dimension, w) *
                         exp(log_scale(dimension) - log(square) * (Ball(dimension) - 1.0) / 2.0);
      EXPECT_TRUE(arb_overlaps(mills.raw(), truth.raw())) << dimension << " " << w;
      EXPECT_LT(mills.enclosure().relative_width(), 2e-14);
    }
}

}  // namespace
}  // namespace modicum::testing::symmetric_beta_test
