#include "privacy/laws/turning_sum.h"

#include <gtest/gtest.h>

#include "support/seeded_random.h"

namespace modicum::testing::turning_sum_test {
namespace {

// Term by term, at twice the precision.
ComplexBall directly(const std::vector<Ball>& losses, const std::vector<Ball>& weights,
                     const Ball& y) {
  const PrecisionScope scope(256);
  ComplexBall sum;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    ComplexBall turn;
    arb_sin_cos(acb_imagref(turn.raw()), acb_realref(turn.raw()), (losses[i] * y).raw(), 256);
    sum += turn * weights[i];
  }
  return sum;
}

// Upwards, downwards, in equal and in unequal steps, over several lengths of the long step.
TEST(TurningSum, HoldsTheSumOfItsTerms) {
  SeededRandom random(71);
  for (int trial = 0; trial < 6; ++trial) {
    const PrecisionScope scope(96);
    std::vector<Ball> losses, weights;
    const double spread = random.log_uniform(1e-6, 3.0);
    for (int i = random.whole(1, 90); i > 0; --i) {
      losses.push_back(Ball(random.uniform(-1.0, 2.0) * spread + 0.7));
      weights.push_back(Ball(random.log_uniform(1e-30, 5.0)));
    }
    TurningSum sum(losses, weights);
    const double step = random.sign() * random.log_uniform(1e-3, 1.0) / spread;
    double y = step > 0.0 ? 0.0 : -200.0 * step;
    for (int k = 0; k < 200; ++k, y += step) {
      if (k == 130) y += 0.3 * step;
      const ComplexBall found = sum.at(Ball(y)), exact = directly(losses, weights, Ball(y));
      ASSERT_TRUE(acb_overlaps(found.raw(), exact.raw())) << trial << ", " << k;
      const double size = sum.total().upper();
      ASSERT_LT(found.real().upper() - found.real().lower(), 1e-13 * size) << trial << ", " << k;
    }
  }
}

// What is wrong is relative to |y l|: 64 turns of 20 units, 7e-21.
TEST(TurningSum, IsSharpNearZero) {
  const PrecisionScope scope(96);
  const std::vector<Ball> losses{Ball(-1e-4), Ball(0.0), Ball(2e-4)}, weights(3, Ball(0.3));
  TurningSum sum(losses, weights);
  for (int k = 0; k < 100; ++k) {
    const Ball real = sum.at(Ball(0.01 * k)).real();
    EXPECT_LT(mag_get_d(arb_radref(real.raw())), 1e-20);
  }
}

TEST(TurningSum, TakesUncertainWeightsForWhatTheyAre) {
  const PrecisionScope scope(96);
  const std::vector<Ball> losses{Ball(0.5), Ball(-0.5)};
  const std::vector<Ball> weights{Ball::between(0.2, 0.3), Ball(0.5)};
  TurningSum sum(losses, weights);
  for (const double y : {0.0, 1.0, 2.0})
    for (const double weight : {0.2, 0.25, 0.3}) {
      const ComplexBall exact = directly(losses, {Ball(weight), Ball(0.5)}, Ball(y));
      EXPECT_TRUE(acb_contains(sum.at(Ball(y)).raw(), exact.midpoint().raw())) << y << weight;
    }
}

// Moments of high order are beyond doubles.
TEST(TurningSum, HasNoLargestTotal) {
  const PrecisionScope scope(96);
  const std::vector<Ball> losses{Ball(0.5), Ball(-0.5)}, weights{exp(Ball(5000.0)), Ball(1.0)};
  TurningSum sum(losses, weights);
  ASSERT_FALSE(sum.empty());
  const Ball ratio = sum.at(Ball(0.0)).real() / exp(Ball(5000.0));
  EXPECT_NEAR(ratio.middle(), 1.0, 1e-15);
}

}  // namespace
}  // namespace modicum::testing::turning_sum_test
