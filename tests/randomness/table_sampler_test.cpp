#include "modicum/randomness/table_sampler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::table_sampler_test {
namespace {

// Words given one by one.
class GivenWords final : public RandomSource {
 public:
  explicit GivenWords(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  std::uint64_t next() override { return words_.at(used_++); }
  std::size_t used() const { return used_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

TEST(TableSampler, DrawsEveryValueAsOftenAsItShould) {
  SeededSource source(3);
  const std::vector<double> weights{0.0, 1.0, 2.5, 0.0, 1e-3, 4.0, 0.0};
  const TableSampler sampler(weights);
  std::vector<double> seen(weights.size());
  const double draws = 200000.0;
  for (double i = 0.0; i < draws; ++i) ++seen[sampler.draw(source)];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = weights[i] / 7.501;
    // Seven standard deviations.
    EXPECT_NEAR(seen[i] / draws, share, 7.0 * std::sqrt(share / draws)) << i;
  }
  EXPECT_EQ(seen[0] + seen[3] + seen[6], 0.0);
}

// Thirds: the sums lie between two words, whose neighbors decide at once and which themselves do
// not. In base 2^64 a third is 0x5555...
TEST(TableSampler, DrawsMoreWhereAWordDoesNotDecide) {
  const TableSampler sampler(std::vector<double>{1.0, 1.0, 1.0});
  constexpr std::uint64_t third = 0x5555555555555555U;
  GivenWords below({third - 1}), above({third + 1});
  EXPECT_EQ(sampler.draw(below), 0U);
  EXPECT_EQ(sampler.draw(above), 1U);
  GivenWords open_below({third, third, third - 1}), open_above({third, third, third, third + 1});
  EXPECT_EQ(sampler.draw(open_below), 0U);
  EXPECT_EQ(open_below.used(), 3U);
  EXPECT_EQ(sampler.draw(open_above), 1U);
  EXPECT_EQ(open_above.used(), 4U);
  GivenWords last({~std::uint64_t{0}}), first({0});
  EXPECT_EQ(sampler.draw(last), 2U);
  EXPECT_EQ(sampler.draw(first), 0U);
}

// Halves: the word at the middle decides, since no bit that follows could lie below it.
TEST(TableSampler, WeightsOfVeryDifferentSizes) {
  const TableSampler halves(std::vector<double>{3.0, 3.0});
  GivenWords middle({std::uint64_t{1} << 63});
  EXPECT_EQ(halves.draw(middle), 1U);
  // The second value has 2^-1000 of the mass: about a thousand zeros choose the first.
  const TableSampler sampler(std::vector<double>{0x1p-1000, 1.0});
  GivenWords zeros(std::vector<std::uint64_t>(17, 0)), ones({0, 1});
  EXPECT_EQ(sampler.draw(zeros), 0U);
  EXPECT_EQ(sampler.draw(ones), 1U);
  SeededSource source(4);
  EXPECT_EQ(TableSampler(std::vector<double>{0.0, 5e-324}).draw(source), 1U);
}

TEST(TableSampler, RefusesWhatIsNoDistribution) {
  for (const std::vector<double>& bad :
       {std::vector<double>{}, {0.0}, {-1.0, 2.0}, {not_a_number}, {infinity}})
    EXPECT_TRUE(refuses("weight", [&] { return TableSampler(bad); }) ||
                refuses("number of weights above 0", [&] { return TableSampler(bad); }));
}

}  // namespace
}  // namespace modicum::testing::table_sampler_test
