// The seeds are fixed; over all seeds, each comparison fails a true law with probability 1e-9.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <utility>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "randomness/whole.h"
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
    std::vector<Cell> cells = law_of(deviation), many = cells;
    const auto middle = static_cast<std::int64_t>(cells.size() / 2);
    const DiscreteGaussianSampler sampler(deviation);
    for (int i = 0; i < 300000; ++i) {
      ++cells.at(static_cast<std::size_t>(discrete_gaussian(deviation, source) + middle)).count;
      ++many.at(static_cast<std::size_t>(sampler.draw(source) + middle)).count;
    }
    EXPECT_GT(pearson_probability(cells), 1e-9) << deviation;
    EXPECT_GT(pearson_probability(many), 1e-9) << deviation;
  }
}

std::uint64_t first_word(const Ball& sum) {
  Ball scaled = sum;
  arb_mul_2exp_si(scaled.raw(), scaled.raw(), 64);
  arb_floor(scaled.raw(), scaled.raw(), PrecisionScope::bits());
  Whole floor;
  EXPECT_NE(arb_get_unique_fmpz(floor.raw(), scaled.raw()), 0);
  return fmpz_get_ui(floor.raw());
}

// The sums before 1, -1, 2, -2, .. with all that there is from Poisson's formula, in many digits:
//   sum over k of exp(-k^2 / (2 s^2)) = s sqrt(2 pi) * sum over j of exp(-2 pi^2 s^2 j^2).
// Numbers just below a sum draw what is before it, numbers just above it what comes next.
TEST(DiscreteGaussian, NumbersBesideTheSumsAreSortedExactly) {
  constexpr std::uint64_t all_ones = ~std::uint64_t{0};
  const PrecisionScope scope(800);
  for (const double deviation : {0.3, 0.5, 1.0, 5.0, 32.0}) {
    const Ball variance = Ball(deviation) * Ball(deviation);
    Ball total = 1.0;
    for (double j = 1.0; j < 40.0; j += 1.0)
      total += exp(Ball(-2.0 * j * j) * Ball::pi() * Ball::pi() * variance) * 2.0;
    total *= sqrt(Ball::pi() * 2.0) * Ball(deviation);
    const DiscreteGaussianSampler sampler(deviation);
    Ball sum = Ball(1.0) / total;
    std::int64_t before = 0;
    for (double size = 1.0; size < 6.0 * deviation; size += 1.0)
      for (const double value : {size, -size}) {
        const auto next = static_cast<std::int64_t>(value);
        const std::uint64_t word = first_word(sum);
        for (auto [words, drawn] : {std::pair{std::deque{word - 1}, before},
                                    {std::deque<std::uint64_t>{word, 0}, before},
                                    {std::deque{word, all_ones}, next},
                                    {std::deque{word + 1}, next}}) {
          ScriptedSource source(words);
          EXPECT_EQ(sampler.draw(source), drawn) << deviation;
          EXPECT_TRUE(source.used_up());
        }
        sum += exp(-Ball(size) * Ball(size) / (variance * 2.0)) / total;
        before = next;
      }
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
  for (const double deviation : {1e-3, 1e-10, 1e-300, 5e-324}) {
    const DiscreteGaussianSampler sampler(deviation);
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(discrete_gaussian(deviation, source), 0) << deviation;
      ASSERT_EQ(sampler.draw(source), 0) << deviation;
    }
  }
}

TEST(DiscreteGaussian, RefusesBadDeviations) {
  SeededSource source(94);
  for (const double bad : {0.0, -1.0, 0x1.0000000000001p50, not_a_number, infinity, -infinity}) {
    EXPECT_TRUE(refuses("deviation", [&] { return discrete_gaussian(bad, source); })) << bad;
    EXPECT_TRUE(refuses("deviation", [&] { return DiscreteGaussianSampler(bad); })) << bad;
  }
}

}  // namespace
}  // namespace modicum::testing::discrete_gaussian_test
