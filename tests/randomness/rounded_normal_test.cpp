// The seeds are fixed; over all seeds, each comparison of laws fails a true one with probability
// 1e-9.
#include "randomness/rounded_normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "randomness/exact_real.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::rounded_normal_test {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

// First words that are ordinary, near 0 and near 1, at all distances.
NormalDigits some_digits(RandomSource& source) {
  std::uint64_t u = source.next(), v = source.next();
  const std::uint64_t choice = source.next();
  if (choice % 4 == 1) u >>= choice / 4 % 36;
  if (choice % 4 == 2) u = ~(u >> choice / 4 % 64);
  if (choice % 16 >= 12) v = (v >> choice / 16 % 64) + (choice / 1024 % 4 << 62);
  return {u, v};
}

double cell(double scale, double offset, double k) {
  const double low = (k - 0.5 - offset) / scale, high = (k + 0.5 - offset) / scale;
  // On the side where nothing cancels.
  return low > 0.0 ? normal_below(-low) - normal_below(-high)
                   : normal_below(high) - normal_below(low);
}

TEST(RoundedNormal, HasTheProbabilitiesOfTheCells) {
  SeededSource source(71);
  for (const double scale : {0.3, 1.0, 7.0})
    for (const double offset : {0.0, 0.25, -0.4, 0.5}) {
      const int reach = static_cast<int>(std::ceil(9.0 * scale)) + 2;
      std::map<std::int64_t, double> counts;
      for (int i = 0; i < 400000; ++i) ++counts[rounded_normal(scale, offset, source)];
      std::vector<Cell> cells;
      for (int k = -reach; k <= reach; ++k) cells.push_back({cell(scale, offset, k), counts[k]});
      EXPECT_GT(pearson_probability(cells), 1e-9) << scale << ' ' << offset;
    }
}

TEST(RoundedNormal, HasTheRightLawAtScale1000) {
  SeededSource source(72);
  const double offset = 0.3;
  std::map<std::int64_t, double> counts;
  std::vector<Cell> residues(10, Cell{0.1, 0.0});  // equal up to exp(-2 (pi scale / 10)^2)
  for (int i = 0; i < 2000000; ++i) {
    const std::int64_t k = rounded_normal(1000.0, offset, source);
    ++counts[k];
    ++residues[static_cast<std::size_t>((k % 10 + 10) % 10)].count;
  }
  std::vector<Cell> cells;
  for (int k = -9000; k <= 9000; ++k) cells.push_back({cell(1000.0, offset, k), counts[k]});
  EXPECT_GT(pearson_probability(cells), 1e-9);
  EXPECT_GT(pearson_probability(residues), 1e-9);
}

// Above 2^52 every draw takes the slow way.
TEST(RoundedNormal, HasTheNormalLawAtLargeScales) {
  SeededSource source(73);
  for (const double scale : {0x1p30, 0x1p55}) {
    std::vector<double> draws(50000);
    for (double& draw : draws)
      draw = static_cast<double>(rounded_normal(scale, 0.5, source)) / scale;
    EXPECT_LT(largest_deviation(draws, normal_below), deviation_allowed(5e4)) << scale;
  }
}

// The undrawn digits at both extremes: the bound holds, and it is no giant.
TEST(RoughValue, IsAsNearAsItSays) {
  SeededSource source(74);
  double largest = 0.0;
  int proved = 0;
  for (int i = 0; i < 60000; ++i) {
    const NormalDigits digits = some_digits(source);
    const double scale =
                     std::ldexp(1.0 + 0x1p-64 * static_cast<double>(source.next()), i % 60 - 10),
                 offset = 0x1p-64 * static_cast<double>(source.next()) - 0.5;
    const RoughValue rough = rough_value(scale, offset, digits);
    if (rough.error == HUGE_VAL) continue;
    ++proved;
    ConstantSource undrawn(i % 2 == 0 ? 0 : all_ones);
    ExactNormal normal(digits.u, digits.v, undrawn);
    const PrecisionScope scope(256);
    const Ball truth = Ball(offset) + Ball(scale) * normal.at(192);
    const double distance = abs(truth - Ball(rough.value)).upper();
    ASSERT_LE(distance, rough.error) << digits.u << ' ' << digits.v << ' ' << scale;
    largest = std::max(largest, distance / rough.error);
  }
  EXPECT_GT(largest, 0.05);
  EXPECT_GT(proved, 50000);
}

