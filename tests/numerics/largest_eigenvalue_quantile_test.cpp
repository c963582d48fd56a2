#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "modicum/numerics/largest_eigenvalue.h"
#include "numerics/dense.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::largest_eigenvalue_quantile_test {
namespace {

// Reference values made independently of this code, to more digits than a double has.
TEST(LargestEigenvalueQuantile, IsTheKnownOne) {
  for (const auto& [dimension, upper_tail, quantile] :
       {std::tuple{2.0, 0.5, 1.23195843304747544L}, std::tuple{2.0, 1e-6, 7.34001007340524347L},
        std::tuple{3.0, 0.5, 2.04514988908358270L}, std::tuple{3.0, 1e-6, 7.82725179713216226L},
        std::tuple{5.0, 0.5, 3.23463326034044279L}, std::tuple{5.0, 1e-6, 8.62787475711890204L},
        std::tuple{10.0, 0.5, 5.28027448075890772L}, std::tuple{10.0, 1e-6, 10.1740887226737538L},
        std::tuple{50.0, 8.465e-6 / 2.0, 16.97056091409416525L}}) {
    const Enclosure found = goe_largest_eigenvalue_quantile(dimension, upper_tail);
    // The doubles 1e-6 and 8.465e-6 are off by 1e-16 of themselves, the quantile by less.
    EXPECT_LE(static_cast<long double>(found.lower()), quantile * (1.0L + 1e-16L)) << dimension;
    EXPECT_GE(static_cast<long double>(found.upper()), quantile * (1.0L - 1e-16L)) << dimension;
    EXPECT_LT(found.relative_width(), 2e-15);
  }
}

// One row is N(0, 2): a normal quantile, here Newton's method on erfc in long double.
TEST(LargestEigenvalueQuantile, IsNormalForOneRow) {
  for (const double upper_tail : {1e-290, 1e-100, 1e-12, 1e-6, 0.01, 0.3, 0.9, 0.999999}) {
    const Enclosure found = goe_largest_eigenvalue_quantile(1.0, upper_tail);
    long double x = found.upper();
    for (int step = 0; step < 5; ++step) {
      const long double excess = 0.5L * std::erfc(x / 2.0L) - upper_tail;
      x += excess * 2.0L * std::sqrt(static_cast<long double>(M_PIl)) * std::exp(0.25L * x * x);
    }
    EXPECT_NEAR(found.lower(), static_cast<double>(x), 2e-15 * std::abs(found.lower()));
    EXPECT_NEAR(found.upper(), static_cast<double>(x), 2e-15 * std::abs(found.upper()));
  }
}

// The proved ends lie on both sides, whatever the search did.
TEST(LargestEigenvalueQuantile, InvertsTheProbabilityOnRandomInputs) {
  SeededRandom random(4711);
  for (int trial = 0; trial < 60; ++trial) {
    const double dimension = random.whole(1, 30);
    double upper_tail = random.log_uniform(1e-290, 1.0);
    if (trial % 2 == 0) upper_tail = random.uniform(0.0, 1.0);
    if (trial % 5 == 0) upper_tail = 1.0 - random.log_uniform(1e-15, 1e-3);
    const Enclosure found = goe_largest_eigenvalue_quantile(dimension, upper_tail);
    const ProbabilitySplit low = goe_largest_eigenvalue(dimension, found.lower());
    const ProbabilitySplit high = goe_largest_eigenvalue(dimension, found.upper());
    EXPECT_GE(low.above.upper(), upper_tail);
    EXPECT_LE(high.above.lower(), upper_tail);
    EXPECT_LE(low.at_most.lower(), 1.0 - upper_tail);
    EXPECT_GE(high.at_most.upper(), 1.0 - upper_tail);
    EXPECT_LT(found.upper() - found.lower(), 1e-14 * std::max(1.0, std::abs(found.upper())))
        << dimension << " " << upper_tail;
  }
}

TEST(LargestEigenvalueQuantile, StaysNarrowForManyRows) {
  for (const double upper_tail : {0.5, 1e-12}) {
    const Enclosure found = goe_largest_eigenvalue_quantile(150.0, upper_tail);
    EXPECT_LT(found.relative_width(), 1e-14);
    EXPECT_GT(found.lower(), goe_largest_eigenvalue_quantile(100.0, upper_tail).upper());
  }
}

// The tridiagonal matrix with N(0, 2) on the diagonal and chi of d-1, .., 1 degrees beside it has
// the same eigenvalues [DumitriuEdelman2002].
double draw_largest_eigenvalue(int dimension, SeededRandom& random) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(dimension, dimension);
  for (int i = 0; i < dimension; ++i) matrix(i, i) = std::sqrt(2.0) * random.normal();
  for (int i = 0; i + 1 < dimension; ++i) {
    double square = 0.0;
    for (int degree = i + 1; degree < dimension; ++degree) square += std::pow(random.normal(), 2.0);
    matrix(i + 1, i) = std::sqrt(square);
  }
  return symmetric_eigenvalues(matrix).maxCoeff();
}

