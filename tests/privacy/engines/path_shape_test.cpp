#include "privacy/engines/path_shape.h"

#include <gtest/gtest.h>

#include "privacy/laws/subsampled_law.h"

namespace modicum::testing::path_shape_test {
namespace {

PrivacyLoss sampled_steps(double rate, double deviation, double count) {
  const auto law = subsampled_gaussian_law(Precise::ratio(1.0, deviation), rate);
  return PrivacyLoss::law(law, reversed(law)).repeated(count);
}

// Between the poles of the kernel and the saddle point, also where it is turned a little.
TEST(PathShape, StaysRightOfThePoles) {
  for (const double count : {2.0, 10.0, 100.0})
    for (const double saddle : {0.5, 8.0, 60.0}) {
      const auto shape = leaning_shape(sampled_steps(0.01, 1.0, count).forward(), 0.3, saddle);
      if (!shape) continue;
      EXPECT_GT(shape->center, 0.0);
      EXPECT_LE(shape->center, saddle);
      EXPECT_LT(shape->scale, shape->center);
      EXPECT_GT(shape->step, 0.0);
      EXPECT_LT(shape->step, 0.1);
    }
  EXPECT_TRUE(leaning_shape(sampled_steps(0.01, 1.0, 2.0).forward(), 0.25, 8.6).has_value());
}

TEST(PathShape, IsForMixturesFirst) {
  PrivacyLoss loss = sampled_steps(0.01, 1.0, 2.0);
  EXPECT_FALSE(leaning_shape(loss.reverse(), 0.01, 8.0).has_value());
  loss.compose(PrivacyLoss::laplace(Precise::exactly(0.1)));
  EXPECT_FALSE(leaning_shape(loss.forward(), 0.25, 8.0).has_value());
}

// Without a shift the integrand need not fall, and nothing is promised.
TEST(PathShape, IsEmptyWhereTheIntegrandDoesNotFall) {
  EXPECT_FALSE(leaning_shape(sampled_steps(0.01, 1.0, 2.0).forward(), 0.0, 8.0).has_value());
}

}  // namespace
}  // namespace modicum::testing::path_shape_test
