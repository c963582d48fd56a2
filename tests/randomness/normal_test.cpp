// The seeds are fixed; over all seeds, each comparison fails a true law with probability 1e-9.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "randomness/ziggurat.h"
#include "support/seeded_source.h"

namespace modicum::testing::normal_test {
namespace {

double density(double x) { return std::exp(-0.5 * x * x); }

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  SeededSource source(seed);
  std::vector<double> draws(count);
  for (double& draw : draws) draw = standard_normal(source);
  return draws;
}

TEST(Ziggurat, HasLayersOfEqualArea) {
  const Ziggurat ziggurat;
  const double tail = std::sqrt(M_PI / 2.0) * std::erfc(Ziggurat::edge / std::sqrt(2.0));
  const double area = Ziggurat::edge * density(Ziggurat::edge) + tail;
  EXPECT_DOUBLE_EQ(ziggurat.width[1], Ziggurat::edge);
  EXPECT_NEAR(ziggurat.width[0] * density(Ziggurat::edge) / area, 1.0, 1e-14);
  for (std::size_t i = 1; i < Ziggurat::layers; ++i) {
    EXPECT_GT(ziggurat.width[i], ziggurat.width[i + 1]);
    EXPECT_NEAR(ziggurat.height[i] / density(ziggurat.width[i]), 1.0, 4e-15) << i;
    // Heights are rounded to 1e-16 of 1, areas are about 1/200.
    const double layer = ziggurat.width[i] * (ziggurat.height[i + 1] - ziggurat.height[i]);
    EXPECT_NEAR(layer / area, 1.0, 1e-13) << i;
  }
}

TEST(StandardNormal, HasTheNormalLaw) {
  EXPECT_LT(largest_deviation(normals(2000000, 11), normal_below), deviation_allowed(2e6));
}

// Cells as wide as the layers are thin, where an error in a wedge would show.
TEST(StandardNormal, HasTheNormalLawInNarrowCells) {
  const double width = 0.02, reach = 4.5;
  const auto count = static_cast<std::size_t>(std::lround(2.0 * reach / width)) + 2;
  std::vector<Cell> cells(count, Cell{0.0, 0.0});
  for (std::size_t i = 0; i < count; ++i) {
    const double low = i == 0 ? -HUGE_VAL : -reach + width * static_cast<double>(i - 1),
                 high = i + 1 == count ? HUGE_VAL : -reach + width * static_cast<double>(i);
    cells[i].probability = normal_below(high) - normal_below(low);
  }
  for (const double x : normals(4000000, 12)) {
    const double place = std::floor((x + reach) / width) + 1.0;
    ++cells[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)))].count;
  }
  EXPECT_GT(pearson_probability(cells), 1e-9);
}

// Beyond the edge, on both sides: how many, and where.
TEST(StandardNormal, HasTheRightTails) {
  const std::size_t count = 8000000;
  SeededSource source(13);
  const double mass = normal_below(-Ziggurat::edge);
  std::vector<double> beyond;
  double below = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = standard_normal(source);
    if (std::abs(x) > Ziggurat::edge) beyond.push_back(-std::abs(x));
    if (x < -Ziggurat::edge) ++below;
  }
  const auto draws = static_cast<double>(count), both = static_cast<double>(beyond.size());
  EXPECT_GT(
      pearson_probability({{mass, below}, {mass, both - below}, {1.0 - 2.0 * mass, draws - both}}),
      1e-9);
  const auto law = [mass](double x) { return normal_below(x) / mass; };
  EXPECT_LT(largest_deviation(beyond, law), deviation_allowed(both));
}

TEST(StandardNormal, HasTheTailOfTheNormalLaw) {
  SeededSource source(14);
  std::vector<double> draws(300000);
  for (double& draw : draws) {
    draw = -normal_beyond_edge(source);
    ASSERT_LE(draw, -Ziggurat::edge);
  }
  const double mass = normal_below(-Ziggurat::edge);
  const auto law = [mass](double x) { return normal_below(x) / mass; };
  EXPECT_LT(largest_deviation(draws, law), deviation_allowed(3e5));
}

// Neighboring draws are independent: their sum and difference, over root 2, are normal.
TEST(StandardNormal, IsIndependentFromDrawToDraw) {
  const std::vector<double> draws = normals(2000000, 15);
  std::vector<double> sums, differences;
  for (std::size_t i = 0; i + 1 < draws.size(); i += 2) {
    sums.push_back((draws[i] + draws[i + 1]) / std::sqrt(2.0));
    differences.push_back((draws[i] - draws[i + 1]) / std::sqrt(2.0));
  }
  EXPECT_LT(largest_deviation(sums, normal_below), deviation_allowed(1e6));
  EXPECT_LT(largest_deviation(differences, normal_below), deviation_allowed(1e6));
}

TEST(FillStandardNormals, DrawsTheSameNumbers) {
  const std::vector<double> one_by_one = normals(10000, 16);
  SeededSource source(16);
  std::vector<double> together(10000);
  fill_standard_normals(together, source);
  EXPECT_EQ(together, one_by_one);
  fill_standard_normals({}, source);
}

// The bits of the place count, as far as a double holds them, and the ninth bit is the sign.
TEST(StandardNormal, UsesAllItsBits) {
  const Ziggurat ziggurat;
  const auto normal_at = [](std::size_t layer, std::uint64_t place, bool negative) {
    ScriptedSource source({place << 9 | (negative ? 0x100U : 0U) | layer});
    return standard_normal(source);
  };
  for (const std::size_t layer : {0U, 1U, 77U, 254U})
    for (int power = 0; power < 53; ++power) {
      const std::uint64_t place = std::uint64_t{1} << power;
      const double step = normal_at(layer, place, false) - normal_at(layer, 0, false);
      EXPECT_NEAR(step / std::ldexp(ziggurat.width[layer], power - 55), 1.0, 1e-15);
      EXPECT_EQ(normal_at(layer, place, true), -normal_at(layer, place, false));
      EXPECT_LT(normal_at(layer, place - 1, false), normal_at(layer, place, false));
    }
}

}  // namespace
}  // namespace modicum::testing::normal_test
