#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::composed_bounded_range_test {
namespace {

TEST(ComposedBoundedRange, IsTheClosedFormOfOneCopy) {
  for (const double range : {1e-6, 0.1, 1.0, 30.0})
    for (const double part : {0.0, 0.3, 0.9, 0.9999}) {
      const double epsilon = part * range;
      const double exact = std::pow(std::expm1(0.5 * (epsilon - range)), 2) / -std::expm1(-range);
      const Enclosure found = composed_bounded_range_delta(range, 1.0, epsilon);
      EXPECT_NEAR(found.lower(), exact, 1e-11 * exact) << range << ' ' << part;
      EXPECT_LE(found.lower(), found.upper());
      EXPECT_LT(found.relative_width(), 1e-13);
    }
}

// The other route: the loss of the pair, composed by the general engine.
TEST(ComposedBoundedRange, LiesInWhatTheGeneralCompositionEncloses) {
  for (const auto& [range, count, epsilon] :
       {std::tuple{0.05, 2.0, 0.05}, {0.5, 3.0, 0.4}, {2.0, 4.0, 3.0}, {0.3, 7.0, 0.8}}) {
    const Enclosure found = composed_bounded_range_delta(range, count, epsilon);
    const Enclosure other =
        profile(bounded_range(range).repeated(count), epsilon, Accuracy::fast).delta();
    EXPECT_TRUE(found.overlaps(other)) << range << ' ' << count << ' ' << found.lower() << ' '
                                       << other.lower() << ' ' << other.upper();
    EXPECT_LT(other.relative_width(), 0.02);
  }
}

// And by simulation: the middle of 200,000 sums of tilted uniform losses, within 6 standard errors
// (a false alarm has probability 2e-9 each).
TEST(ComposedBoundedRange, IsTheMeanOverTiltedUniformLosses) {
  SeededRandom random(1);
  for (const auto& [range, count, epsilon] : {std::tuple{0.5, 5.0, 0.5}, {1.0, 20.0, 4.0}}) {
    double sum = 0.0, squares = 0.0;
    const double draws = 200000.0;
    for (double i = 0.0; i < draws; i += 1.0) {
      double loss = 0.0;
      for (double part = 0.0; part < count; part += 1.0) {
        // Density proportional to e^{l/2} on [-range, range], by its distribution function.
        const double low = std::exp(-0.5 * range), high = std::exp(0.5 * range);
        loss += 2.0 * std::log(low + random.unit() * (high - low));
      }
      const double value = std::max(-std::expm1(epsilon - loss), 0.0);
      sum += value, squares += value * value;
    }
    const double mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
    EXPECT_NEAR(composed_bounded_range_delta(range, count, epsilon).lower(), mean, 6.0 * error);
  }
}

TEST(ComposedBoundedRange, StandsManyCopiesAndTheEnds) {
  const Enclosure many = composed_bounded_range_delta(0.01, 1000.0, 1.0);
  EXPECT_LT(many.relative_width(), 1e-12);
  EXPECT_GT(many.lower(), 0.0);
  EXPECT_EQ(composed_bounded_range_delta(1.0, 3.0, 3.0).upper(), 0.0);
  EXPECT_EQ(composed_bounded_range_delta(1.0, 3.0, 5.0).upper(), 0.0);
  EXPECT_EQ(composed_bounded_range_delta(0.0, 3.0, 0.0).upper(), 0.0);
  EXPECT_GT(composed_bounded_range_delta(200.0, 5.0, 1.0).lower(), 0.99);
  EXPECT_EQ(composed_bounded_range_epsilon(1e-3, 1.0, 0.5), 0.0);
  EXPECT_EQ(composed_bounded_range_delta(1e300, 2.0, 1.0).upper(), 1.0);
  EXPECT_LE(composed_bounded_range_epsilon(1e6, 3.0, 1e-6), 3e6);
  EXPECT_EQ(composed_bounded_range_delta(0.25, 5000.0, 1.0).upper(), 1.0);  // not attempted
  EXPECT_EQ(composed_bounded_range_delta(0.25, 5000.0, 1250.0).upper(), 0.0);
}

TEST(ComposedBoundedRange, HasAnEpsilonThatIsSafeAndSharp) {
  SeededRandom random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const double range = random.log_uniform(1e-3, 10.0), count = random.whole(1, 20);
    const double delta = random.log_uniform(1e-12, 0.1);
    const double epsilon = composed_bounded_range_epsilon(range, count, delta);
    EXPECT_LE(composed_bounded_range_delta(range, count, epsilon).upper(), delta);
    const double less = epsilon * (1.0 - 1e-9);
    EXPECT_TRUE(epsilon == 0.0 || composed_bounded_range_delta(range, count, less).lower() > delta);
  }
}

TEST(ComposedBoundedRange, RefusesWhatIsNoPair) {
  for (const double bad : {not_a_number, infinity, -1.0}) {
    EXPECT_TRUE(
        refuses("range", [=] { return composed_bounded_range_delta(bad, 1.0, 1.0).upper(); }));
    EXPECT_TRUE(
        refuses("count", [=] { return composed_bounded_range_delta(1.0, bad, 1.0).upper(); }));
    EXPECT_TRUE(
        refuses("epsilon", [=] { return composed_bounded_range_delta(1.0, 1.0, bad).upper(); }));
    EXPECT_TRUE(refuses("delta", [=] { return composed_bounded_range_epsilon(1.0, 1.0, bad); }));
  }
}

}  // namespace
}  // namespace modicum::testing::composed_bounded_range_test