// The bound assumes 4 units in the last place, that is 8 * 2^-53; one quarter is what we find.
TEST(RoughValue, StandsOnAnAccurateLibrary) {
  SeededSource source(75);
  const PrecisionScope scope(192);
  const auto error = [](double computed, const Ball& truth) {
    return (abs(Ball(computed) - truth) / abs(truth)).upper();
  };
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const NormalDigits digits = some_digits(source);
    const double u = static_cast<double>(digits.u | 1) * 0x1p-64;
    if (u < 1.0) worst = std::max(worst, error(std::log(u), log(Ball(u))));
    const double angle = M_PI * static_cast<double>(static_cast<std::int64_t>(digits.v)) * 0x1p-63;
    Ball cosine;
    arb_cos(cosine.raw(), Ball(angle).raw(), 192);
    worst = std::max(worst, error(std::cos(angle), cosine));
  }
  EXPECT_LT(worst, 2.0 * 0x1p-53);
}

// Where doubles decide, balls decide the same; up to 2^51 they are stressed, above they never do.
TEST(RoundedNormal, IsTheSameInDoublesAndInBalls) {
  SeededSource source(76);
  for (int power = -4; power <= 54; power += 2) {
    int decided = 0;
    for (int i = 0; i < 3000; ++i) {
      const NormalDigits digits = some_digits(source);
      const double offset = i % 8 == 0 ? 0.5 : 0x1p-64 * static_cast<double>(source.next()) - 0.5;
      const double scale = std::ldexp(1.0 + 0x1p-64 * static_cast<double>(source.next()), power);
      const auto in_doubles = rounded_in_doubles(scale, offset, digits);
      if (!in_doubles) continue;
      ++decided;
      for (const std::uint64_t rest : {std::uint64_t{0}, all_ones, source.next()}) {
        ConstantSource undrawn(rest);
        ASSERT_EQ(rounded_in_balls(scale, offset, digits, undrawn), *in_doubles)
            << digits.u << ' ' << digits.v << ' ' << scale << ' ' << offset;
      }
    }
    EXPECT_GE(decided, power <= 30 ? 2000 : 0) << power;
    EXPECT_LE(decided, power >= 52 ? 0 : 3000) << power;
  }
}

TEST(RoundedNormal, LeavesExtremeDigitsToBalls) {
  for (const std::uint64_t u : {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 32) - 1,
                                all_ones, all_ones - 1000}) {
    EXPECT_EQ(rounded_in_doubles(1.0, 0.0, {u, 0}), std::nullopt) << u;
    SeededSource rest(77);
    EXPECT_GE(rounded_in_balls(1.0, 0.0, {u, 0}, rest), 0) << u;
  }
  // sqrt(2 * 64 log 2) = 9.42 at the first digit zero, and more at further zeros.
  SeededSource rest(78);
  EXPECT_GE(rounded_in_balls(1.0, 0.0, {0, 0}, rest), 9);
  EXPECT_LE(rounded_in_balls(1.0, 0.0, {0, std::uint64_t{1} << 63}, rest), -9);
}

TEST(RoundedNormal, RarelyNeedsBalls) {
  SeededSource source(79);
  int undecided = 0;
  for (int i = 0; i < 1000000; ++i)
    if (!rounded_in_doubles(0x1p30, 0.25, {source.next(), source.next()})) ++undecided;
  EXPECT_LT(undecided, 20);  // about 4 are expected
}

// At a tie in the offset, only the sign of x decides, however small the scale.
TEST(RoundedNormal, DecidesTiesByTheNoise) {
  SeededSource source(80);
  for (const double scale : {5e-324, 1e-300, 1e-20})
    for (const double offset : {0.5, -0.5}) {
      double away = 0.0;
      const double count = 500.0;
      for (int i = 0; i < 500; ++i) {
        const std::int64_t k = rounded_normal(scale, offset, source);
        if (k != 0) {
          ASSERT_EQ(static_cast<double>(k), 2.0 * offset);
          ++away;
        }
      }
      EXPECT_GT(pearson_probability({{0.5, away}, {0.5, count - away}}), 1e-9) << scale;
    }
}

TEST(RoundedNormal, RefusesResultsBeyondItsRange) {
  SeededSource source(81);
  EXPECT_THROW(for (int i = 0; i < 50; ++i) rounded_normal(0x1p63, 0.0, source), Error);
  EXPECT_THROW(rounded_normal(1.7e308, 0.0, source), Error);
}

TEST(RoundedNormal, RefusesBadArguments) {
  SeededSource source(82);
  for (const double bad : {0.0, -1.0, not_a_number, infinity, -infinity})
    EXPECT_TRUE(refuses("scale", [&] { return rounded_normal(bad, 0.0, source); })) << bad;
  for (const double bad : {0.5 + 0x1p-53, -0.6, 1.0, not_a_number, infinity, -infinity})
    EXPECT_TRUE(refuses("offset", [&] { return rounded_normal(1.0, bad, source); })) << bad;
}

}  // namespace
}  // namespace modicum::testing::rounded_normal_test
