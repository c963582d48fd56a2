#include "modicum/auditing/monte_carlo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::monte_carlo_test {
namespace {

TEST(MonteCarloDraws, AreHoeffdings) {
  EXPECT_EQ(monte_carlo_draws(0.01, 0.05), std::ceil(std::log(40.0) / (2.0 * 1e-4)));
  EXPECT_EQ(monte_carlo_draws(0.5, 0.9), std::ceil(std::log(2.0 / 0.9) * 2.0));
}

// Thirty spectra at 1e-9 each: a false alarm of the whole test has probability below 1e-7, and the
// seed is fixed besides.
TEST(MonteCarloDelta, HoldsTheContourIntegral) {
  SeededRandom random(1101);
  for (int i = 0; i < 30; ++i) {
    GaussianSpectrum spectrum;
    for (int k = random.whole(1, 3); k > 0; --k)
      spectrum.add(GaussianSpectrum::component(random.uniform(-1.0, 1.0),
                                               random.log_uniform(0.3, 3.0), random.whole(1, 3)));
    const double epsilon = random.uniform(-1.0, 1.5);
    const Enclosure sampled =
        monte_carlo_delta(spectrum, epsilon, 0.01, 1e-9, [&] { return random.normal(); });
    const Enclosure exact =
        directed_delta(PrivacyLoss::gaussian(spectrum).forward(), epsilon, Accuracy::certified)
            .value;
    EXPECT_TRUE(sampled.overlaps(exact))
        << i << ' ' << ::testing::PrintToString(sampled) << ' ' << ::testing::PrintToString(exact);
    EXPECT_LE(sampled.upper() - sampled.lower(), 0.02 + 1e-12);
  }
}

TEST(MonteCarloDelta, HoldsTheReverseDirectionToo) {
  SeededRandom random(1102);
  const GaussianSpectrum spectrum = GaussianSpectrum::component(0.5, 2.0, 4.0).reversed();
  const Enclosure sampled =
      monte_carlo_delta(spectrum, 0.3, 0.005, 1e-9, [&] { return random.normal(); });
  const Enclosure exact =
      directed_delta(PrivacyLoss::gaussian(spectrum).forward(), 0.3, Accuracy::certified).value;
  EXPECT_TRUE(sampled.overlaps(exact));
}

TEST(MonteCarloDelta, StaysWithinZeroAndOne) {
  SeededRandom random(1103);
  const auto normal = [&] { return random.normal(); };
  EXPECT_EQ(monte_carlo_delta(GaussianSpectrum::shift(0.1, 1.0), 5.0, 0.05, 0.01, normal).lower(),
            0.0);
  EXPECT_EQ(monte_carlo_delta(GaussianSpectrum::shift(9.0, 1.0), 0.0, 0.05, 0.01, normal).upper(),
            1.0);
}

TEST(MonteCarloDelta, RefusesArgumentsOutsideTheirDomain) {
  SeededRandom random(1104);
  const auto normal = [&] { return random.normal(); };
  const GaussianSpectrum spectrum = GaussianSpectrum::shift(1.0, 1.0);
  for (const double bad : not_finite)
    EXPECT_TRUE(
        refuses("epsilon", [&] { return monte_carlo_delta(spectrum, bad, 0.1, 0.1, normal); }));
  for (const double bad : {not_a_number, infinity, 0.0, 1.0, -0.1}) {
    EXPECT_TRUE(
        refuses("accuracy", [&] { return monte_carlo_delta(spectrum, 1.0, bad, 0.1, normal); }));
    EXPECT_TRUE(refuses("failure_probability",
                        [&] { return monte_carlo_delta(spectrum, 1.0, 0.1, bad, normal); }));
    EXPECT_TRUE(refuses("accuracy", [&] { return monte_carlo_draws(bad, 0.1); }));
  }
}

}  // namespace
}  // namespace modicum::testing::monte_carlo_test
