// The law of right guesses against enumeration and against playing the game.
#include "auditing/black_box_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/seeded_random.h"

namespace modicum::testing::black_box_law_test {
namespace {

double binomial_mass(std::size_t n, std::size_t k, double p) {
  double mass = 1.0;
  for (std::size_t i = 0; i < k; ++i)
    mass *= static_cast<double>(n - i) / static_cast<double>(i + 1) * p;
  return mass * std::pow(1.0 - p, static_cast<double>(n - k));
}

// All subsets of right guesses, one by one.
double enumerated(const std::vector<WeightClass>& classes, double epsilon, double delta,
                  std::size_t trials, std::size_t score) {
  std::vector<std::size_t> weights;
  for (const auto& [weight, count] : classes) weights.insert(weights.end(), count, weight);
  const double q = std::exp(epsilon) / (1.0 + std::exp(epsilon));
  double total = 0.0;
  for (std::size_t j = 0; j <= trials; ++j) {
    const std::size_t given = std::min(j, weights.size());
    double reached = 0.0;
    for (std::size_t right = 0; right < (std::size_t{1} << (weights.size() - given)); ++right) {
      std::size_t sum = std::accumulate(weights.begin(), weights.begin() + long(given), 0ul);
      double probability = 1.0;
      for (std::size_t i = given; i < weights.size(); ++i) {
        const bool is_right = ((right >> (i - given)) & 1) != 0;
        if (is_right) sum += weights[i];
        probability *= is_right ? q : 1.0 - q;
      }
      if (sum >= score) reached += probability;
    }
    total += binomial_mass(trials, j, delta) * reached;
  }
  return total;
}

std::vector<WeightClass> random_classes(SeededRandom& random) {
  std::vector<WeightClass> classes;
  for (std::size_t weight = 5; weight > 0; --weight)
    if (random.whole(0, 1) == 1)
      classes.push_back({weight, static_cast<std::size_t>(random.whole(1, 3))});
  if (classes.empty()) classes.push_back({1, 2});
  return classes;
}

std::size_t heaviest_score(const std::vector<WeightClass>& classes) {
  std::size_t sum = 0;
  for (const auto& [weight, count] : classes) sum += weight * count;
  return sum;
}

TEST(RightGuesses, AgreeWithEnumeration) {
  SeededRandom random(2201);
  for (int i = 0; i < 200; ++i) {
    const auto classes = random_classes(random);
    const std::size_t trials = 15 + static_cast<std::size_t>(random.whole(0, 5));
    const double epsilon = random.uniform(0.0, 4.0);
    const double delta = random.whole(0, 3) == 0 ? 0.0 : random.log_uniform(1e-8, 0.9);
    for (std::size_t score = 0; score <= heaviest_score(classes) + 1; ++score) {
      const double exact = enumerated(classes, epsilon, delta, trials, score);
      const double value = RightGuesses(classes, epsilon, score).p_value(trials, delta);
      EXPECT_GE(value, exact * (1.0 - 1e-12)) << "score " << score;
      EXPECT_LE(value, exact * (1.0 + 1e-8) + 1e-20) << "score " << score;
    }
  }
}

TEST(RightGuesses, OneClassIsABinomialTail) {
  // sum_{k >= 60} C(80, k) / 2^80, in whole numbers.
  const double value = RightGuesses({{1, 80}}, 0.0, 60).p_value(100, 0.0);
  EXPECT_NEAR(value / 4.290279933524806e-06, 1.0, 1e-8);
}

TEST(RightGuesses, GrowWithEpsilonDeltaAndFallWithTheScore) {
  SeededRandom random(2202);
  for (int i = 0; i < 50; ++i) {
    const std::vector<WeightClass> classes{{7, static_cast<std::size_t>(random.whole(1, 500))},
                                           {2, static_cast<std::size_t>(random.whole(1, 5000))},
                                           {1, static_cast<std::size_t>(random.whole(1, 5000))}};
    const std::size_t trials = 20000;
    const double epsilon = random.uniform(0.0, 2.0), delta = random.log_uniform(1e-6, 0.1);
    const auto score = static_cast<std::size_t>(random.uniform(0.5, 1.0) *
                                                static_cast<double>(heaviest_score(classes)));
    const double value = RightGuesses(classes, epsilon, score).p_value(trials, delta);
    // Rounding, and what is left out.
    const auto at_most = [](double a, double b) { return a <= b * (1.0 + 1e-9) + 1e-20; };
    EXPECT_TRUE(
        at_most(value, RightGuesses(classes, epsilon + 0.01, score).p_value(trials, delta)));
    EXPECT_TRUE(at_most(value, RightGuesses(classes, epsilon, score).p_value(trials, 1.1 * delta)));
    EXPECT_TRUE(at_most(RightGuesses(classes, epsilon, score + 1).p_value(trials, delta), value));
  }
}

TEST(RightGuesses, FailClosed) {
  const std::vector<WeightClass> classes{{2, 10}, {1, 10}};
  EXPECT_EQ(RightGuesses(classes, std::nan(""), 25).p_value(100, 1e-3), 1.0);
  EXPECT_EQ(RightGuesses(classes, 1.0, 25).p_value(100, std::nan("")), 1.0);
  EXPECT_EQ(RightGuesses(classes, 1.0, 0).p_value(100, 0.0), 1.0);
  EXPECT_EQ(RightGuesses(classes, 1e6, 30).p_value(100, 0.0), 1.0);
  EXPECT_EQ(RightGuesses(classes, 1.0, 30).p_value(100, 1.0), 1.0);
  EXPECT_EQ(RightGuesses({}, 1.0, 0).p_value(100, 0.1), 1.0);
}

TEST(TruncatedBinomial, LosesNothing) {
  for (const std::size_t n : {1ul, 2ul, 30ul, 1000ul, 1000000ul})
    for (const double p : {1e-9, 1e-3, 0.3, 0.5, 0.9, 1.0 - 1e-6}) {
      const TruncatedBinomial law = truncated_binomial(n, p, 1.0 - p);
      double sum = 0.0, mean = 0.0;
      for (std::size_t k = 0; k < law.mass.size(); ++k) {
        sum += law.mass[k];
        mean += law.mass[k] * static_cast<double>(law.first + k);
      }
      EXPECT_NEAR(sum, 1.0, 1e-12);
      EXPECT_LT(law.lost, 1e-18);
      EXPECT_NEAR(mean / (static_cast<double>(n) * p), 1.0, 1e-9) << n << ' ' << p;
    }
}

}  // namespace
}  // namespace modicum::testing::black_box_law_test
