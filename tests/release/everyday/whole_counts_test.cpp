#include "release/everyday/whole_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/seeded_source.h"

namespace modicum::whole_counts_test {
namespace {

constexpr CountNoise on_integers[] = {CountNoise::discrete_gaussian, CountNoise::discrete_laplace,
                                      CountNoise::optimal};

EverydayQuestion counted(CountNoise noise, Adjacency neighbors = Adjacency::add_remove) {
  EverydayQuestion question{{{"x"}, {Bins::of_categories({"a", "b", "c"})}}, {}, {}};
  question.noise = noise;
  question.neighbors = neighbors;
  return question;
}

TEST(WholeCounts, LossGivesBackTheTarget) {
  const PrivacyTarget target{1.0, 1e-6};
  for (const CountNoise noise : on_integers) {
    const EverydayPlan plan = plan_everyday(target, Everyday::count, counted(noise));
    const PrivacyLoss loss = describe(plan.certificate.loss).loss;
    EXPECT_LE(profile(loss, 1.0).delta().upper(), 1e-6) << to_string(noise);
    EXPECT_NEAR(epsilon_at(loss, 1e-6).value.upper(), 1.0, 1e-6) << to_string(noise);
  }
}

// A row moves from one group to another: two numbers move. White-box, by the definition of delta on
// pairs of numbers; the twin has noise for one number.
TEST(WholeCounts, ReplacedRowsAreAuditedBesideABrokenTwin) {
  const PrivacyTarget pure{1.0, 0.0};
  const auto delta = [&](Adjacency calibrated_for) {
    const EverydayPlan plan =
        plan_everyday(pure, Everyday::count, counted(CountNoise::optimal, calibrated_for));
    EXPECT_EQ(describe(plan.certificate.loss).adjacency, calibrated_for);
    const double falling = std::get<Staircase>(plan.whole->noise).epsilon;
    const auto mass = [&](int k) {
      return std::tanh(0.5 * falling) * std::exp(-falling * std::abs(k));
    };
    double sum = 0.0;
    for (int a = -90; a <= 90; ++a)
      for (int b = -90; b <= 90; ++b)
        sum += std::max(0.0, mass(a) * mass(b) - std::exp(1.0) * mass(a - 1) * mass(b + 1));
    return sum;
  };
  EXPECT_LE(delta(Adjacency::replace_one), 1e-12);
  EXPECT_GT(delta(Adjacency::add_remove), 0.1);
}

TEST(WholeCounts, IsFarLessThanGaussianNoiseForOneHistogram) {
  const PrivacyTarget target{1.0, 1e-5};
  const auto variance = [&](CountNoise noise) {
    return std::pow(
        *plan_everyday(target, Everyday::count, counted(noise)).noise.standard_deviation, 2.0);
  };
  EXPECT_NEAR(variance(CountNoise::optimal), 1.839617, 1e-5);
  EXPECT_NEAR(variance(CountNoise::discrete_laplace), 1.841, 2e-3);
  EXPECT_NEAR(variance(CountNoise::discrete_gaussian), 13.99, 0.02);
}

// Mass of the noise where it is known: a chi-square test of what is seen in |k| <= 4 and beyond, 9
// degrees of freedom, at a false-alarm rate of 1e-6 (46).
TEST(WholeCounts, HasTheDistributionThatIsDescribed) {
  for (const CountNoise noise : {CountNoise::discrete_gaussian, CountNoise::discrete_laplace}) {
    const EverydayPlan plan = plan_everyday({1.0, 0.01}, Everyday::count, counted(noise));
    const double parameter = noise == CountNoise::discrete_laplace
                                 ? plan.certificate.loss.at("scale").number()
                                 : plan.certificate.loss.at("sigma").number();
    std::map<int, double> mass;
    double sum = 0.0;
    for (int k = -200; k <= 200; ++k) {
      const double own = noise == CountNoise::discrete_laplace
                             ? std::exp(-std::abs(k) / parameter)
                             : std::exp(-k * k / (2.0 * parameter * parameter));
      mass[std::abs(k) <= 4 ? k : 5] += own;
      sum += own;
    }
    testing::SeededSource source(5);
    std::map<int, double> seen;
    constexpr int draws = 2000;  // of three numbers each
    for (int i = 0; i < draws; ++i) {
      const Eigen::MatrixXd values = release_everyday(plan, {1.0, {500, 600, 700}}, source).values;
      for (int j = 0; j < 3; ++j) {
        const int k = static_cast<int>(values(j, 0)) - 500 - 100 * j;
        ++seen[std::abs(k) <= 4 ? k : 5];
      }
    }
    double statistic = 0.0;
    for (const auto& [k, own] : mass) {
      const double expected = 3.0 * draws * own / sum;
      statistic += std::pow(seen[k] - expected, 2.0) / expected;
    }
    EXPECT_LT(statistic, 46.0) << to_string(noise);
  }
}

// Of 3000 intervals each: fewer than 93 % hold the truth once in 10^6 times.
TEST(WholeCounts, IntervalsHoldTheTruth) {
  for (const CountNoise noise : on_integers) {
    const EverydayPlan plan = plan_everyday({0.5, 1e-4}, Everyday::count, counted(noise));
    testing::SeededSource source(8);
    int held = 0;
    for (int i = 0; i < 1000; ++i) {
      const Eigen::MatrixXd values = release_everyday(plan, {1.0, {0, 40, 900}}, source).values;
      const double truth[] = {0, 40, 900};
      for (int j = 0; j < 3; ++j) held += values(j, 1) <= truth[j] && truth[j] <= values(j, 2);
    }
    EXPECT_GE(held, 0.93 * 3000) << to_string(noise);
  }
}

EverydayQuestion whole_sum(const Range& range, Adjacency neighbors = Adjacency::add_remove) {
  EverydayQuestion question{{}, {"x"}, {range}};
  question.integers = true;
  question.noise = CountNoise::optimal;
  question.neighbors = neighbors;
  return question;
}

// Of 2000 sums: the mean square of the noise is off by 5 deviations once in 10^6 times; it has
// heavier tails than a normal number, whose squares deviate by sqrt(2).
TEST(WholeCounts, SumsOfWholeNumbersHaveTheNoiseThatIsDescribed) {
  const EverydayPlan plan = plan_everyday({1.0, 1e-6}, Everyday::sum, whole_sum(Range(-3, 7)));
  EXPECT_EQ(plan.whole->sensitivity, 7.0);
  EXPECT_LE(profile(describe(plan.certificate.loss).loss, 1.0).delta().upper(), 1e-6);
  testing::SeededSource source(12);
  constexpr int draws = 2000;
  double squares = 0.0;
  int held = 0;
  for (int i = 0; i < draws; ++i) {
    const Eigen::MatrixXd values = release_everyday(plan, {1.0, {-1000}}, source).values;
    ASSERT_EQ(values(0, 0), std::round(values(0, 0)));
    squares += std::pow(values(0, 0) + 1000.0, 2.0);
    held += values(0, 1) <= -1000.0 && -1000.0 <= values(0, 2);
  }
  const double variance = std::pow(*plan.noise.standard_deviation, 2.0);
  EXPECT_NEAR(squares / draws, variance, 5.0 * std::sqrt(5.0 / draws) * variance);
  EXPECT_GE(held, 0.92 * draws);
  EXPECT_LT(variance, 0.2 * std::pow(7.0 * 4.22, 2.0)) << "far less than Gaussian noise";
}

// White-box, by the definition of delta at every shift that a row can make; the twin has the noise
// of a table whose rows come and go, where one may be replaced.
TEST(WholeCounts, SumsAreAuditedBesideABrokenTwin) {
  const auto delta = [&](Adjacency calibrated_for, double shift) {
    const EverydayPlan plan =
        plan_everyday({1.0, 1e-3}, Everyday::sum, whole_sum(Range(-3, 3), calibrated_for));
    const auto& noise = std::get<IntegerNoise>(plan.whole->noise);
    const auto mass = [&](double k) {
      const double place = k - static_cast<double>(noise.first);
      return place >= 0.0 && place < static_cast<double>(noise.probabilities.size())
                 ? noise.probabilities[static_cast<std::size_t>(place)]
                 : 0.0;
    };
    double sum = 0.0;
    for (double k = -400; k <= 400; ++k)
      sum += std::max(0.0, mass(k) - std::exp(1.0) * mass(k - shift));
    return sum;
  };
  for (double shift = 1; shift <= 3; ++shift)
    EXPECT_LE(delta(Adjacency::add_remove, shift), 1e-3 * (1 + 1e-9)) << shift;
  for (double shift = 1; shift <= 6; ++shift)
    EXPECT_LE(delta(Adjacency::replace_one, shift), 1e-3 * (1 + 1e-9)) << shift;
  EXPECT_GT(delta(Adjacency::add_remove, 6), 0.1);
}

TEST(WholeCounts, SumsThatMoveSeveralNumbersAreRefused) {
  EverydayQuestion two{{}, {"x", "y"}, {Range(0, 3), Range(0, 3)}};
  two.integers = true;
  two.noise = CountNoise::optimal;
  EverydayQuestion moved = whole_sum(Range(0, 3), Adjacency::replace_one);
  moved.groups = {{"g"}, {Bins::of_categories({"a", "b"})}};
  EverydayQuestion real = whole_sum(Range(0, 3));
  real.integers = false;
  for (const EverydayQuestion& each :
       {two, moved, real, whole_sum(Range(0, 5000)), whole_sum(Range(0, 0.25))})
    EXPECT_THROW(plan_everyday({1.0, 1e-6}, Everyday::sum, each), InvalidParameter);
}

TEST(WholeCounts, PureTargetsAreMet) {
  const PrivacyTarget pure{0.7, 0.0};
  for (const CountNoise noise : {CountNoise::discrete_laplace, CountNoise::optimal}) {
    const EverydayPlan plan = plan_everyday(pure, Everyday::count, counted(noise));
    EXPECT_EQ(profile(describe(plan.certificate.loss).loss, 0.7).delta().upper(), 0.0);
  }
  EXPECT_THROW(plan_everyday(pure, Everyday::count, counted(CountNoise::discrete_gaussian)),
               CalibrationFailed);
}

TEST(WholeCounts, PersonsMoveOneNumberByTheirRows) {
  EverydayQuestion question = counted(CountNoise::optimal);
  question.unit = PersonRule{"id", 3.0, 1.0};
  const EverydayPlan plan = plan_everyday({1.0, 1e-6}, Everyday::count, question);
  EXPECT_EQ(plan.whole->sensitivity, 3.0);
  question.unit = PersonRule{"id", 3.0, {}};
  EXPECT_THROW(plan_everyday({1.0, 1e-6}, Everyday::count, question), InvalidParameter);
  EXPECT_THROW(plan_everyday({1.0, 1e-6}, Everyday::mean,
                             [] {
                               EverydayQuestion mean{{}, {"x"}, {Range(0, 1)}};
                               mean.noise = CountNoise::optimal;
                               return mean;
                             }()),
               InvalidParameter);
}

}  // namespace
}  // namespace modicum::whole_counts_test
