#include "modicum/mechanisms/optimal_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "support/reference_files.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"

namespace modicum::testing::optimal_noise_test {
namespace {

using Kind = NoiseError::Kind;

// delta of any noise at the worst shift up to the sensitivity, by the definition.
double delta_by_sums(const std::vector<double>& p, double epsilon, int sensitivity) {
  double worst = 0.0;
  const auto at = [&](int k) {
    return k >= 0 && k < static_cast<int>(p.size()) ? p[static_cast<std::size_t>(k)] : 0.0;
  };
  for (int shift = -sensitivity; shift <= sensitivity; ++shift) {
    double sum = 0.0;
    for (int k = 0; k < static_cast<int>(p.size()); ++k)
      sum += std::max(0.0, at(k) - std::exp(epsilon) * at(k + shift));
    worst = std::max(worst, sum);
  }
  return worst;
}

// Two linear programs, solved elsewhere: over falling noises, which ours are, and over all.
TEST(OptimalNoise, AgreesWithLinearPrograms) {
  for (const auto& row : read_reference("optimal_noise", "integers")) {
    const PrivacyTarget target(row.at("epsilon"), row.at("delta"));
    const NoiseError error{row.at("power") == 1 ? Kind::absolute : Kind::squared};
    const auto found = optimal_integer_noise(target, row.at("sensitivity"), error);
    const double falling = row.at("falling"), all = row.at("all");
    EXPECT_NEAR(found->error / falling, 1.0, 1e-9) << row;
    EXPECT_LE(found->lower_bound, all * (1.0 + 1e-9)) << row;
    EXPECT_GE(found->lower_bound, all * (1.0 - 0.6 * target.delta) * (1.0 - 1e-7) - 1e-12) << row;
  }
}

// Costs of first steps next to each other differ by less than a double of them can tell.
TEST(OptimalNoise, OfTinyEpsilonAndLargeSensitivityIsAStaircaseProvedToBeTheBest) {
  for (const double epsilon : {1e-5, 1e-6, 1e-9})
    for (const double sensitivity : {1000.0, 4096.0}) {
      const auto found = optimal_integer_noise({epsilon, 0.0}, sensitivity, {Kind::squared});
      ASSERT_TRUE(std::holds_alternative<Staircase>(found->noise));
      EXPECT_EQ(std::get<Staircase>(found->noise).inner, sensitivity / 2.0);
      EXPECT_GE(found->lower_bound, found->error * (1.0 - 1e-11));
      // That of Laplace noise less about D^2/12 [GengViswanath2016].
      const double laplace = 2.0 * std::pow(sensitivity / epsilon, 2);
      EXPECT_NEAR(found->error / laplace, 1.0, epsilon);
    }
}

TEST(OptimalNoise, MeetsItsTargetAtEveryShift) {
  SeededRandom random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const PrivacyTarget target(random.log_uniform(0.05, 4.0), random.log_uniform(1e-9, 0.5));
    const int sensitivity = random.whole(1, 9);
    const NoiseError error{static_cast<Kind>(trial % 3), 0.9};
    const auto found = optimal_integer_noise(target, sensitivity, error);
    EXPECT_LE(found->lower_bound, found->error);
    ASSERT_TRUE(std::holds_alternative<IntegerNoise>(found->noise));
    const auto& p = std::get<IntegerNoise>(found->noise).probabilities;
    EXPECT_LE(delta_by_sums(p, target.epsilon, sensitivity), target.delta * (1.0 + 1e-9) + 1e-15);
    const Enclosure proved =
        profile(whole_noise_loss(found->noise, sensitivity), target.epsilon, Accuracy::certified)
            .delta();
    EXPECT_LE(proved.upper(), target.delta);
    EXPECT_NEAR(proved.upper() / target.delta, 1.0, 1e-2);
    EXPECT_NEAR(proved.upper() / found->achieved.delta().upper(), 1.0, 1e-12);
  }
}

// Multipliers of noise that ends lose all digits there.
TEST(OptimalNoise, TheBoundIsSharpForALargeEpsilon) {
  for (const double sensitivity : {1.0, 30.0, 1000.0})
    for (const double epsilon : {8.0, 20.0, 50.0}) {
      const auto found = optimal_integer_noise({epsilon, 1e-5}, sensitivity);
      EXPECT_LE(found->lower_bound, found->error);
      EXPECT_GE(found->lower_bound, 0.999 * found->error) << epsilon << " " << sensitivity;
    }
}

// Whatever noise somebody thinks of: no smaller error at its own delta than the bound.
TEST(OptimalNoise, NoNoiseIsBelowTheBound) {
  SeededRandom random(8);
  for (int trial = 0; trial < 60; ++trial) {
    const int half = random.whole(1, 6), sensitivity = random.whole(1, 4);
    const double epsilon = random.uniform(0.0, 2.0);
    std::vector<double> p;
    double sum = 0.0, squared = 0.0, absolute = 0.0;
    for (int k = -half; k <= half; ++k) {
      p.push_back(random.unit() * std::exp(-0.7 * std::abs(k)));
      sum += p.back();
    }
    for (int k = -half; k <= half; ++k) {
      double& each = p[static_cast<std::size_t>(k + half)];
      each /= sum;
      squared += each * k * k;
      absolute += each * std::abs(k);
    }
    const double delta = delta_by_sums(p, epsilon, sensitivity);
    if (!(delta < 1.0 - 1e-9)) continue;
    const PrivacyTarget target(epsilon, delta);
    EXPECT_LE(optimal_integer_noise(target, sensitivity)->lower_bound, squared * (1.0 + 1e-9));
    EXPECT_LE(optimal_integer_noise(target, sensitivity, {Kind::absolute})->lower_bound,
              absolute * (1.0 + 1e-9));
  }
}

// Closed forms: geometric noise, uniform noise, the staircase of the real line in the limit
// [GengViswanath2016].
TEST(OptimalNoise, AgreesWithClosedForms) {
  for (const double epsilon : {1e-6, 0.3, 1.0, 50.0}) {
    const double q = std::exp(-epsilon), exact = 2.0 * q / std::pow(-std::expm1(-epsilon), 2.0);
    const auto found = optimal_integer_noise({epsilon, 0.0}, 1.0);
    EXPECT_NEAR(found->error / exact, 1.0, 1e-13);
    EXPECT_NEAR(found->lower_bound / exact, 1.0, 1e-13);
    EXPECT_EQ(found->achieved.delta().upper(), 0.0);
  }
  // Uniform on 2 n + 1 integers has delta = 1 / (2 n + 1) at epsilon 0 and variance n (n + 1) / 3.
  const auto uniform = optimal_integer_noise({0.0, 1.0 / 101.0}, 1.0);
  EXPECT_NEAR(uniform->error, 50.0 * 51.0 / 3.0, 1e-6);
  EXPECT_NEAR(uniform->lower_bound, 50.0 * 51.0 / 3.0, 1e-4);
  for (const auto& [epsilon, squared] : {std::pair{1.0, 1.9181}, std::pair{2.0, 0.42273}}) {
    const auto found = optimal_integer_noise({epsilon, 0.0}, 256.0);
    EXPECT_NEAR(found->error / 65536.0, squared, 1e-4);
    EXPECT_NEAR(found->lower_bound / found->error, 1.0, 1e-11);
  }
}

TEST(OptimalNoise, Extremes) {
  struct Row {
    double epsilon, delta, sensitivity;
  };
  for (const Row& row :
       {Row{1.0, 1e-300, 1.0}, Row{1.0, 1e-300, 3.0}, Row{1e-6, 1e-300, 1.0}, Row{50.0, 1e-5, 9.0},
        Row{50.0, 1e-300, 1.0}, Row{0.0, 1e-3, 1.0}, Row{1e-6, 1e-3, 1.0}, Row{0.5, 0.9, 1.0},
        Row{1.0, 1e-6, 1000.0}, Row{1.0, 1e-12, 1000.0}}) {
    const auto found = optimal_integer_noise({row.epsilon, row.delta}, row.sensitivity);
    EXPECT_LE(found->achieved.delta().upper(), row.delta);
    EXPECT_LE(found->lower_bound, found->error);
    EXPECT_GE(found->lower_bound, found->error * (1.0 - 2e-5)) << row.epsilon << ' ' << row.delta;
  }
  // More privacy, more error; a larger sensitivity, too.
  EXPECT_GE(optimal_integer_noise({1.0, 0.5}, 3.0)->error,
            optimal_integer_noise({1.0, 0.9}, 3.0)->error);
  EXPECT_THROW(optimal_integer_noise({0.0, 0.0}, 1.0), TargetUnreachable);
}

// For large delta the bound is a few per cent too low at times, never above the least error, which
// is that of linear programs over all noises; and for large sensitivities it comes from coarser
// grids.
TEST(OptimalNoise, BoundsForLargeDelta) {
  struct Row {
    double epsilon, delta, sensitivity, least;
  };
  for (const Row& row :
       {Row{1.0, 0.1, 2.0, 3.320910}, Row{1.0, 0.1, 5.0, 20.497619}, Row{1.0, 0.3, 5.0, 9.311711},
        Row{0.1, 0.3, 5.0, 20.474391}, Row{0.5, 0.2, 3.0, 8.224750}, Row{1.0, 0.5, 4.0, 3.363211},
        Row{1.0, 0.9, 5.0, 1.009752}}) {
    const auto found = optimal_integer_noise({row.epsilon, row.delta}, row.sensitivity);
    EXPECT_LE(found->lower_bound, row.least * (1.0 + 1e-6)) << row.delta << ' ' << row.sensitivity;
    EXPECT_GE(found->error, row.least * (1.0 - 1e-6)) << row.delta << ' ' << row.sensitivity;
  }
  for (const double epsilon : {0.0, 1.0}) {
    const auto found = optimal_integer_noise({epsilon, 0.9}, 1000.0);
    EXPECT_GT(found->lower_bound, 0.25 * found->error) << epsilon;
    EXPECT_LE(found->lower_bound, found->error) << epsilon;
  }
}

TEST(OptimalNoise, IntervalsAreTheShortest) {
  for (const double level : {0.5, 0.95, 0.999}) {
    const auto found = optimal_integer_noise({0.5, 1e-4}, 2.0, {Kind::interval, level});
    EXPECT_EQ(found->error, found->lower_bound);
    EXPECT_LE(found->error, whole_noise_error(optimal_integer_noise({0.5, 1e-4}, 2.0)->noise,
                                              {Kind::interval, level}));
  }
  // Geometric noise with e^-1: P[|k| > w] = 2 q^(w+1) / (1 + q) is 0.0268 at w = 3, 0.0728 at 2.
  EXPECT_EQ(optimal_integer_noise({1.0, 0.0}, 1.0, {Kind::interval, 0.95})->error, 3.0);
}

// Truth for the real line: programs on grids of a hundredth, by the specification.
TEST(OptimalNoise, RealNumbersOnAGrid) {
  struct Row {
    double epsilon, delta, squared;
  };
  for (const Row& row : {Row{0.1, 0.003, 118.0}, Row{0.5, 1e-3, 7.363}, Row{1.0, 1e-5, 1.9165},
                         Row{2.0, 1e-6, 0.4228}}) {
    const OptimalGridNoise found = optimal_grid_noise({row.epsilon, row.delta}, 2.0);
    EXPECT_NEAR(found.error / 4.0, row.squared, 2e-3 * row.squared);
    EXPECT_LE(found.lower_bound, found.error);
    EXPECT_GE(found.lower_bound, found.error * (1.0 - 2e-3));
    EXPECT_EQ(found.grid * found.whole->sensitivity, 2.0);
  }
  const OptimalGridNoise absolute = optimal_grid_noise({1.0, 1e-5}, 1.0, {Kind::absolute});
  EXPECT_GE(absolute.lower_bound, absolute.error * (1.0 - 2e-2));
}

TEST(OptimalNoise, PlacesOnAGridAreExact) {
  EXPECT_EQ(grid_place(0.5, 1.0), 1);
  EXPECT_EQ(grid_place(-0.5, 1.0), 0);
  EXPECT_EQ(grid_place(std::nextafter(0.5, 0.0), 1.0), 0);
  SeededRandom random(9);
  for (int trial = 0; trial < 1000; ++trial) {
    const double grid = random.log_uniform(1e-3, 1e3), value = random.uniform(-1e4, 1e4);
    const auto place = grid_place(value, grid);
    const auto exact = static_cast<long double>(value) / grid + 0.5L;
    EXPECT_LE(static_cast<long double>(place), exact + 1e-9L);
    EXPECT_GE(static_cast<long double>(place) + 1.0L, exact - 1e-9L);
  }
  EXPECT_TRUE(refuses("value", [] { return grid_place(not_a_number, 1.0); }));
  EXPECT_TRUE(refuses("value", [] { return grid_place(1e300, 1.0); }));
  EXPECT_TRUE(refuses("grid", [] { return grid_place(1.0, 0.0); }));
}

TEST(OptimalNoise, SeveralAnswers) {
  const PrivacyTarget target(1.0, 1e-5);
  double last = 0.0;
  for (const double count : {1.0, 3.0}) {
    const auto found = optimal_integer_noise(target, 1.0, {}, count);
    const PrivacyLoss all = whole_noise_loss(found->noise, 1.0).repeated(count);
    EXPECT_LE(profile(all, 1.0, Accuracy::certified).delta().upper(), target.delta);
    EXPECT_GT(found->error, last);
    last = found->error;
  }
  const double deviation = calibrate_gaussian(target, 1.0, 3.0).parameter;
  EXPECT_LE(last, deviation * deviation * 1.001);
  const auto pure = optimal_integer_noise({1.0, 0.0}, 1.0, {}, 4.0);
  EXPECT_NEAR(pure->error, optimal_integer_noise({0.25, 0.0}, 1.0)->error, 1e-9 * pure->error);
}

// Fixed seeds; a false alarm in 10^9 runs each.
TEST(OptimalNoise, DrawsItsDistribution) {
  SeededSource source(11);
  for (const auto& [target, sensitivity] :
       {std::pair{PrivacyTarget(0.5, 1e-3), 3.0}, std::pair{PrivacyTarget(0.7, 0.0), 3.0}}) {
    const auto found = optimal_integer_noise(target, sensitivity);
    const WholeNoiseSampler sampler(found->noise);
    std::vector<double> draws;
    for (int i = 0; i < 20000; ++i) draws.push_back(static_cast<double>(sampler.draw(source)));
    // By the interval: P[|k| <= w] is at least the share of every level.
    for (const double level : {0.2, 0.5, 0.8, 0.95}) {
      const double width = whole_noise_error(found->noise, {Kind::interval, level});
      double inside = 0.0, closer = 0.0;
      for (const double draw : draws) {
        inside += std::abs(draw) <= width ? 1.0 : 0.0;
        closer += std::abs(draw) < width ? 1.0 : 0.0;
      }
      const double slack = deviation_allowed(20000.0);
      EXPECT_GE(inside / 20000.0, level - slack);
      EXPECT_LE(closer / 20000.0, level + slack);
    }
  }
}

TEST(OptimalNoise, RefusesBadInput) {
  const auto with = [](double sensitivity, const NoiseError& error = {}, double count = 1.0) {
    return [=] { return optimal_integer_noise({1.0, 1e-5}, sensitivity, error, count); };
  };
  for (const double bad : {0.0, -1.0, 1.5, 4097.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("sensitivity", with(bad)));
  for (const double bad : {0.0, 1.0, -1.0, not_a_number})
    EXPECT_TRUE(refuses("level", with(1.0, {Kind::interval, bad})));
  for (const double bad : {0.0, 1.5, not_a_number})
    EXPECT_TRUE(refuses("count", with(1.0, {}, bad)));
  EXPECT_TRUE(refuses("sensitivity", [] {
    return optimal_grid_noise({1.0, 1e-5}, infinity).error;
  }));
}

}  // namespace
}  // namespace modicum::testing::optimal_noise_test
