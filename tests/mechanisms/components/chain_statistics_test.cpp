#include "mechanisms/components/chain_statistics.h"

#include <gtest/gtest.h>

#include "support/seeded_random.h"

namespace modicum::testing::chain_statistics_test {
namespace {

std::vector<double> autoregression(SeededRandom& random, double memory, double level) {
  std::vector<double> trace;
  double state = random.normal() / std::sqrt(1.0 - memory * memory);
  for (int i = 0; i < 100000; ++i) {
    state = memory * state + random.normal();
    trace.push_back(level + state);
  }
  return trace;
}

// The time of an autoregression with memory m is (1 + m)/(1 - m). Summed over the some 60 lags that
// count at m = 0.9, its estimate has a relative deviation of about sqrt(2 (2 60 + 1)/100000) = 5 %:
// 30 % are 6 of these, 2e-9.
TEST(AutocorrelationTime, IsThatOfAnAutoregression) {
  SeededRandom random(1);
  for (const double memory : {0.0, 0.5, 0.9}) {
    const double exact = (1.0 + memory) / (1.0 - memory);
    EXPECT_NEAR(autocorrelation_time(autoregression(random, memory, 3.0)), exact, 0.3 * exact);
  }
  EXPECT_EQ(autocorrelation_time(std::vector<double>(50, 0.1)), 1.0);
}

// The means of equal chains differ by some 1/100 of a deviation; 1.01 would take 25 times that, and
// 1.3 is as far from chains that are two units, 1.7 deviations, apart.
TEST(PotentialScale, SeesChainsThatDisagree) {
  SeededRandom random(2);
  const auto one = autoregression(random, 0.5, 0.0), same = autoregression(random, 0.5, 0.0);
  const auto other = autoregression(random, 0.5, 2.0);
  EXPECT_LT(potential_scale(one, same), 1.01);
  EXPECT_GT(potential_scale(one, other), 1.3);
  EXPECT_EQ(potential_scale(std::vector<double>(50, 2.0), std::vector<double>(50, 2.0)), 1.0);
  EXPECT_GT(potential_scale(std::vector<double>(50, 2.0), std::vector<double>(50, 3.0)), 1e6);
}

}  // namespace
}  // namespace modicum::testing::chain_statistics_test
