#include "modicum/mechanisms/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::selection_test {
namespace {

double largest_loss(const PrivacyLoss& loss) { return epsilon_at(loss, 0.0).value.upper(); }

TEST(Selection, ArePureGuarantees) {
  EXPECT_NEAR(largest_loss(exponential_mechanism(0.5)), 0.5, 1e-12);
  EXPECT_NEAR(largest_loss(permute_and_flip(0.5)), 0.5, 1e-12);
  EXPECT_NEAR(largest_loss(report_noisy_max(SelectionNoise::laplace, 4.0, 1.0, false)), 0.5, 1e-12);
  EXPECT_NEAR(largest_loss(report_noisy_max(SelectionNoise::exponential, 4.0, 1.0, true)), 0.25,
              1e-12);
  // 1/10 + 2 * 3/20.
  EXPECT_NEAR(largest_loss(sparse_vector({10.0, 20.0, 3.0, 1.0})), 0.4, 1e-12);
  EXPECT_NEAR(largest_loss(sparse_vector({10.0, 20.0, 3.0, 1.0, true})), 0.25, 1e-12);
}

// Two candidates with scores 0 and 0 against 1 and -1 (or 1 and 0 where all move in one direction):
// the true probabilities of report noisy max lie within the bounds.
TEST(Selection, NoisyMaxHoldsForTwoCandidates) {
  // P[E1 + gap > E2] of exponential noise of scale 1: 1 - e^-gap / 2.
  for (const double gap : {0.25, 1.0, 3.0}) {
    const double wins = 1.0 - 0.5 * std::exp(-gap);
    for (const double epsilon : {0.0, 0.2, 1.0}) {
      const double truth =
          std::max({wins - std::exp(epsilon) * 0.5, 0.5 - std::exp(epsilon) * (1.0 - wins), 0.0});
      const double bound =
          profile(report_noisy_max(SelectionNoise::exponential, 1.0, gap / 2.0, false), epsilon)
              .delta()
              .upper();
      EXPECT_GE(bound, truth - 1e-15);
    }
  }
}

TEST(Selection, GumbelNoiseHasABoundedRange) {
  const PrivacyLoss gumbel = report_noisy_max(SelectionNoise::gumbel, 2.0, 1.0, false);
  EXPECT_LT(profile(gumbel, 0.0).delta().upper(),
            profile(pure_guarantee(1.0), 0.0).delta().lower());
}

// By hand: Gaussian noise with rho = 1/2 at order a has a/2; geometric with mean 10 has gamma =
// 1/10.
TEST(Selection, TheBestOfSeveralRunsCostsMore) {
  const PrivacyLoss once = gaussian_mechanism(1.0, 1.0);
  const RenyiBounds geometric = repeat_and_select(once, Repetitions::negative_binomial, 10.0, 1.0);
  const RenyiCurve& curve = geometric.curves.front();
  double least = HUGE_VAL;  // 2 * min over a of (1 - 1/a) a/2 + log(10)/a, the orders being these
  for (const double order : curve.orders)
    least = std::min(least, 2.0 * ((order - 1.0) / 2.0 + std::log(10.0) / order));
  for (std::size_t i = 0; i < curve.orders.size(); ++i) {
    const double order = curve.orders[i];
    EXPECT_NEAR(curve.divergences[i], order / 2.0 + least + std::log(10.0) / (order - 1.0),
                1e-9 * curve.divergences[i]);
  }
  const double several = epsilon_at(renyi_guarantee(geometric), 1e-5).value.upper();
  EXPECT_GT(several, epsilon_at(once, 1e-5).value.upper());
  const double poisson =
      epsilon_at(renyi_guarantee(repeat_and_select(once, Repetitions::poisson, 10.0, 0.0)), 1e-5)
          .value.upper();
  EXPECT_GT(poisson, epsilon_at(once, 1e-5).value.upper());
  EXPECT_LT(poisson, several);
  // More runs, more loss.
  EXPECT_GT(
      epsilon_at(renyi_guarantee(repeat_and_select(once, Repetitions::poisson, 20.0, 0.0)), 1e-5)
          .value.upper(),
      poisson);
}

// Gaussian noise with mu = 1 is 1/2-zCDP, with equality: the curves are those of its loss, but for
// delta' of Poisson's distribution, where the moments tell less than the loss.
TEST(Selection, TheBestOfSeveralZeroConcentratedRunsIsThatOfTheirMoments) {
  const PrivacyLoss once = gaussian_mechanism(1.0, 1.0);
  for (const double rho : {0.5, 0.0}) {
    const RepeatedRun run{rho == 0.0 ? once : PrivacyLoss{}, {rho}};
    for (const double shape : {1.0, 0.0, -0.5}) {
      const RenyiCurve found =
          repeat_and_select(run, Repetitions::negative_binomial, 10.0, shape).curves.front();
      const RenyiCurve exact =
          repeat_and_select(once, Repetitions::negative_binomial, 10.0, shape).curves.front();
      for (std::size_t i = 0; i < exact.orders.size(); ++i) {
        const auto same = std::ranges::find(found.orders, exact.orders[i]);
        ASSERT_NE(same, found.orders.end());
        const double own = found.divergences[static_cast<std::size_t>(same - found.orders.begin())];
        // More orders to choose the second one from: less by some hundredths at most.
        EXPECT_LE(own, exact.divergences[i] * (1.0 + 1e-12));
        EXPECT_GE(own, exact.divergences[i] * 0.97);
      }
    }
  }
  const auto epsilon_of = [](const RepeatedRun& run) {
    return epsilon_at(renyi_guarantee(repeat_and_select(run, Repetitions::poisson, 10.0, 0.0)),
                      1e-5)
        .value.upper();
  };
  const double exact = epsilon_of({once}), found = epsilon_of({{}, {0.5}});
  EXPECT_GT(found, exact * 0.99);
  EXPECT_LT(found, exact * 1.25);
  // Half by its loss, half by its moments.
  const double half = epsilon_of({gaussian_mechanism(std::sqrt(2.0), 1.0), {0.25}});
  EXPECT_GT(half, exact * (1.0 - 1e-9));
  EXPECT_LT(half, found * 1.05);
}

// [PapernotSteinke2022, Theorem 2] once more, in doubles, for random parameters.
TEST(Selection, CurvesOfZeroConcentratedRunsAreThoseOfTheTheorem) {
  SeededRandom random(21);
  for (int i = 0; i < 100; ++i) {
    const double rho = random.log_uniform(1e-6, 3.0), xi = random.unit() < 0.5 ? 0.0 : 0.1,
                 gamma = random.log_uniform(1e-4, 0.9);
    const RenyiCurve curve =
        repeat_and_select({{}, {rho, xi}}, Repetitions::negative_binomial, 1.0 / gamma, 1.0)
            .curves.front();
    double least = HUGE_VAL;  // over all orders, not only those tried
    for (double z = 1e-4; z < 1e7; z *= 1.001)
      least = std::min(least, z / (1.0 + z) * (xi + rho * (1.0 + z)) - std::log(gamma) / (1.0 + z));
    least = std::min(least, -std::log(gamma));
    for (std::size_t k = 0; k < curve.orders.size(); ++k) {
      const double order = curve.orders[k];
      const double truth = xi + rho * order + 2.0 * least - std::log(gamma) / (order - 1.0);
      EXPECT_GE(curve.divergences[k], truth * (1.0 - 1e-12)) << rho << ' ' << gamma << ' ' << order;
      EXPECT_LE(curve.divergences[k], truth * 1.01) << rho << ' ' << gamma << ' ' << order;
    }
  }
}

// Between two orders of a curve the log moments are chords; beyond the last nothing is known.
TEST(Selection, RunsWithARenyiCurveKeepToItsOrders) {
  const RenyiBounds given{0.0, 0.0, {{{2.0, 8.0}, {0.2, 0.8}}}};
  EXPECT_NEAR(divergence_bound(given, 2.0), 0.2, 1e-15);
  EXPECT_NEAR(divergence_bound(given, 5.0), (0.5 * 0.2 + 0.5 * 5.6) / 4.0, 1e-12);  // z = 4
  EXPECT_EQ(divergence_bound(given, 8.5), HUGE_VAL);
  EXPECT_NEAR(divergence_bound({0.1, 0.05}, 3.0), 0.35, 1e-12);
  const RenyiCurve curve =
      repeat_and_select({{}, given}, Repetitions::negative_binomial, 3.0, 1.0).curves.front();
  EXPECT_EQ(curve.orders.back(), 8.0);
  EXPECT_TRUE(refuses("order", [&] { return divergence_bound(given, 1.0); }));
  EXPECT_TRUE(refuses("order", [&] { return divergence_bound(given, not_a_number); }));
  EXPECT_TRUE(refuses("rho", [&] { return divergence_bound({not_a_number}, 2.0); }));
}

// The best of K runs of randomized response, K geometric: all probabilities in closed form.
TEST(Selection, TheBestOfSeveralAnswersHolds) {
  const double p = 0.75, gamma = 0.25;  // mean 4
  // P[best is 0] = E[q^K] where 0 has probability q in a run: gamma q / (1 - (1 - gamma) q).
  const auto none = [&](double q) { return gamma * q / (1.0 - (1.0 - gamma) * q); };
  const double a = none(p), b = none(1.0 - p);
  const PrivacyLoss bound = renyi_guarantee(
      repeat_and_select(randomized_response(p), Repetitions::negative_binomial, 1.0 / gamma, 1.0));
  for (const double epsilon : {0.0, 0.5, 1.5, 2.5}) {
    const double scale = std::exp(epsilon);
    const double truth = std::max({a - scale * b, (1.0 - b) - scale * (1.0 - a), 0.0});
    EXPECT_GE(profile(bound, epsilon).delta().upper(), truth);
  }
}

TEST(Selection, RefusesBadParameters) {
  for (const double bad : {-1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("epsilon", [&] { return exponential_mechanism(bad); }));
    EXPECT_TRUE(refuses("epsilon", [&] { return permute_and_flip(bad); }));
    EXPECT_TRUE(refuses(
        "sensitivity", [&] { return report_noisy_max(SelectionNoise::laplace, 1.0, bad, false); }));
    EXPECT_TRUE(refuses("query_scale", [&] { return sparse_vector({1.0, bad, 1.0, 1.0}); }));
    EXPECT_TRUE(
        refuses("mean", [&] { return repeat_and_select({}, Repetitions::poisson, bad, 0.0); }));
  }
  EXPECT_TRUE(refuses("answers", [] { return sparse_vector({1.0, 1.0, 1.5, 1.0}); }));
  EXPECT_TRUE(refuses(
      "mean", [] { return repeat_and_select({}, Repetitions::negative_binomial, 1.0, 1.0); }));
  EXPECT_TRUE(refuses(
      "shape", [] { return repeat_and_select({}, Repetitions::negative_binomial, 2.0, -1.0); }));
}

}  // namespace
}  // namespace modicum::testing::selection_test
