#include "modicum/mechanisms/correlated_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::correlated_noise_test {
namespace {

Eigen::MatrixXd random_strategy(SeededRandom& random, int rounds) {
  Eigen::MatrixXd strategy = Eigen::MatrixXd::Zero(rounds, rounds);
  for (int i = 0; i < rounds; ++i)
    for (int j = 0; j <= i; ++j) strategy(i, j) = random.uniform(-1.0, 1.0);
  return strategy;
}

// Rounds that a record may take part in, one bit each, and what they add up to.
double largest_of_all_patterns(const Eigen::MatrixXd& strategy, int separation, int most) {
  const Eigen::MatrixXd gram = strategy.transpose() * strategy;
  const int n = static_cast<int>(strategy.rows());
  double largest = 0.0;
  for (int bits = 1; bits < (1 << n); ++bits) {
    std::vector<int> rounds;
    for (int i = 0; i < n; ++i)
      if ((bits >> i) & 1) rounds.push_back(i);
    bool allowed = static_cast<int>(rounds.size()) <= most;
    for (std::size_t i = 1; i < rounds.size(); ++i)
      allowed = allowed && rounds[i] - rounds[i - 1] >= separation;
    if (!allowed) continue;
    double sum = 0.0;
    for (const int i : rounds)
      for (const int j : rounds) sum += std::abs(gram(i, j));
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

TEST(CorrelatedNoise, SensitivityBoundsEveryPattern) {
  SeededRandom random(16);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd strategy = random_strategy(random, 8);
    for (const int separation : {1, 2, 3, 8})
      for (const int most : {1, 2, 4}) {
        const double truth = largest_of_all_patterns(strategy, separation, most);
        const double found = correlated_sensitivity(
            strategy, {static_cast<double>(separation), static_cast<double>(most)});
        EXPECT_GE(found, truth * (1.0 - 1e-14));
        EXPECT_LE(found, truth * 1.6);
        if (most == 1) {
          EXPECT_NEAR(found, truth, 1e-12);
        }
      }
  }
}

// One record moves the answer by what it adds to its rounds, whatever that is.
TEST(CorrelatedNoise, NoContributionMovesFurther) {
  SeededRandom random(17);
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::MatrixXd strategy = random_strategy(random, 6);
    const double bound = correlated_sensitivity(strategy, {2.0, 1.0, true});
    for (int first = 0; first < 2; ++first) {
      Eigen::MatrixXd added = Eigen::MatrixXd::Zero(6, 3);
      for (int i = first; i < 6; i += 2) {
        for (int j = 0; j < 3; ++j) added(i, j) = random.uniform(-1.0, 1.0);
        added.row(i) /= std::max(1.0, added.row(i).norm());
      }
      EXPECT_LE((strategy * added).norm(), bound);
    }
  }
}

TEST(CorrelatedNoise, KnownStrategies) {
  const Eigen::MatrixXd independent = Eigen::MatrixXd::Identity(12, 12);
  EXPECT_NEAR(correlated_sensitivity(independent, {3.0, 4.0}), 2.0, 1e-12);
  EXPECT_NEAR(correlated_sensitivity(independent, {3.0, 9.0, true}), 2.0, 1e-12);
  EXPECT_NEAR(correlated_sensitivity(independent, {1.0, 1.0, false, {{0.0, 1.0, 2.0}}}),
              std::sqrt(3.0), 1e-12);
  // Prefix sums: the first round is in all.
  const Eigen::MatrixXd prefix = toeplitz_strategy(std::vector<double>(16, 1.0), 16.0);
  EXPECT_NEAR(correlated_sensitivity(prefix, {1.0, 1.0}), 4.0, 1e-12);
  // Rounds 0 and 8: 16 + 8 + 2 * 8, and no pattern has more.
  EXPECT_NEAR(correlated_sensitivity(prefix, {8.0, 2.0, true}), std::sqrt(40.0), 1e-12);
  EXPECT_GE(correlated_sensitivity(prefix, {8.0, 2.0}), std::sqrt(40.0));
  EXPECT_EQ(
      profile(correlated_gaussian(Eigen::MatrixXd::Identity(1, 1), 2.0, {}), 0.5).delta().upper() >=
          profile(gaussian_mechanism(2.0, 1.0), 0.5).delta().lower(),
      true);
}

TEST(CorrelatedNoise, BandsWithSamplesAreAComposition) {
  const Eigen::MatrixXd banded = toeplitz_strategy({0.8, 0.6}, 7.0);  // columns of norm 1
  const double found =
      profile(sampled_banded_gaussian(banded, 1.0, 2.0, 0.1), 0.5, Accuracy::fast).delta().upper();
  const double truth =
      profile(subsampled_gaussian(1.0, 1.0, 0.1).repeated(4.0), 0.5).delta().upper();
  EXPECT_NEAR(found, truth, 1e-9);
  EXPECT_TRUE(
      refuses("separation", [&] { return sampled_banded_gaussian(banded, 1.0, 1.0, 0.1); }));
}

TEST(CorrelatedNoise, TreesHaveTheirLevels) {
  const auto delta = [](const std::vector<double>& steps) {
    return profile(tree_aggregation(3.0, steps), 0.5).delta().upper();
  };
  EXPECT_EQ(delta({1.0}), profile(gaussian_mechanism(3.0, 1.0), 0.5).delta().upper());
  EXPECT_EQ(delta({8.0}), profile(gaussian_mechanism(3.0, 2.0), 0.5).delta().upper());
  EXPECT_EQ(delta({5.0, 8.0, 2.0}), delta({8.0}));
  EXPECT_GT(delta({9.0}), delta({8.0}));
  EXPECT_TRUE(refuses("step_counts", [] { return tree_aggregation(1.0, {}); }));
  EXPECT_TRUE(refuses("step_counts", [] { return tree_aggregation(1.0, {0.5}); }));
}

TEST(CorrelatedNoise, RefusesWhatIsNoStrategy) {
  const auto sensitivity = [](const Eigen::MatrixXd& strategy, const Participation& how = {}) {
    return [=] { return correlated_sensitivity(strategy, how); };
  };
  const Eigen::MatrixXd fine = Eigen::MatrixXd::Identity(3, 3);
  Eigen::MatrixXd upper = fine, bad = fine;
  upper(0, 2) = 0.5;
  bad(1, 0) = not_a_number;
  EXPECT_TRUE(refuses("strategy", sensitivity(Eigen::MatrixXd::Zero(2, 3))));
  EXPECT_TRUE(refuses("strategy", sensitivity(Eigen::MatrixXd())));
  EXPECT_TRUE(refuses("strategy", sensitivity(upper)));
  EXPECT_TRUE(refuses("strategy", sensitivity(bad)));
  EXPECT_TRUE(refuses("separation", sensitivity(fine, {0.0, 1.0})));
  EXPECT_TRUE(refuses("participations", sensitivity(fine, {1.0, not_a_number})));
  EXPECT_TRUE(refuses("pattern", sensitivity(fine, {1.0, 1.0, false, {{3.0}}})));
  EXPECT_TRUE(refuses("pattern", sensitivity(fine, {1.0, 1.0, false, {{1.0, 1.0}}})));
  EXPECT_TRUE(refuses("noise_multiplier", [&] { return correlated_gaussian(fine, 0.0, {}); }));
  EXPECT_TRUE(refuses("rounds", [] { return toeplitz_strategy({1.0}, 5000.0); }));
}

}  // namespace
}  // namespace modicum::testing::correlated_noise_test
