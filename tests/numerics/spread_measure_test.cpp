#include "numerics/spread_measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace modicum::testing::spread_measure_test {
namespace {

// E[(value - strike)_+] and E[(strike - value)_+]: every convex function >= 0 is a mixture of such.
double above(const SpreadMeasure& measure, double strike) {
  double sum = measure.beyond + measure.at_zero * std::max(0.0, -strike);
  for (std::size_t i = 0; i < measure.points.size(); ++i)
    sum += measure.masses[i] * std::max(0.0, measure.value(i) - strike);
  return sum;
}
double below(const SpreadMeasure& measure, double strike) {
  double sum = measure.at_zero * strike;
  for (std::size_t i = 0; i < measure.points.size(); ++i)
    sum += measure.masses[i] * std::max(0.0, strike - measure.value(i));
  return sum;
}
double mass_of(const SpreadMeasure& measure) { return above(measure, -1e300) / 1e300; }

// All sums, none of them spread.
SpreadMeasure every_sum(const SpreadMeasure& a, const SpreadMeasure& b) {
  SpreadMeasure sum;
  sum.offset = a.offset + b.offset;
  for (std::size_t i = 0; i < a.points.size(); ++i)
    for (std::size_t j = 0; j < b.points.size(); ++j) {
      sum.points.push_back(a.points[i] + b.points[j]);
      sum.masses.push_back(a.masses[i] * b.masses[j]);
    }
  return sum;
}

SpreadMeasure random_measure(std::mt19937_64& bits, double offset, double scale) {
  std::uniform_real_distribution<> unit;
  SpreadMeasure measure;
  measure.offset = offset;
  for (int i = 0; i < 40; ++i) {
    const double g = std::normal_distribution<>()(bits) * scale;
    measure.points.push_back(offset > 0.0 ? std::expm1(g) : std::exp(g));
    measure.masses.push_back(unit(bits) + 0.1);
  }
  std::ranges::sort(measure.points);
  double sum = 0.0;
  for (const double mass : measure.masses) sum += mass;
  for (double& mass : measure.masses) mass /= sum;
  return measure;
}

void expect_above(const SpreadMeasure& found, const SpreadMeasure& truth, double mean) {
  EXPECT_GE(mass_of(found), mass_of(truth) * (1.0 - 1e-14));
  EXPECT_LE(mass_of(found), mass_of(truth) * (1.0 + 1e-9));
  EXPECT_NEAR(above(found, 0.0) / above(truth, 0.0), 1.0, 1e-9);
  for (double factor = 1e-3; factor < 1e3; factor *= 1.7) {
    const double strike = mean * factor;
    EXPECT_GE(above(found, strike), above(truth, strike) * (1.0 - 1e-12)) << factor;
    EXPECT_GE(below(found, strike), below(truth, strike) * (1.0 - 1e-12)) << factor;
  }
}

TEST(SpreadSum, LiesAboveTheSumForConvexFunctions) {
  std::mt19937_64 bits(5);
  for (int round = 0; round < 40; ++round) {
    const bool narrow = round % 2 == 0;
    const double offset = narrow ? 1.0 : 0.0, scale = narrow ? 1e-3 : 0.2 + round * 0.2;
    const SpreadMeasure a = random_measure(bits, offset, scale),
                        b = random_measure(bits, offset, scale);
    const double mean = above(every_sum(a, b), 0.0);
    for (const double spacing : {0.05, 1.0}) {
      expect_above(spread_sum(a, b, mean, spacing, 1e-12), every_sum(a, b), mean);
      expect_above(spread_sum(a, a, mean, spacing, 1e-12), every_sum(a, a), mean);
    }
  }
}

TEST(SpreadSum, ErrsByTheSquareOfTheSpacing) {
  std::mt19937_64 bits(6);
  const SpreadMeasure a = random_measure(bits, 0.0, 0.5);
  const SpreadMeasure truth = every_sum(a, a);
  const double mean = above(truth, 0.0);
  const auto excess = [&](double spacing) {
    return above(spread_sum(a, a, mean, spacing, 1e-12), 1.1 * mean) - above(truth, 1.1 * mean);
  };
  EXPECT_GT(excess(0.08), 0.0);
  EXPECT_LT(excess(0.01), excess(0.08) / 20.0);
}

// Sums that coincide with points, up to their rounding, and ends that are cut.
TEST(SpreadSum, HoldsAtItsPointsAndBeyondItsEnds) {
  SpreadMeasure a;
  for (int i = 1; i <= 64; ++i) {
    a.points.push_back(0.1 * i);
    a.masses.push_back(1.0 / 64.0);
  }
  expect_above(spread_sum(a, a, 6.5, 0.03, 1e-3), every_sum(a, a), 6.5);
  SpreadMeasure one{0.0, {1.0}, {1.0}}, with_ends{0.0, {1.0, 2.0}, {0.5, 0.25}, 0.25, 0.125};
  const SpreadMeasure sum = spread_sum(one, with_ends, 2.0, 0.1, 1e-12);
  EXPECT_GE(sum.at_zero, 0.25);
  EXPECT_GE(sum.beyond, 0.375);  // what was there, and 1 from 0
  EXPECT_NEAR(mass_of(sum), 1.0, 1e-8);
}

TEST(SpreadPoints, AscendAndAreBounded) {
  for (const double width : {1e-9, 1e-3, 1.0, 20.0})
    for (const double offset : {0.0, 1.0}) {
      const double reach = offset > 0.0 ? std::min(13.0 * width, 5.0) : 13.0 * width;
      const std::vector<double> points =
          spread_points({1.0, -reach, reach, 0.0, 0.0, width}, 1e-6, offset);
      EXPECT_LE(points.size(), 30000U);
      EXPECT_GT(points.size(), 10000U);
      EXPECT_TRUE(std::ranges::is_sorted(points, std::ranges::less_equal{}) ||
                  std::ranges::adjacent_find(points, std::ranges::greater_equal{}) == points.end());
      EXPECT_GT(offset + points.front(), 0.0);
    }
}

}  // namespace
}  // namespace modicum::testing::spread_measure_test
