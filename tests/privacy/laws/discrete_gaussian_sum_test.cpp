#include "privacy/laws/discrete_gaussian_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace modicum::testing::discrete_gaussian_sum_test {
namespace {

// Masses of one variable within 20 deviations, and all sums of `count` of them.
struct Convolution {
  int reach, count;
  std::vector<long double> masses{1.0L};

  Convolution(double sigma, int given_count)
      : reach(static_cast<int>(20.0 * sigma) + 2), count(given_count) {
    std::vector<long double> one;
    long double total = 0.0L;
    for (int k = -reach; k <= reach; ++k) {
      one.push_back(std::exp(-static_cast<long double>(k) * k / (2.0L * sigma * sigma)));
      total += one.back();
    }
    for (int i = 0; i < count; ++i) {
      std::vector<long double> next(masses.size() + one.size() - 1);
      for (std::size_t a = 0; a < masses.size(); ++a)
        for (std::size_t b = 0; b < one.size(); ++b) next[a + b] += masses[a] * one[b] / total;
      masses = std::move(next);
    }
  }
  long double above(int m) const {
    long double sum = 0.0L;
    for (std::size_t i = masses.size(); i-- > static_cast<std::size_t>(m + reach * count);)
      sum += masses[i];
    return sum;
  }
};

TEST(DiscreteGaussianSum, IsTheConvolution) {
  const PrecisionScope scope(192);
  for (const double sigma : {0.2, 0.3, 0.9, 1.0, 1.5, 3.7})
    for (const int count : {1, 2, 3, 8}) {
      const Convolution exact(sigma, count);
      const double deviation = sigma * std::sqrt(count);
      for (int m = 1; m < 15.0 * deviation + 2.0; m += 1 + m / 3) {
        const Ball found = gaussian_sum_above(sigma, count, m);
        const auto wanted = static_cast<double>(exact.above(m));
        EXPECT_NEAR(found.middle() / wanted, 1.0, 1e-14) << sigma << " " << count << " " << m;
        EXPECT_LE(found.enclosure().relative_width(), 1e-15);
      }
    }
}

// Of very many, or wide ones, the sum is nearly normal, at half integers: the corrections are of
// the order of 1 / deviation^2.
TEST(DiscreteGaussianSum, IsNearlyNormalInTheEnd) {
  const PrecisionScope scope(192);
  for (const auto& [sigma, count] :
       {std::pair{4096.0, 1.0}, {4096.0, 1e6}, {0.9, 1e8}, {30.0, 1e4}})
    for (const double x : {0.0, 1.0, 5.0, 20.0}) {
      const double deviation = sigma * std::sqrt(count), m = std::ceil(x * deviation) + 1.0;
      const double normal = normal_above(Ball((m - 0.5) / deviation)).middle();
      const Ball found = gaussian_sum_above(sigma, count, m);
      // Below sigma = 1 the variance is sigma^2 to a thousandth only.
      const double off = sigma < 1.0 ? 1e-3 * (1.0 + x * x) : 1.0 / deviation / deviation;
      EXPECT_NEAR(found.middle() / normal, 1.0, (1.0 + x * x) * off + 1e-9) << sigma << " " << x;
      EXPECT_LE(found.enclosure().relative_width(), 1e-15);
    }
}

TEST(DiscreteGaussianSum, FarTailsAreBounded) {
  const PrecisionScope scope(192);
  const Ball far = gaussian_sum_above(2.0, 10.0, 1000.0);
  EXPECT_LE(far.lower(), 0.0);
  EXPECT_LT(far.upper(), 1e-300);
  EXPECT_LT(gaussian_sum_above(1e-3, 5.0, 1.0).upper(), 1e-300);
}

}  // namespace
}  // namespace modicum::testing::discrete_gaussian_sum_test
