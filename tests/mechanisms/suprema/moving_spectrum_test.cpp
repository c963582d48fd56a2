#include "mechanisms/suprema/moving_spectrum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/lifting/lifted_pairs.h"
#include "mechanisms/regression/least_squares_cover.h"
#include "modicum/privacy/profile.h"
#include "support/seeded_random.h"

namespace modicum::testing::moving_spectrum_test {
namespace {

double certified_delta(const MovingSpectrum& spectrum, double parameter, double epsilon) {
  const PrecisionScope scope(proof_bits);
  return profile(PrivacyLoss::gaussian(spectrum_at(spectrum, Ball(parameter))), epsilon,
                 Accuracy::certified)
      .delta()
      .lower();
}

MovingSpectrum random_lifted(SeededRandom& random) {
  return LiftedPairs({random.log_uniform(0.02, 3.0), random.log_uniform(1e-5, 2.0),
                      std::floor(random.log_uniform(1.0, 200.0))})
      .moving();
}

// The triangle's edge, and those of a declared set.
LeastSquaresCover random_least_squares(SeededRandom& random, bool declared) {
  const double full = random.log_uniform(1e-3, 0.5), row = full * random.unit();
  const std::vector<LeverageSegment> triangle{{0.0, full, full, full}},
      rectangle{{row, row, row, full}, {0.0, full - row, row, full}};
  return {std::floor(random.log_uniform(1.0, 1e5)), std::floor(random.log_uniform(1.0, 50.0)),
          declared ? rectangle : triangle};
}

// No pair of the family exceeds the bound, and the best of some comes close to it.
void expect_bounds(const std::vector<MovingSpectrum>& spectra, double slack, SeededRandom& random) {
  std::vector<double> epsilons{0.0};
  for (double epsilon = random.log_uniform(0.01, 0.3); epsilons.size() < 4; epsilon *= 3.0)
    epsilons.push_back(epsilon);
  const std::vector<double> bounds = largest_deltas(spectra, epsilons, slack);
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    if (bounds[i] <= 1e-290) continue;
    ASSERT_TRUE(std::isfinite(bounds[i]));
    double largest = 0.0;
    for (const MovingSpectrum& spectrum : spectra) {
      for (int k = 0; k <= 8; ++k)
        largest = std::max(largest, certified_delta(spectrum, k / 8.0, epsilons[i]));
      for (int k = 0; k < 2; ++k)
        largest = std::max(largest, certified_delta(spectrum, random.unit(), epsilons[i]));
    }
    EXPECT_LE(largest, bounds[i]) << epsilons[i];
    EXPECT_GE(2.0 * largest, bounds[i]) << epsilons[i];  // the best may lie between
  }
}

TEST(MovingSpectrum, BoundsEveryLiftedPair) {
  SeededRandom random(1801);
  for (int i = 0; i < 2; ++i) expect_bounds({random_lifted(random)}, 0.01, random);
}

TEST(MovingSpectrum, BoundsEveryPairOfLeastSquares) {
  SeededRandom random(1802);
  for (const bool declared : {false, true})
    expect_bounds(random_least_squares(random, declared).moving(), 0.01, random);
}

// The other proof: pieces each of which one spectrum dominates, or that hardly differ.
TEST(MovingSpectrum, AgreesWithTheProofByPieces) {
  SeededRandom random(1803);
  for (int i = 0; i < 3; ++i) {
    const LiftedPairs pairs({random.log_uniform(0.05, 1.0), random.log_uniform(1e-3, 0.5),
                             std::floor(random.log_uniform(1.0, 50.0))});
    const double epsilon = random.uniform(0.2, 1.5);
    const double bound = largest_deltas({pairs.moving()}, {epsilon}, 1e-7).front();
    const double found = pairs.search(epsilon).delta;
    EXPECT_GE(bound, found * (1.0 - 1e-10));
    EXPECT_LE(bound, found * (1.0 + 1e-6));
    if (i == 0) {
      EXPECT_TRUE(pairs.stay_below(epsilon, 1.05 * bound));
    }
  }
}

TEST(MovingSpectrum, AgreesWithTheSearchForTheWorstOfLeastSquares) {
  SeededRandom random(1804);
  for (int i = 0; i < 6; ++i) {
    const LeastSquaresCover cover = random_least_squares(random, i % 2 == 1);
    const double epsilon = random.log_uniform(0.05, 2.0), found = cover.search(epsilon).delta;
    if (!(found > 1e-250)) continue;
    const double bound = largest_deltas(cover.moving(), {epsilon}, 1e-7).front();
    EXPECT_GE(bound, found * (1.0 - 1e-9)) << i;
    EXPECT_LE(bound, found * (1.0 + 1e-6)) << i;
  }
  const LeastSquaresCover cover(50.0, 3.0, {{0.0, 0.05, 0.05, 0.05}});
  EXPECT_TRUE(cover.stays_below(0.5, 1.05 * cover.bound(0.5, 0.01))) << "the proof by pieces";
}

TEST(MovingSpectrum, HoldsAtExtremes) {
  for (const auto& [columns, features, leverage] : {std::tuple{1.0, 1.0, 0.97},
                                                    {1e9, 1.0, 0.9},
                                                    {1.0, 1e6, 1e-3},
                                                    {1e6, 1.0, 1e-9},
                                                    {1.0, 1.0, 1e-12}}) {
    const LeastSquaresCover cover(columns, features, {{0.0, leverage, leverage, leverage}});
    const std::vector<double> epsilons{0.0, 1e-6, 1.0, 1e3};
    const std::vector<double> bounds = largest_deltas(cover.moving(), epsilons, 0.01);
    for (std::size_t i = 0; i < epsilons.size(); ++i)
      EXPECT_GE(bounds[i], cover.search(epsilons[i]).delta * (1.0 - 1e-9)) << columns << " " << i;
  }
}

TEST(MovingSpectrum, IsAsCloseAsIsAskedFor) {
  const MovingSpectrum lifted = LiftedPairs({0.2, 0.1, 5.0}).moving();
  const double close = largest_deltas({lifted}, {1.0}, 1e-8).front(),
               rough = largest_deltas({lifted}, {1.0}, 0.05).front();
  const double attained =
      std::max(certified_delta(lifted, 0.0, 1.0), certified_delta(lifted, 1.0, 1.0));
  EXPECT_LE(close, rough);
  EXPECT_LE(attained, close);
  EXPECT_LE(close, attained * (1.0 + 1e-7));  // the worst pair is at an end
}

}  // namespace
}  // namespace modicum::testing::moving_spectrum_test
