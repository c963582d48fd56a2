#include "modicum/mechanisms/selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

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
