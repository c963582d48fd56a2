// What distinguishers learn, against the true log odds.
#include "auditing/distinguisher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "auditing/black_box_profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::distinguisher_test {
namespace {

using Draw = std::function<std::vector<double>(bool one)>;

// Trials of a law for each bit.
Trials trials_of(const Draw& draw, std::size_t count, SeededRandom& random) {
  Samples with, without;
  for (std::size_t i = 0; i < count; ++i) {
    with.add(draw(true));
    without.add(draw(false));
  }
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = random.whole(0, 1) == 1;
  return play(with, without, bits);
}

// Mean square distance of learned log odds from the true ones, on trials not learned from.
double error_of(Distinguisher& distinguisher, const Trials& trials,
                const std::function<double(Eigen::VectorXd)>& truth) {
  const std::size_t half = trials.size() / 2;
  distinguisher.learn(trials, 0, half);
  const std::vector<double> learned = distinguisher.log_odds(trials, half, trials.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const double off = learned[i] - truth(trials.outputs.col(static_cast<Eigen::Index>(half + i)));
    sum += off * off;
  }
  return sum / static_cast<double>(learned.size());
}

TEST(LogisticDistinguisher, LearnsAShiftOfNormals) {
  SeededRandom random(2301);
  const auto draw = [&](bool one) {
    return std::vector<double>{100.0 + random.normal() + (one ? 0.8 : 0.0), 1e-3 * random.normal()};
  };
  const Trials trials = trials_of(draw, 20000, random);
  const auto distinguisher = logistic_distinguisher(false);
  // Three coefficients from 10,000 trials: a mean square error of about 3 * 4 / 10,000.
  EXPECT_LT(error_of(*distinguisher, trials,
                     [](const Eigen::VectorXd& x) { return 0.8 * (x[0] - 100.0) - 0.32; }),
            5.0 * 3.0 * 4.0 / 10000.0);
}

TEST(LogisticDistinguisher, LearnsAnotherCovarianceFromProducts) {
  SeededRandom random(2302);
  const double rho = 0.6;
  const auto draw = [&](bool one) {
    const double x = random.normal(), y = random.normal();
    return std::vector<double>{x, one ? rho * x + std::sqrt(1.0 - rho * rho) * y : y};
  };
  const auto truth = [rho](const Eigen::VectorXd& x) {
    const double rest = 1.0 - rho * rho, z = x[1] - rho * x[0];
    return 0.5 * (x[1] * x[1] - z * z / rest - std::log(rest));
  };
  const Trials trials = trials_of(draw, 20000, random);
  EXPECT_LT(error_of(*logistic_distinguisher(true), trials, truth), 5.0 * 6.0 * 4.0 / 10000.0);
  EXPECT_GT(error_of(*logistic_distinguisher(false), trials, truth), 0.1);
}

TEST(NeighborDistinguisher, SeesWhatNoLineParts) {
  SeededRandom random(2303);
  const auto draw = [&](bool one) {
    return std::vector<double>{0.2 * random.normal() + 2.0 * random.whole(0, 3) +
                               (one ? 1.0 : 0.0)};
  };
  const Trials trials = trials_of(draw, 4000, random);
  const auto distinguisher = neighbor_distinguisher();
  distinguisher->learn(trials, 0, 2000);
  const std::vector<double> learned = distinguisher->log_odds(trials, 2000, 4000);
  int right = 0;
  for (std::size_t i = 0; i < learned.size(); ++i)
    if ((learned[i] > 0.0) == (trials.bit[2000 + i] != 0)) ++right;
  EXPECT_GT(right, 1940);  // 2 P[N > 2.5] = 1.2 % lie nearer to the wrong side
}

TEST(RepeatCounts, MixSightingsWithTheOtherOpinion) {
  Samples with, without;
  for (int i = 0; i < 3; ++i) with.add(std::vector<double>{5.0});
  without.add(std::vector<double>{-0.0});
  without.add(std::vector<double>{0.0});
  with.add(std::vector<double>{1.0});
  with.add_failure();
  with.add(std::vector<double>{5.0});
  with.add_failure();
  const Trials trials =
      play(with, without, {true, true, true, false, false, true, true, true, true});
  ASSERT_EQ(trials.size(), 9u);
  EXPECT_EQ(trials.repeat[0], trials.repeat[7]);
  EXPECT_EQ(trials.repeat[3], trials.repeat[4]) << "-0 and 0 are one value";
  EXPECT_EQ(trials.repeat[5], seen_once);
  EXPECT_EQ(trials.regular[6], 0);
  const RepeatCounts counts(trials, 0, 7);
  std::vector<double> odds(9, std::log(3.0));  // p = 3/4
  counts.adjust(trials, 0, 2.0, odds);
  EXPECT_NEAR(odds[7], std::log((3.0 + 1.5) / 0.5), 1e-12);
  EXPECT_NEAR(odds[3], std::log(1.5 / (2.0 + 0.5)), 1e-12);
  EXPECT_EQ(odds[5], std::log(3.0));
  std::vector<double> plain(9, 0.0);
  counts.adjust(trials, 0, infinity, plain);
  EXPECT_EQ(plain[7], 0.0);
  EXPECT_NEAR(plain[8], std::log(1.5 / 0.5), 1e-12) << "failures are always counted";
}

TEST(Play, EndsWithTheSamplesAndSetsOddOnesApart) {
  Samples with, without;
  with.add(std::vector<double>{1.0, 2.0});
  with.add(std::vector<double>{1.0, infinity});
  with.add(std::vector<double>{1.0});
  without.add(std::vector<double>{3.0, 4.0});
  const Trials trials = play(with, without, {true, false, true, true, false, true});
  EXPECT_EQ(trials.size(), 4u) << "the second sample without the record is not there";
  EXPECT_EQ(trials.dimension, 2u);
  EXPECT_EQ(trials.regular, (std::vector<char>{1, 1, 0, 0}));
  EXPECT_EQ(trials.outputs(1, 1), 4.0);
  EXPECT_NE(trials.repeat[2], seen_once);
}

// Shares that sum to at most 1, whatever the log odds are.
TEST(WeightProfiles, AreSharesOfTheTrials) {
  SeededRandom random(2304);
  for (int i = 0; i < 300; ++i) {
    std::vector<double> log_odds(static_cast<std::size_t>(random.whole(10, 500)));
    const double scale = random.log_uniform(1e-3, 1e3);
    const bool ties = random.whole(0, 2) == 0;
    for (double& value : log_odds)
      value = ties ? scale * random.whole(-2, 2) : scale * random.normal();
    const PrivacyTarget claim(random.uniform(0.0, 3.0), random.whole(0, 1) * random.unit() * 0.1);
    const WeightProfiles profiles = choose_profiles(log_odds, claim, 1000, 0.05);
    for (const WeightProfile& profile : {profiles.epsilon, profiles.delta}) {
      double sum = 0.0;
      for (const double share : profile.shares) {
        EXPECT_GE(share, 0.0);
        sum += share;
      }
      EXPECT_GT(sum, 0.0);
      EXPECT_LE(sum, 1.0 + 1e-9);
      EXPECT_LE(profile.shares.size(), 16u);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::distinguisher_test
