#include "randomness/symmetric_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "randomness/distributions.h"
#include "support/seeded_source.h"

namespace modicum::testing::symmetric_table_test {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

// P[k] = (1 - q)/(1 + q) q^|k|, q = exp(-rate): P[|k| < j] = 1 - 2 q^j / (1 + q).
std::vector<Ball> geometric_sums(double rate, std::size_t count) {
  std::vector<Ball> sums;
  for (std::size_t j = 1; j <= count; ++j)
    sums.push_back(Ball(1.0) - exp(Ball(static_cast<double>(j)) * Ball(-rate)) * 2.0 /
                                   (exp(Ball(-rate)) + 1.0));
  return sums;
}

SymmetricTable geometric(double rate) {
  return SymmetricTable([rate](std::size_t count) { return geometric_sums(rate, count); });
}

// Whatever follows a word that lies strictly between two floors, the first word decides.
TEST(SymmetricTable, OneWordDecidesBetweenTheFloors) {
  const SymmetricTable table = geometric(0.7);
  const auto& floors = table.floors();
  // Towards the end they lie so close that no word is between them.
  for (std::size_t index = 1; floors[index + 1] - floors[index] > 2; ++index) {
    const auto size = static_cast<std::int64_t>((index + 1) / 2);
    const std::int64_t value = index % 2 == 1 ? size : -size;
    ScriptedSource above({floors[index] + 1});
    EXPECT_EQ(table.draw(above), value);
    ScriptedSource below({floors[index] - 1});
    EXPECT_EQ(table.draw(below), index % 2 == 1 ? 1 - size : size);
  }
}

// A word that a sum shares leaves the draw open: more zeros lie below the sum, more ones above.
TEST(SymmetricTable, DrawsMoreWhereAWordDoesNotDecide) {
  const SymmetricTable table = geometric(0.7);
  for (const std::size_t index : {1U, 2U, 7U, 40U}) {
    const auto size = static_cast<std::int64_t>((index + 1) / 2);
    ScriptedSource zeros({table.floors()[index], 0}), ones({table.floors()[index], all_ones});
    EXPECT_EQ(table.draw(zeros), index % 2 == 1 ? 1 - size : size) << index;
    EXPECT_EQ(table.draw(ones), index % 2 == 1 ? size : -size) << index;
    EXPECT_TRUE(zeros.used_up() && ones.used_up());
  }
}

// Beyond the table: with 1 - u = 2^-128 or a little more, P[|k| >= j] = 2 q^j / (1 + q) tells which
// integers are left; 0.5 and 3 do not bring it near an edge.
TEST(SymmetricTable, GoesOnWhereTheTableEnds) {
  for (const double rate : {0.5, 3.0}) {
    const SymmetricTable table = geometric(rate);
    ScriptedSource words({all_ones, all_ones, 0, 0, 0, 0, 0, 0});
    const double beyond =
        (128.0 * std::log(2.0) + std::log(2.0) - std::log1p(std::exp(-rate))) / rate;
    const auto drawn = static_cast<double>(table.draw(words));
    EXPECT_EQ(std::abs(drawn), std::floor(beyond)) << rate;
    EXPECT_GT(std::abs(drawn), static_cast<double>(table.floors().size()) / 2.0);
  }
}

// The law of a point: all sums begin with ones.
TEST(SymmetricTable, NothingButZero) {
  const SymmetricTable table = geometric(1e6);
  EXPECT_EQ(table.floors(), (std::vector<std::uint64_t>{0, all_ones}));
  SeededSource source(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table.draw(source), 0);
  ScriptedSource close({all_ones, all_ones - 1});
  EXPECT_EQ(table.draw(close), 0);
}

}  // namespace
}  // namespace modicum::testing::symmetric_table_test