// Over 4000 draws the number above has a deviation of at most sqrt(4000 u), and by Bernstein's
// inequality is off by 7 of them + 14 with probability below 1e-9 each.
TEST(LargestEigenvalueQuantile, AgreesWithDraws) {
  SeededRandom random(99);
  const int draws = 4000;
  for (const int dimension : {2, 7, 24}) {
    const double tails[] = {0.9, 0.5, 0.1, 0.01};
    std::vector<double> quantiles;
    for (const double tail : tails)
      quantiles.push_back(goe_largest_eigenvalue_quantile(dimension, tail).upper());
    int above[4] = {0, 0, 0, 0};
    for (int i = 0; i < draws; ++i) {
      const double drawn = draw_largest_eigenvalue(dimension, random);
      for (std::size_t j = 0; j < 4; ++j)
        if (drawn > quantiles[j]) ++above[j];
    }
    for (std::size_t j = 0; j < 4; ++j) {
      const double expected = draws * tails[j];
      EXPECT_NEAR(above[j], expected, 7.0 * std::sqrt(expected * (1.0 - tails[j])) + 14.0)
          << dimension << " " << tails[j];
    }
  }
}

struct Moments {
  double mean, variance;
};

// Of (lambda_1 - edge) d^(1/6), by the midpoint rule on the distribution function. At the upper end
// the integrands are 1 and 2 s: by Euler and Maclaurin the second integral is larger by step^2/12,
// and what is left falls faster than any power of the step.
Moments scaled_moments(double dimension, double edge) {
  const double unit = std::pow(dimension, -1.0 / 6.0);
  const double step = 0.4, low = -7.2, high = 7.2;
  double first = high, second = high * high - step * step / 12.0;
  for (double s = low + 0.5 * step; s < high; s += step) {
    const double at_most = goe_largest_eigenvalue(dimension, edge + unit * s).at_most.upper();
    first -= step * at_most;
    second -= step * 2.0 * s * at_most;
  }
  return {first, second - first * first};
}

// Mean and variance of the Tracy-Widom law (beta = 1) are approached like d^(-2/3) around the edge
// sqrt(4 d - 2) [JohnstoneMa2012], and the mean only like d^(-1/3)/2 around 2 sqrt(d), since
// 2 sqrt(d) - sqrt(4 d - 2) = 1/(2 sqrt(d)) and smaller terms.
TEST(LargestEigenvalueQuantile, ApproachesTracyAndWidom) {
  const double mean = -1.2065335745820, variance = 1.607781034581;
  double before = 1.0;
  for (const double dimension : {6.0, 24.0, 100.0}) {
    const double rate = std::pow(dimension, -2.0 / 3.0);
    const Moments found = scaled_moments(dimension, std::sqrt(4.0 * dimension - 2.0));
    EXPECT_LT(std::abs(found.mean - mean), 0.25 * rate) << dimension;
    EXPECT_LT(std::abs(found.variance - variance), 0.25 * rate) << dimension;
    EXPECT_LT(std::abs(found.mean - mean), 0.5 * before);
    before = std::abs(found.mean - mean);
  }
  const Moments published = scaled_moments(24.0, 2.0 * std::sqrt(24.0));
  EXPECT_NEAR(published.mean - mean, -0.5 * std::pow(24.0, -1.0 / 3.0), 0.25 / 8.0);
}

TEST(LargestEigenvalueQuantile, RefusesWhatIsNoSizeOrProbability) {
  for (const double dimension : {0.0, 2.5, 1001.0, -1.0, not_a_number, infinity})
    EXPECT_TRUE(
        refuses("dimension", [&] { return goe_largest_eigenvalue_quantile(dimension, 0.5); }));
  for (const double upper_tail : {0.0, 1.0, -0.5, 1e-300, 1.5, not_a_number, infinity})
    EXPECT_TRUE(
        refuses("upper_tail", [&] { return goe_largest_eigenvalue_quantile(3.0, upper_tail); }));
}

}  // namespace
}  // namespace modicum::testing::largest_eigenvalue_quantile_test
