#include "privacy/engines/step.h"

#include <gtest/gtest.h>

#include <cmath>

namespace modicum::testing::step_test {
namespace {

TEST(Step, IsUndecidedOnlyWhereTheBallIs) {
  EXPECT_EQ(step(Ball(0.5)).middle(), 1.0);
  EXPECT_TRUE(step(Ball(0.0)).exactly_zero());
  EXPECT_TRUE(step(Ball(-0.5)).exactly_zero());
  const Ball either = step(Ball::between(-1.0, 1.0));
  EXPECT_LE(either.lower(), 0.0);
  EXPECT_GE(either.upper(), 1.0);
}

// L = 0: it exceeds a shift below 0, and no other.
TEST(PointQuantity, IsThatOfALossOfZero) {
  const auto at = [](double shift, Kernel kernel) {
    return point_quantity(Ball(shift), kernel).middle();
  };
  EXPECT_NEAR(at(-0.5, Kernel::profile), -std::expm1(-0.5), 1e-15);
  EXPECT_EQ(at(-0.5, Kernel::upper_tail), 1.0);
  EXPECT_EQ(at(-0.5, Kernel::lower_tail), 0.0);
  EXPECT_NEAR(at(-0.5, Kernel::tilted_upper), std::exp(-0.5), 1e-15);
  EXPECT_EQ(at(-0.5, Kernel::tilted_lower), 0.0);
  for (const double shift : {0.0, 0.5}) {
    EXPECT_EQ(at(shift, Kernel::profile), 0.0);
    EXPECT_EQ(at(shift, Kernel::upper_tail), 0.0);
    EXPECT_EQ(at(shift, Kernel::lower_tail), 1.0);
    EXPECT_EQ(at(shift, Kernel::tilted_upper), 0.0);
    EXPECT_NEAR(at(shift, Kernel::tilted_lower), std::exp(shift), 1e-15);
  }
}

}  // namespace
}  // namespace modicum::testing::step_test
