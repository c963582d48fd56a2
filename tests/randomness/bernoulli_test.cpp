#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::bernoulli_test {
namespace {

constexpr std::uint64_t half = std::uint64_t{1} << 63;

// What is answered when the uniform number starts with these words, none of which is left over.
bool answer(double probability, std::deque<std::uint64_t> words) {
  ScriptedSource source(std::move(words));
  const bool result = bernoulli(probability, source);
  EXPECT_TRUE(source.used_up());
  return result;
}

TEST(Bernoulli, ComparesDigitByDigit) {
  EXPECT_TRUE(answer(0.5, {half - 1}));
  EXPECT_FALSE(answer(0.5, {half + 1}));
  EXPECT_FALSE(answer(0.5, {half, 1}));
  EXPECT_FALSE(answer(0.5, {half, 0, 0, 7}));
  EXPECT_FALSE(answer(0x1p-65, {1}));
  EXPECT_TRUE(answer(0x1p-65, {0, half - 1}));
  EXPECT_FALSE(answer(0x1p-65, {0, half, 1}));
  EXPECT_TRUE(answer(1.0 - 0x1p-53, {~std::uint64_t{0} - 0x800}));
  EXPECT_FALSE(answer(1.0 - 0x1p-53, {~std::uint64_t{0}}));
}

TEST(Bernoulli, IsExactForTheSmallestDouble) {
  // 2^-1074 has its only digit in word 16, at 2^14.
  std::deque<std::uint64_t> words(16, 0);
  words.push_back((1U << 14) - 1);
  EXPECT_TRUE(answer(5e-324, words));
  words.back() = 1U << 14;
  words.push_back(1);
  EXPECT_FALSE(answer(5e-324, words));
}

// Fixed seed; over all seeds a false alarm has probability 1e-9 each.
TEST(Bernoulli, HasItsProbability) {
  SeededSource source(61);
  for (const double probability : {1e-4, 0.1, 1.0 / 3.0, 0.5, 0.9}) {
    double yes = 0.0;
    for (int i = 0; i < 1000000; ++i) yes += bernoulli(probability, source) ? 1.0 : 0.0;
    EXPECT_GT(pearson_probability({{probability, yes}, {1.0 - probability, 1e6 - yes}}), 1e-9);
  }
}

TEST(Bernoulli, IsSureAtTheEnds) {
  for (const std::uint64_t word : {std::uint64_t{1}, half, ~std::uint64_t{0}}) {
    ConstantSource source(word);
    EXPECT_FALSE(bernoulli(0.0, source));
    EXPECT_TRUE(bernoulli(1.0, source));
  }
}

TEST(Bernoulli, RefusesWhatIsNoProbability) {
  SeededSource source(62);
  for (const double bad : {-5e-324, 1.0 + 0x1p-52, not_a_number, infinity, -infinity})
    EXPECT_TRUE(refuses("probability", [&] { return bernoulli(bad, source); })) << bad;
}

}  // namespace
}  // namespace modicum::testing::bernoulli_test
