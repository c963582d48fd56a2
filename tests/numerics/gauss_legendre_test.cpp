#include "numerics/gauss_legendre.h"

#include <gtest/gtest.h>

#include <cmath>

namespace modicum::testing::gauss_legendre_test {
namespace {

// The integral of x^k over [-1, 1] is 2/(k+1) for even k, 0 for odd.
TEST(GaussLegendre, IsExactUpToItsDegree) {
  for (const int n : {2, 3, 8, 24, 200}) {
    const GaussRule& rule = gauss_legendre(n);
    ASSERT_EQ(rule.points.size(), static_cast<std::size_t>(n));
    for (int k = 0; k < 2 * n; ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < rule.points.size(); ++i)
        sum += rule.weights[i] * std::pow(rule.points[i], k);
      EXPECT_NEAR(sum, k % 2 == 0 ? 2.0 / (k + 1) : 0.0, 1e-13) << n << " points, degree " << k;
    }
  }
}

TEST(GaussLegendre, IsNotExactBeyondIt) {
  const GaussRule& rule = gauss_legendre(3);
  double sum = 0.0;
  for (std::size_t i = 0; i < rule.points.size(); ++i)
    sum += rule.weights[i] * std::pow(rule.points[i], 6);
  EXPECT_GT(std::abs(sum - 2.0 / 7.0), 1e-3);
}

TEST(GaussLegendre, LiesInsideWithPositiveWeights) {
  for (const int n : {2, 17, 200}) {
    const GaussRule& rule = gauss_legendre(n);
    for (std::size_t i = 0; i < rule.points.size(); ++i) {
      EXPECT_LT(std::abs(rule.points[i]), 1.0);
      EXPECT_GT(rule.weights[i], 0.0);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::gauss_legendre_test
