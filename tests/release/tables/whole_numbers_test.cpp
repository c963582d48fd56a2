#include "release/tables/whole_numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/numerics/errors.h"
#include "support/seeded_random.h"

namespace modicum::testing::whole_numbers_test {
namespace {

TEST(PowerOfTwoBelow, IsAtMostTheValueAndAboveHalfOfIt) {
  EXPECT_EQ(power_of_two_below(1.0), 1.0);
  EXPECT_EQ(power_of_two_below(1.999), 1.0);
  EXPECT_EQ(power_of_two_below(0.3), 0.25);
  EXPECT_THROW(power_of_two_below(0.0), InvalidParameter);
  EXPECT_THROW(power_of_two_below(NAN), InvalidParameter);
}

TEST(Split, KeepsWholeNumbersExactly) {
  SeededRandom random(1);
  for (int i = 0; i < 2000; ++i) {
    const int shift = random.whole(0, 52);
    const Integer128 value = static_cast<Integer128>(random.uniform(-0x1p62, 0x1p62)) *
                                 (Integer128{1} << random.whole(0, 30)) +
                             random.whole(-1000, 1000);
    const OnGrid found = split(value, 0.25, std::ldexp(0.25, shift));
    EXPECT_LE(std::abs(found.remainder), 0.5);
    const double rest = std::ldexp(found.remainder, shift);
    EXPECT_EQ(rest, std::nearbyint(rest));
    EXPECT_TRUE(found.whole * (Integer128{1} << shift) + static_cast<Integer128>(rest) == value);
  }
}

TEST(Split, ToAFinerGridIsAMultiplication) {
  const OnGrid found = split(Integer128{-5}, 1.0, 0x1p-10);
  EXPECT_TRUE(found.whole == -5 * 1024);
  EXPECT_EQ(found.remainder, 0.0);
  EXPECT_THROW(split(Integer128{1} << 80, 1.0, 0x1p-30), Error);
  EXPECT_THROW(split(Integer128{1}, 1.0, 0x1p53), Error);
}

TEST(Split, KeepsDoublesExactly) {
  SeededRandom random(2);
  for (int i = 0; i < 2000; ++i) {
    const double value = random.sign() * random.log_uniform(1e-12, 1e12);
    const OnGrid found = split(value, 0x1p-10);
    EXPECT_LE(std::abs(found.remainder), 0.5);
    EXPECT_EQ(std::fma(static_cast<double>(found.whole), 0x1p-10, found.remainder * 0x1p-10),
              value);
  }
  EXPECT_THROW(split(0x1p101, 1.0), Error);
  EXPECT_THROW(split(HUGE_VAL, 1.0), Error);
  EXPECT_THROW(split(NAN, 1.0), Error);
}

}  // namespace
}  // namespace modicum::testing::whole_numbers_test
