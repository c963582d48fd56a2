#include "modicum/numerics/largest_eigenvalue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::largest_eigenvalue_test {
namespace {

double normal_at_most(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Reference values made independently of this code; up to 5 rows also by quadrature of the
// integrals of [DeBruijn1955] on monomials, at 40 digits.
TEST(LargestEigenvalue, HasTheKnownProbabilities) {
  for (const auto& [dimension, x, at_most] :
       {std::tuple{2.0, 0.0, 0.1464466094067262378}, std::tuple{2.0, 3.0, 0.925384661953123289},
        std::tuple{3.0, 2.0, 0.483519778806645175}, std::tuple{3.0, 4.0, 0.956295490798821361},
        std::tuple{5.0, 3.0, 0.405426001867291050}, std::tuple{5.0, 5.0, 0.954372906203487465},
        std::tuple{10.0, 4.0, 0.0590897002364059893}, std::tuple{10.0, 6.0, 0.788738269097634673},
        std::tuple{50.0, 12.0, 0.00897722516342157}}) {
    const ProbabilitySplit split = goe_largest_eigenvalue(dimension, x);
    EXPECT_NEAR(split.at_most.lower(), at_most, 1e-15 * at_most + 1e-17) << dimension;
    EXPECT_NEAR(split.at_most.upper(), at_most, 1e-15 * at_most + 1e-17) << dimension;
  }
}

// The place is a double near the quantile, where the probability moves by 1e-15 of its distance.
TEST(LargestEigenvalue, KeepsItsDigitsFarInTheTail) {
  for (const auto& [dimension, quantile, above] :
       {std::tuple{2.0, 7.34001007340524347, 1e-6}, std::tuple{3.0, 7.82725179713216226, 1e-6},
        std::tuple{5.0, 8.62787475711890204, 1e-6}, std::tuple{10.0, 10.1740887226737538, 1e-6},
        std::tuple{50.0, 16.97056091409416525, 8.465e-6 / 2.0}}) {
    const Enclosure tail = goe_largest_eigenvalue(dimension, quantile).above;
    EXPECT_NEAR(tail.lower() / above, 1.0, 2e-14) << dimension;
    EXPECT_LT(tail.relative_width(), 1e-15);
  }
}

// One row is N(0, 2). Two rows: (x11 + x22)/2 + r with (x11 + x22)/2 ~ N(0, 1) and r^2 = (x11 -
// x22)^2/4 + x12^2 exponential, so that P = Phi(x) - exp(-x^2/4) Phi(x/sqrt 2)/sqrt 2.
TEST(LargestEigenvalue, IsElementaryForOneAndTwoRows) {
  for (const double x : {-4.0, -1.0, 0.0, 0.7, 3.0, 6.0}) {
    const double one = normal_at_most(x / std::sqrt(2.0));
    const double two = normal_at_most(x) - std::exp(-0.25 * x * x) *
                                               normal_at_most(x / std::sqrt(2.0)) / std::sqrt(2.0);
    EXPECT_NEAR(goe_largest_eigenvalue(1.0, x).at_most.upper(), one, 1e-15);
    EXPECT_NEAR(goe_largest_eigenvalue(2.0, x).at_most.upper(), two, 1e-15);
  }
}

// A matrix contains that of one row less, whose largest eigenvalue is no larger.
TEST(LargestEigenvalue, GrowsWithThePlaceAndFallsWithTheDimension) {
  SeededRandom random(812);
  for (int trial = 0; trial < 40; ++trial) {
    const double dimension = std::floor(random.uniform(1.0, 26.0));
    const double edge = 2.0 * std::sqrt(dimension), x = edge + random.uniform(-4.0, 2.0);
    const ProbabilitySplit here = goe_largest_eigenvalue(dimension, x);
    EXPECT_LE(here.at_most.relative_width(), 1e-15);
    EXPECT_LE(here.above.relative_width(), 1e-15);
    EXPECT_NEAR(here.at_most.upper() + here.above.upper(), 1.0, 1e-15);
    EXPECT_LT(here.at_most.upper(), goe_largest_eigenvalue(dimension, x + 0.1).at_most.lower());
    EXPECT_LT(goe_largest_eigenvalue(dimension + 1.0, x).at_most.upper(), here.at_most.lower());
  }
}

TEST(LargestEigenvalue, StaysTrueAtTheExtremes) {
  for (const double dimension : {1.0, 2.0, 7.0, 20.0}) {
    for (const double x : {1e3, 1e300}) {
      const ProbabilitySplit far = goe_largest_eigenvalue(dimension, x);
      EXPECT_EQ(far.at_most.upper(), 1.0);
      EXPECT_GT(far.at_most.lower(), 1.0 - 1e-15);
      EXPECT_EQ(far.above.lower(), 0.0);
      EXPECT_LT(far.above.upper(), 1e-300);
    }
    for (const double x : {-1e3, -1e300}) {
      const ProbabilitySplit far = goe_largest_eigenvalue(dimension, x);
      EXPECT_EQ(far.at_most.lower(), 0.0);
      EXPECT_LT(far.at_most.upper(), 1e-300);
      EXPECT_EQ(far.above.upper(), 1.0);
    }
  }
  EXPECT_NEAR(goe_largest_eigenvalue(20.0, -15.0).above.lower(), 1.0, 1e-15);
}

TEST(LargestEigenvalue, RefusesWhatIsNoSizeOrPlace) {
  for (const double dimension : {0.0, 2.5, 1001.0, -1.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("dimension", [&] { return goe_largest_eigenvalue(dimension, 1.0).above; }));
  for (const double x : not_finite)
    EXPECT_TRUE(refuses("x", [&] { return goe_largest_eigenvalue(3.0, x).above; }));
}

}  // namespace
}  // namespace modicum::testing::largest_eigenvalue_test
