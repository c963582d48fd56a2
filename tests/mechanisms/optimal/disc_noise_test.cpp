#include "modicum/mechanisms/disc_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "modicum/mechanisms/optimal_disc_noise.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"

namespace modicum::testing::disc_noise_test {
namespace {

double density(const DiscNoise& noise, double radius) {
  double sum = 0.0;
  for (std::size_t i = 0; i < noise.probabilities.size(); ++i) {
    const double own = noise.width * static_cast<double>(i + 1);
    if (radius < own) sum += noise.probabilities[i] / (std::numbers::pi * own * own);
  }
  return sum;
}

// delta for a shift, by the midpoint rule in polar coordinates around the center.
double delta_by_quadrature(const DiscNoise& noise, double shift, double epsilon) {
  const double reach = noise.width * static_cast<double>(noise.probabilities.size());
  constexpr int radii = 900, angles = 900;
  double sum = 0.0;
  for (int i = 0; i < radii; ++i) {
    const double r = reach * (i + 0.5) / radii, own = density(noise, r);
    for (int j = 0; j < angles; ++j) {
      const double angle = std::numbers::pi * (j + 0.5) / angles;
      const double other = std::sqrt(r * r + shift * shift - 2.0 * r * shift * std::cos(angle));
      const double excess = own - std::exp(epsilon) * density(noise, other);
      if (excess > 0.0) sum += 2.0 * excess * r;
    }
  }
  return sum * (reach / radii) * (std::numbers::pi / angles);
}

DiscNoise random_discs(SeededRandom& random) {
  DiscNoise noise{{}, random.uniform(0.2, 0.9)};
  double sum = 0.0;
  for (int i = random.whole(1, 6); i >= 0; --i) {
    noise.probabilities.push_back(random.whole(0, 3) == 0 && i > 0 ? 0.0 : random.unit());
    sum += noise.probabilities.back();
  }
  for (double& each : noise.probabilities) each /= sum;
  return noise;
}

TEST(DiscNoise, OneDiscLosesTheLune) {
  // The points of the unit disc that a shift by 1 moves out of it: pi/3 + sqrt(3)/2 of pi.
  const DiscNoise one{{1.0}, 1.0};
  const Enclosure delta = disc_noise_delta(one, 1.0, 3.0);
  const double truth = 1.0 / 3.0 + std::sqrt(3.0) / (2.0 * std::numbers::pi);
  EXPECT_NEAR(delta.upper(), truth, 1e-15);
  EXPECT_LE(delta.upper() - delta.lower(), 1e-15);
  EXPECT_DOUBLE_EQ(disc_noise_delta(one, 2.0, 0.0).lower(), 1.0);
  EXPECT_DOUBLE_EQ(disc_noise_error(one), 0.5);
}

TEST(DiscNoise, AgreesWithQuadratureAndWithItsLoss) {
  SeededRandom random(11);
  for (int trial = 0; trial < 8; ++trial) {
    const DiscNoise noise = random_discs(random);
    const double shift = random.uniform(0.3, 2.5), epsilon = random.uniform(0.0, 1.5);
    const Enclosure delta = disc_noise_delta(noise, shift, epsilon);
    EXPECT_NEAR(delta.upper(), delta_by_quadrature(noise, shift, epsilon), 4e-3) << trial;
    const Enclosure proved =
        profile(disc_noise(noise, shift), epsilon, Accuracy::certified).delta();
    EXPECT_LE(proved.lower(), delta.upper());
    EXPECT_GE(proved.upper(), delta.lower());
    EXPECT_NEAR(proved.upper(), delta.upper(), 1e-12);
    // The largest shift is the worst.
    EXPECT_LE(disc_noise_delta(noise, 0.7 * shift, epsilon).lower(), delta.upper());
  }
}

TEST(DiscNoise, ComposesLikeEveryOtherLoss) {
  const DiscNoise noise{{0.2, 0.3, 0.0, 0.5}, 1.5};
  const double twice =
      profile(disc_noise(noise, 1.0).repeated(2.0), 0.5, Accuracy::certified).delta().upper();
  EXPECT_GT(twice, disc_noise_delta(noise, 1.0, 0.5).upper());
  EXPECT_LE(twice, 2.0 * disc_noise_delta(noise, 1.0, 0.25).upper());
}

// 310.2, 21.4, 5.94 and 1.422 are the optima of linear programs over all radial densities.
TEST(OptimalDiscNoise, IsWithinOnePercentOfTheProgramsOverAllRadialDensities) {
  const double cases[][3] = {
      {0.1, 0.003, 310.2}, {0.5, 1e-3, 21.4}, {1.0, 1e-5, 5.94}, {2.0, 1e-6, 1.422}};
  for (const auto& [epsilon, delta, optimum] : cases) {
    const auto found = optimal_disc_noise({epsilon, delta}, 1.0);
    EXPECT_LT(found->error, 1.01 * optimum);
    EXPECT_GT(found->error, 0.999 * optimum);
    EXPECT_LE(found->achieved.delta().upper(), delta);
    EXPECT_GT(found->achieved.delta().lower(), 0.99 * delta);
  }
}

TEST(OptimalDiscNoise, MeetsExtremeTargetsOrSaysThatItCannot) {
  const double cases[][2] = {{0.0, 0.9}, {1e-6, 0.1}, {50.0, 0.05}, {50.0, 1e-5}, {0.3, 1e-12}};
  for (const auto& [epsilon, delta] : cases) {
    const auto found = optimal_disc_noise({epsilon, delta}, 3.0);
    EXPECT_LE(disc_noise_delta(found->noise, 3.0, epsilon).upper(), delta);
    EXPECT_GT(found->error, 0.0);
  }
  EXPECT_THROW(optimal_disc_noise({1.0, 0.0}, 1.0), TargetUnreachable);
  EXPECT_THROW(optimal_disc_noise({1e-6, 1e-5}, 1.0), TargetUnreachable);
  EXPECT_THROW(optimal_disc_noise({0.0, 1e-300}, 1.0), TargetUnreachable);
}

TEST(OptimalDiscNoise, OtherErrorsAreThoseOfTheNoise) {
  const PrivacyTarget target(0.5, 1e-3);
  const auto squared = optimal_disc_noise(target, 1.0);
  for (const NoiseError error :
       {NoiseError{NoiseError::Kind::absolute}, NoiseError{NoiseError::Kind::interval, 0.9}}) {
    const auto found = optimal_disc_noise(target, 1.0, error);
    EXPECT_LE(found->error, 1.002 * disc_noise_error(squared->noise, error));
    EXPECT_DOUBLE_EQ(found->error, disc_noise_error(found->noise, error));
    EXPECT_LE(disc_noise_delta(found->noise, 1.0, 0.5).upper(), 1e-3);
  }
}

TEST(OptimalDiscNoise, SeveralAnswersMeetTheirTargetTogether) {
  const auto found = optimal_disc_noise({1.0, 1e-3}, 2.0, {}, 2.0);
  EXPECT_LE(found->achieved.delta().upper(), 1e-3);
  const Enclosure each = disc_noise_delta(found->noise, 2.0, 0.5);
  EXPECT_LE(each.upper(), 1e-3);
}

// Counts in rings of equal probability: chi-square with 9 degrees of freedom is above 33.7 once in
// 10000; signs are fair.
TEST(DiscNoiseSampler, FollowsItsLaw) {
  const DiscNoise noise{{0.25, 0.0, 0.75}, 1.0};
  const DiscNoiseSampler sampler(noise, 0x1p-20);
  SeededSource source(5);
  constexpr int draws = 40000;
  const auto within = [](double r) {
    return 0.25 * std::min(1.0, r * r) + 0.75 * std::min(1.0, r * r / 9.0);
  };
  std::array<double, 10> counts{};
  double right = 0.0, upper = 0.0;
  for (int i = 0; i < draws; ++i) {
    const auto [a, b] = sampler.draw(source);
    const double x = static_cast<double>(a) * 0x1p-20, y = static_cast<double>(b) * 0x1p-20;
    counts[static_cast<std::size_t>(std::min(9.0, 10.0 * within(std::hypot(x, y))))] += 1.0;
    right += x > 0.0;
    upper += y > 0.0;
  }
  double square = 0.0;
  for (const double count : counts) square += std::pow(count - draws / 10.0, 2) / (draws / 10.0);
  EXPECT_LT(square, 33.7);
  EXPECT_NEAR(right / draws, 0.5, 0.01);
  EXPECT_NEAR(upper / draws, 0.5, 0.01);
}

// A grid so coarse, or so fine, that the first word does not decide.
TEST(DiscNoiseSampler, RoundsToAnyGrid) {
  SeededSource source(6);
  const DiscNoise noise{{1.0}, 1.0};
  for (int i = 0; i < 200; ++i) {
    const auto [a, b] = DiscNoiseSampler(noise, 0x1p-51).draw(source);
    EXPECT_LE(std::hypot(static_cast<double>(a), static_cast<double>(b)), 0x1p51 + 2.0);
    const auto [c, d] = DiscNoiseSampler(noise, 4.0).draw(source);
    EXPECT_EQ(c, 0);
    EXPECT_EQ(d, 0);
  }
  EXPECT_TRUE(refuses("grid", [&] { return DiscNoiseSampler(noise, 0x1p-60); }));
  EXPECT_TRUE(refuses("grid", [&] { return DiscNoiseSampler(noise, 0.3); }));
}

TEST(DiscNoise, RefusesWhatIsNoNoise) {
  EXPECT_TRUE(refuses("number of probabilities", [&] {
    return disc_noise(DiscNoise{{}, 1.0}, 1.0);
  }));
  EXPECT_TRUE(refuses("sum of the probabilities", [&] {
    return disc_noise(DiscNoise{{0.5}, 1.0}, 1.0);
  }));
  EXPECT_TRUE(refuses("probability", [&] { return disc_noise(DiscNoise{{1.0, 0.0}, 1.0}, 1.0); }));
  EXPECT_TRUE(refuses("probability", [&] { return disc_noise(DiscNoise{{1.5, -0.5}, 1.0}, 1.0); }));
  EXPECT_TRUE(refuses("width", [&] { return disc_noise(DiscNoise{{1.0}, std::nan("")}, 1.0); }));
  EXPECT_TRUE(refuses("sensitivity", [&] {
    return disc_noise(DiscNoise{{1.0}, 1.0}, std::nan(""));
  }));
  EXPECT_TRUE(refuses("sensitivity", [&] { return optimal_disc_noise({1.0, 1e-5}, 0.0); }));
}

}  // namespace
}  // namespace modicum::testing::disc_noise_test
