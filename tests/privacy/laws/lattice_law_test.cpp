#include "privacy/laws/lattice_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/discretized.h"
#include "privacy/laws/lattice_power.h"
#include "privacy/laws/table_law.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::lattice_law_test {
namespace {

std::vector<LossValue> values_at(double first, double step, const std::vector<int>& places,
                                 SeededRandom& random) {
  std::vector<LossValue> values;
  double total = 0.0;
  for (const int place : places) {
    values.push_back({Ball(first) + Ball(step) * Ball(place), random.uniform(0.05, 1.0)});
    total += values.back().mass.middle();
  }
  for (LossValue& value : values) value.mass /= Ball(total);
  return values;
}

bool overlap(const Ball& a, const Ball& b) { return arb_overlaps(a.raw(), b.raw()) != 0; }

// (1 + x + 2 x^2 + ..)^n by long doubles, one factor after the other.
std::vector<long double> power_by_products(const std::vector<LossValue>& values,
                                           const std::vector<int>& places, int count) {
  std::vector<long double> sums{1.0L};
  for (int i = 0; i < count; ++i) {
    std::vector<long double> next(sums.size() + static_cast<std::size_t>(places.back()));
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (std::size_t j = 0; j < places.size(); ++j)
        next[k + static_cast<std::size_t>(places[j])] +=
            sums[k] * static_cast<long double>(values[j].mass.middle());
    sums = std::move(next);
  }
  return sums;
}

TEST(LatticeLaw, IsTheSumOneByOne) {
  SeededRandom random(9101);
  const PrecisionScope scope(256);
  for (const std::vector<int>& places :
       {std::vector{0, 1, 2}, std::vector{0, 3, 7}, std::vector{0, 1}, std::vector{0, 2, 9, 40}}) {
    for (const int count : {2, 30, 200}) {
      const double step = random.log_uniform(0.01, 0.5), first = random.uniform(-1.0, 0.1) * step;
      const auto values = values_at(first, step, places, random);
      const auto law = sum_of_values(values, count);
      ASSERT_NE(law, nullptr);
      const auto sums = power_by_products(values, places, count);
      for (int trial = 0; trial < 8; ++trial) {
        const double reach = step * static_cast<double>(sums.size());
        const double shift = count * first + random.uniform(0.05, 0.9) * reach;
        long double profile = 0.0L, above = 0.0L, above_y = 0.0L;
        for (std::size_t k = 0; k < sums.size(); ++k) {
          const long double loss = static_cast<long double>(count) * first +
                                   static_cast<long double>(step) * static_cast<long double>(k);
          if (!(loss > shift)) continue;
          above += sums[k];
          above_y += sums[k] * std::exp(-loss);
          profile += sums[k] * -std::expm1(shift - loss);
        }
        const auto found = law->profile(shift, Accuracy::certified);
        ASSERT_TRUE(found);
        const LossTails tails = law->tails(shift, Accuracy::certified);
        const auto expect_near = [](const Ball& ball, long double value) {
          const auto rounded = static_cast<double>(value);
          EXPECT_NEAR(ball.middle(), rounded, 1e-13 * rounded + 1e-70);
        };
        expect_near(found->value, profile);
        expect_near(tails.above_x, above);
        expect_near(tails.above_y, above_y);
        EXPECT_TRUE(overlap(tails.above_x + tails.below_x, Ball(1.0).widened(1e-12)));
        if (profile > 1e-50L) {
          EXPECT_LT(relative_width(found->value), 1e-14);
        }
      }
    }
  }
}

// Two ways to the same masses.
TEST(LatticeLaw, WindowsHoldWhatIsWhole) {
  const PrecisionScope scope(256);
  for (const double step : {0.02, 0.2, 1.5}) {
    const std::vector<Ball> masses{Ball(0.25), Ball(0.25), Ball(0.125), Ball(0.375)};
    for (const double count : {40.0, 700.0, 3000.0}) {
      const LatticePower whole = whole_power(masses, count);
      const auto window = power_in_window(masses, count, Ball(step));
      if (!window) {
        EXPECT_GT(step * count, 1000.0);
        continue;
      }
      Ball below_x, below_y, above_x, above_y;
      for (std::size_t k = 0; k < whole.masses.size(); ++k) {
        const double from_first = static_cast<double>(k) - window->first;
        const Ball y = whole.masses[k] * exp(-Ball(step) * Ball(static_cast<double>(k)));
        if (from_first < 0.0) {
          below_x += whole.masses[k];
          below_y += y;
        } else if (from_first >= static_cast<double>(window->masses.size())) {
          above_x += whole.masses[k];
          above_y += y;
        } else {
          const Ball& found = window->masses[static_cast<std::size_t>(from_first)];
          EXPECT_TRUE(overlap(found, whole.masses[k])) << step << ' ' << count << ' ' << k;
          EXPECT_LT(found.upper() - found.lower(), 1e-70 + 1e-15 * found.upper());
        }
      }
      EXPECT_TRUE(overlap(window->below_x, below_x) && overlap(window->below_y, below_y));
      EXPECT_TRUE(overlap(window->above_x, above_x) && overlap(window->above_y, above_y));
      EXPECT_LT(window->above_x.upper(), 1e-70);
    }
  }
}

TEST(LatticeLaw, LieWithinTheBoundsOfTheDiscretized) {
  SeededRandom random(9102);
  for (int i = 0; i < 3; ++i) {
    const auto values = values_at(-0.03, 0.01 * (i + 1), {0, 1, 4, 5}, random);
    std::vector<double> losses;
    std::vector<Ball> masses;
    for (const LossValue& value : values) {
      losses.push_back(value.loss.middle());
      masses.push_back(value.mass);
    }
    DirectedLoss loss;
    loss.laws.push_back({table_law(losses, masses), 300.0 + 900.0 * i});
    const auto law = loss.laws.front().law->copies(loss.laws.front().count);
    ASSERT_NE(law, nullptr);
    const PrecisionScope scope(128);
    const double mean = 300.0 * law->mean().value_or(Ball(0.0)).middle();
    for (const double shift : {mean, mean + 5.0}) {
      const auto exact = law->profile(shift, Accuracy::certified);
      const auto lattice = DiscretizedProfile(loss, Accuracy::certified).at(shift);
      EXPECT_TRUE(overlap(exact->value, lattice.value)) << i << ' ' << shift;
    }
  }
}

// Shifts at a sum itself, beyond all sums, outside of a window, and that are no numbers.
TEST(LatticeLaw, IsTrueAtTies) {
  const PrecisionScope scope(128);
  const std::vector<LossValue> values{
      {Ball(-0.5), Ball(0.25)}, {Ball(0.0), Ball(0.5)}, {Ball(0.5), Ball(0.25)}};
  for (const double count : {4.0, 100.0, 2000.0}) {
    const auto law = sum_of_values(values, count);
    ASSERT_NE(law, nullptr);
    const double end = 0.5 * count;
    for (const double shift : {0.0, 0.5, 1.0}) {
      const Ball here = law->profile(shift, Accuracy::certified)->value;
      EXPECT_LT(relative_width(here), 1e-12);
      EXPECT_TRUE(here.lower() <=
                  law->profile(std::nextafter(shift, -1.0), Accuracy::certified)->value.upper());
      EXPECT_TRUE(here.upper() >=
                  law->profile(std::nextafter(shift, 2.0), Accuracy::certified)->value.lower());
      const LossTails tails = law->tails(shift, Accuracy::certified);
      // Whichever side the sum is counted on.
      const LossTails without = law->tails(shift + 0.1, Accuracy::certified),
                      with = law->tails(shift - 0.1, Accuracy::certified);
      EXPECT_GE(tails.above_x.upper(), without.above_x.lower());
      EXPECT_LE(tails.above_x.lower(), with.above_x.upper());
      EXPECT_TRUE(overlap(tails.above_x + tails.below_x, Ball(1.0).widened(1e-15)));
    }
    EXPECT_LE(law->profile(end + 1.0, Accuracy::certified)->value.lower(), 0.0);
    EXPECT_LT(law->profile(end + 1.0, Accuracy::certified)->value.upper(), 1e-60);
    EXPECT_LT(law->profile(0.9 * end, Accuracy::certified)->value.lower(), 0.3);
    EXPECT_GE(law->profile(-end - 1.0, Accuracy::certified)->value.upper(), 1.0 - std::exp(-1.0));
    const LossTails odd = law->tails(std::nan(""), Accuracy::certified);
    EXPECT_GE(odd.above_x.upper(), 1.0 - 1e-12);
  }
}

TEST(LatticeLaw, IsNotForOtherValues) {
  SeededRandom random(9103);
  const PrecisionScope scope(256);
  EXPECT_EQ(sum_of_values({}, 5.0), nullptr);
  EXPECT_EQ(sum_of_values({{Ball(1.0), Ball(1.0)}}, 5.0), nullptr);
  EXPECT_EQ(
      sum_of_values({{Ball(0.0), Ball(0.5)}, {Ball(1.0), Ball(0.25)}, {exp(Ball(1.0)), Ball(0.25)}},
                    50.0),
      nullptr);
  EXPECT_EQ(sum_of_values(values_at(0.0, 1.0, {0, 1, 5000}, random), 2.0), nullptr);
  // Far beyond what a window holds.
  EXPECT_EQ(sum_of_values(values_at(-1.0, 1.0, {0, 1, 2}, random), 1e12), nullptr);
}

}  // namespace
}  // namespace modicum::testing::lattice_law_test
