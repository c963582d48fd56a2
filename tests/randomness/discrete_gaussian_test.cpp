// The seeds are fixed; over all seeds, each comparison fails a true law with probability 1e-9.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::discrete_gaussian_test {
namespace {

// The law on -reach, .., reach; what is beyond is below 1e-17.
std::vector<Cell> law_of(double deviation) {
  const int reach = static_cast<int>(std::ceil(9.0 * deviation)) + 1;
  std::vector<Cell> cells;
  double total = 0.0;
  for (int k = -reach; k <= reach; ++k) {
    cells.push_back({std::exp(-0.5 * std::pow(k / deviation, 2)), 0.0});
    total += cells.back().probability;
  }
  for (Cell& cell : cells) cell.probability /= total;
  return cells;
}

TEST(DiscreteGaussian, HasItsProbabilities) {
  SeededSource source(91);
  // Whole numbers, near them, between them; below 1 the Laplace law has scale 1.
  for (const double deviation : {0.25, 0.5, 0.999, 1.0, 1.7, 2.0, 13.3, 1000.0}) {
    std::vector<Cell> cells = law_of(deviation);
    const auto middle = static_cast<std::int64_t>(cells.size() / 2);
    for (int i = 0; i < 300000; ++i)
      ++cells.at(static_cast<std::size_t>(discrete_gaussian(deviation, source) + middle)).count;
    EXPECT_GT(pearson_probability(cells), 1e-9) << deviation;
  }
}

// From here on the sum over the integers is the integral but for exp(-2 pi^2 deviation^2).
TEST(DiscreteGaussian, IsNormalWithUniformLastDigitsForLargeDeviations) {
  SeededSource source(92);
  for (const double deviation : {12345.678, 1e9, 0x1p50}) {
    std::vector<double> draws(100000);
    std::vector<Cell> residues(64, Cell{1.0 / 64.0, 0.0});
    for (double& draw : draws) {
      const std::int64_t k = discrete_gaussian(deviation, source);
      draw = static_cast<double>(k) / deviation;
      ++residues[static_cast<std::size_t>(k & 63)].count;
    }
    // The steps of the law are 1 / (deviation sqrt(2 pi)) high.
    EXPECT_LT(largest_deviation(draws, normal_below), deviation_allowed(1e5) + 0.4 / deviation);
    EXPECT_GT(pearson_probability(residues), 1e-9) << deviation;
  }
}

// P[not 0] is about 2 exp(-1 / (2 deviation^2)): 2 exp(-5e5) at 1e-3.
TEST(DiscreteGaussian, IsZeroForTinyDeviations) {
  SeededSource source(93);
  for (const double deviation : {1e-3, 1e-10, 1e-300, 5e-324})
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(discrete_gaussian(deviation, source), 0) << deviation;
}

TEST(DiscreteGaussian, RefusesBadDeviations) {
  SeededSource source(94);
  for (const double bad : {0.0, -1.0, 0x1.0000000000001p50, not_a_number, infinity, -infinity})
    EXPECT_TRUE(refuses("deviation", [&] { return discrete_gaussian(bad, source); })) << bad;
}

}  // namespace
}  // namespace modicum::testing::discrete_gaussian_test
