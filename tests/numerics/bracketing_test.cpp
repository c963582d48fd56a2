#include "modicum/numerics/bracketing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/seeded_random.h"

namespace modicum::testing::bracketing_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(NarrowBracket, FindsTheRootOfSmoothFunctions) {
  SeededRandom random(931);
  for (int i = 0; i < 500; ++i) {
    const double root = random.log_uniform(1e-6, 1e6), power = random.uniform(0.2, 8.0);
    int calls = 0;
    const auto f = [&](double x) {
      ++calls;
      return std::pow(root, power) - std::pow(x, power);
    };
    const Bracket found = narrow_bracket(
        f, {root * random.uniform(0.01, 0.99), root * random.uniform(1.01, 100.0)}, 1e-14);
    EXPECT_GT(f(found.low), 0.0);
    EXPECT_LE(f(found.high), 0.0);
    EXPECT_LE(found.high - found.low, 1.01e-14 * found.high);
    EXPECT_NEAR(found.high / root, 1.0, 1e-12);
    EXPECT_LE(calls, 80);
  }
}

TEST(NarrowBracket, ClosesOnTheFirstPointOfAPlateau) {
  // Flat at 0 from 0.7 on, as delta is beyond the largest loss.
  const auto f = [](double x) { return x < 0.7 ? std::exp(-x) : 0.0; };
  const Bracket found = narrow_bracket(f, {0.0, 1000.0}, 1e-15);
  EXPECT_LT(found.low, 0.7);
  EXPECT_GE(found.high, 0.7);
  EXPECT_LE(found.high, 0.7 * (1 + 3e-15));
}

TEST(NarrowBracket, CrossesJumps) {
  const auto f = [](double x) { return x < 0.3 ? 1.0 : -1.0; };
  const Bracket found = narrow_bracket(f, {0.0, 1.0}, 1e-15);
  EXPECT_LT(found.low, 0.3);
  EXPECT_GE(found.high, 0.3);
  EXPECT_LE(found.high - found.low, 1e-15);
}

TEST(NarrowBracket, BearsInfinities) {
  const auto f = [](double x) { return x < 0.25 ? infinity : (x > 0.5 ? -infinity : 0.4 - x); };
  const Bracket found = narrow_bracket(f, {0.0, 8.0}, 1e-14);
  EXPECT_NEAR(found.high, 0.4, 1e-13);
  EXPECT_LE(f(found.high), 0.0);
  EXPECT_GT(f(found.low), 0.0);
}

TEST(NarrowBracket, TakesNaNForNotYetThere) {
  const auto f = [](double x) { return x < 0.5 ? std::nan("") : -1.0; };
  const Bracket found = narrow_bracket(f, {0.0, 1.0}, 1e-14);
  EXPECT_LT(found.low, 0.5);
  EXPECT_GE(found.high, 0.5);
  EXPECT_LE(found.high - found.low, 1e-14);
}

// The first interpolation hits the root of a straight line exactly; the other end must follow.
TEST(NarrowBracket, ClosesOnARootThatIsHitExactly) {
  const Bracket third = narrow_bracket([](double x) { return 1.0 / 3.0 - x; }, {0.0, 1.0}, 1e-15);
  EXPECT_EQ(third.high, 1.0 / 3.0);
  EXPECT_LE(third.high - third.low, 4e-16);
  const Bracket negative = narrow_bracket([](double x) { return -3.0 - x; }, {-8.0, 5.0}, 1e-15);
  EXPECT_NEAR(negative.high, -3.0, 1e-14);
  EXPECT_LE(-3.0, negative.high);
}

TEST(NarrowToMinimum, FindsTheMinimumOfAFunctionThatFallsAndRises) {
  const Bracket found =
      narrow_to_minimum([](double x) { return std::abs(x - 0.3); }, {-7.0, 5.0}, 1e-9);
  EXPECT_LE(found.low, 0.3 + 1e-9);
  EXPECT_GE(found.high, 0.3 - 1e-9);
  EXPECT_LE(found.high - found.low, 1e-9);
}

}  // namespace
}  // namespace modicum::testing::bracketing_test
