#include "numerics/lattice_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/ball.h"
#include "support/seeded_random.h"

namespace modicum::testing::lattice_sum_test {
namespace {

// The wrapped convolution in balls, by adding up all pairs.
std::vector<Ball> exact_sum(const std::vector<LatticeFactor>& factors, long first,
                            std::size_t size) {
  const PrecisionScope scope(128);
  const auto period = static_cast<long>(size);
  const auto index = [&](long place) {
    return static_cast<std::size_t>(((place % period) + period) % period);
  };
  std::vector<Ball> total(size);
  total[index(-first)] = Ball(1.0);
  for (const LatticeFactor& factor : factors)
    for (double copy = 0.0; copy < factor.count; copy += 1.0) {
      std::vector<Ball> next(size);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < factor.measure.places.size(); ++k)
          next[index(static_cast<long>(i) + factor.measure.places[k])] +=
              total[i] * Ball(factor.measure.masses[k]);
      total = std::move(next);
    }
  return total;
}

double distance(const WrappedSum& found, const std::vector<Ball>& exact) {
  const PrecisionScope scope(128);
  Ball sum;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const Ball error = Ball(found.mass[i]) - exact[i];
    sum += error * error;
  }
  return sqrt(sum).upper();
}

TEST(LatticeSum, StaysWithinItsErrorBound) {
  SeededRandom random(71);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t size = std::size_t{1} << (3 + trial % 6);
    std::vector<LatticeFactor> factors(static_cast<std::size_t>(1 + trial % 3));
    for (LatticeFactor& factor : factors) {
      factor.count = std::floor(random.uniform(1.0, 6.0));
      double total = 0.0;
      for (int i = 0; i < 5; ++i) {
        factor.measure.places.push_back(static_cast<long>(random.uniform(-40.0, 40.0)));
        factor.measure.masses.push_back(random.uniform(0.0, 1.0));
        total += factor.measure.masses.back();
      }
      for (double& mass : factor.measure.masses) mass /= total;
    }
    const long first = static_cast<long>(random.uniform(-100.0, 100.0));
    const WrappedSum found = lattice_sum(factors, first, size);
    const double error = distance(found, exact_sum(factors, first, size));
    EXPECT_LE(error, found.error) << "size " << size;
    EXPECT_LE(found.error, 1e-11) << "size " << size;
  }
}

TEST(LatticeSum, WrapsAroundTheWindow) {
  const WrappedSum sum = lattice_sum({{{{-3, 10}, {0.25, 0.75}}, 1.0}}, 0, 8);
  EXPECT_NEAR(sum.mass[5], 0.25, 1e-15);  // -3 + 8
  EXPECT_NEAR(sum.mass[2], 0.75, 1e-15);  // 10 - 8
}

TEST(LatticeSum, ManyCopiesMatchTheBinomialLaw) {
  const double n = 1000.0, p = 0.3;
  const WrappedSum sum = lattice_sum({{{{0, 1}, {1.0 - p, p}}, n}}, 0, 1024);
  for (const double k : {250.0, 300.0, 340.0}) {
    const double exact = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                  k * std::log(p) + (n - k) * std::log1p(-p));
    EXPECT_NEAR(sum.mass[static_cast<std::size_t>(k)], exact, sum.error + 1e-12);
  }
}

TEST(LatticeSum, ClaimsNothingForMoreCopiesThanRoundingAllows) {
  EXPECT_FALSE(std::isfinite(lattice_sum({{{{0, 1}, {0.5, 0.5}}, 0x1p52}}, 0, 16).error));
}

}  // namespace
}  // namespace modicum::testing::lattice_sum_test
