#include "modicum/ledger/clocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/data/fields.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::clocks_test {
namespace {

BudgetTerms target(double epsilon, double delta) {
  BudgetTerms terms;
  terms.epsilon = epsilon;
  terms.delta = delta;
  return terms;
}

double delta_of(const Clocks& clocks, double epsilon) {
  return profile(loss_of(clocks), epsilon, Accuracy::certified).delta().upper();
}

TEST(Clocks, ATargetIsSplitSoThatAllOfItTogetherMeetsIt) {
  for (const auto& [epsilon, delta, pure] :
       {std::tuple{1.0, 1e-6, 0.0}, {3.0, 1e-9, 1.0}, {0.1, 1e-5, 0.02}, {8.0, 1e-4, 0.0}}) {
    BudgetTerms terms = target(epsilon, delta);
    if (pure > 0.0) terms.pure = pure;
    const Clocks total = split(terms);
    EXPECT_NEAR(total.slack.upper(), 0.01 * delta, 1e-4 * delta);
    EXPECT_EQ(total.pure.upper(), pure);
    EXPECT_LE(delta_of(total, epsilon), delta);
    EXPECT_GE(delta_of(total, epsilon), delta * (1.0 - 1e-6));
  }
}

TEST(Clocks, MuAndRhoAreTakenAsTheyAre) {
  BudgetTerms terms;
  terms.mu = 0.1;
  EXPECT_EQ(split(terms).mu_squared.upper(), 0.010000000000000002);  // 0.1 is above a tenth
  EXPECT_TRUE(split(terms).slack.is_zero());
  terms = {};
  terms.rho = 0.2;
  EXPECT_EQ(split(terms).mu_squared, Reading::exactly(0.4));
}

TEST(Clocks, WithoutDeltaAllIsPure) {
  const Clocks total = split(target(1.5, 0.0));
  EXPECT_EQ(total.pure, Reading::exactly(1.5));
  EXPECT_TRUE(total.slack.is_zero() && total.mu_squared.is_zero());
}

TEST(Clocks, RhoMaySetAPartAside) {
  BudgetTerms terms;
  terms.rho = 0.25;
  terms.zcdp = 0.125;
  EXPECT_EQ(split(terms).mu_squared, Reading::exactly(0.25));
  EXPECT_EQ(split(terms).zcdp, Reading::exactly(0.125));
  // All together is 0.25-zero-concentrated, and no more than that is known.
  EXPECT_EQ(delta_of(split(terms), 1.0),
            profile(zero_concentrated(0.25), 1.0, Accuracy::certified).delta().upper());
  terms.zcdp = 0.3;
  EXPECT_THROW(split(terms), InvalidParameter);
  terms = target(1.0, 1e-6);
  terms.zcdp = 0.01;
  const Clocks total = split(terms);
  EXPECT_LE(delta_of(total, 1.0), 1e-6);
  EXPECT_GE(delta_of(total, 1.0), 0.999e-6);
  terms.zcdp = 1.0;
  EXPECT_THROW(split(terms), TargetUnreachable);
  terms.zcdp = std::nan("");
  EXPECT_THROW(split(terms), InvalidParameter);
  terms = target(1.0, 0.0);
  terms.zcdp = 0.01;
  EXPECT_THROW(split(terms), InvalidParameter);
  terms = {};
  terms.mu = 1.0;
  terms.zcdp = 0.1;
  EXPECT_THROW(split(terms), UsageError);
}

TEST(Clocks, TermsThatDoNotFitTogetherAreRefused) {
  BudgetTerms terms;
  EXPECT_THROW(split(terms), UsageError);
  terms.epsilon = 1.0;
  EXPECT_THROW(split(terms), UsageError);
  terms.mu = 1.0;
  EXPECT_THROW(split(terms), UsageError);
  terms = target(1.0, 1e-6);
  terms.slack = 2e-6;
  EXPECT_THROW(split(terms), TargetUnreachable);
  terms = target(1.0, 1e-6);
  terms.pure = 1.1;
  EXPECT_THROW(split(terms), TargetUnreachable);
  terms = target(1.0, 0.0);
  terms.slack = 1e-9;
  EXPECT_THROW(split(terms), InvalidParameter);
  terms = target(1.0, 0.0);
  terms.pure = 2.0;
  EXPECT_THROW(split(terms), InvalidParameter);
  for (const double bad : testing::not_finite) {
    EXPECT_THROW(split(target(bad, 1e-6)), Error);
    EXPECT_THROW(split(target(1.0, bad)), Error);
    terms = target(1.0, 1e-6);
    terms.slack = bad;
    EXPECT_THROW(split(terms), Error);
    terms = target(1.0, 1e-6);
    terms.pure = bad;
    EXPECT_THROW(split(terms), Error);
    terms = {};
    terms.mu = bad;
    EXPECT_THROW(split(terms), Error);
  }
}

TEST(Clocks, SlackAddsUpAsItsLogarithm) {
  const Clocks one = clocks_of({Reading(), 0.25}), two = one + one;
  // 1 - 0.75^2 of all losses are infinite.
  EXPECT_NEAR(delta_of(two, 50.0), 1.0 - 0.75 * 0.75, 1e-14);
  EXPECT_GE(delta_of(two, 50.0), 1.0 - 0.75 * 0.75);
}

TEST(Clocks, ATenthFitsTenTimes) {
  Clocks total, tenth, sum;
  total.pure = Reading::exactly(1.0);
  tenth.pure = Reading::exactly(0.1);
  for (int i = 0; i < 10; ++i) sum = sum + tenth;
  EXPECT_FALSE(sum.pure <= total.pure);
  EXPECT_TRUE(fits(sum, total));
  total.pure = Reading::exactly(1.0 - 0x1p-51);
  EXPECT_FALSE(fits(sum, total));
}

TEST(Clocks, WhatIsLeftIsRoundedDown) {
  Clocks total, spent;
  total.mu_squared = Reading::exactly(1.0);
  spent.mu_squared = Reading::exactly(0.1);
  const Clocks left = what_is_left(total, spent);
  EXPECT_TRUE((spent + left).mu_squared <= total.mu_squared);
  EXPECT_NEAR(left.mu_squared.upper(), 0.9, 1e-15);
  EXPECT_TRUE(what_is_left(spent, total).mu_squared.is_zero());
}

// Every offer dominates: its own loss is at least as large at every epsilon.
void expect_dominating(const PrivacyLoss& loss, const Clocks& total) {
  const Offers offers = offers_for(loss, total, total);
  ASSERT_FALSE(offers.prices.empty()) << offers.refusal;
  for (const Clocks& each : offers.prices)
    for (const double epsilon : {0.0, 0.01, 0.1, 0.3, 0.7, 1.0, 1.5, 2.0, 4.0})
      EXPECT_LE(profile(loss, epsilon).delta().lower(), delta_of(each, epsilon) * (1.0 + 1e-12));
}

TEST(Clocks, EveryOfferDominates) {
  BudgetTerms terms = target(3.0, 1e-5);
  terms.pure = 1.0;
  const Clocks total = split(terms);
  expect_dominating(gaussian_mechanism(4.0, 1.0), total);
  expect_dominating(laplace_mechanism(2.0, 1.0), total);
  expect_dominating(random_projection(300.0, 0.02), total);
  expect_dominating(approximate_guarantee(0.5, 1e-9), total);
}

TEST(Clocks, WhatLeavesMostIsTaken) {
  Clocks left;
  left.mu_squared = Reading::exactly(0.1);
  left.pure = Reading::exactly(10.0);
  const Offers offers = offers_for(laplace_mechanism(2.0, 1.0), left, left);
  const Clocks* best = best_of(offers.prices, left, {});
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->pure.upper(), 0.5);
  EXPECT_TRUE(best->mu_squared.is_zero());
  // No slack is spent where it saves nothing.
  left.mu_squared = Reading::exactly(10.0);
  left.pure = {};
  left.slack = Reading::exactly(1e-8);
  const Offers others = offers_for(laplace_mechanism(2.0, 1.0), left, left);
  ASSERT_NE(best_of(others.prices, left, {}), nullptr);
  EXPECT_TRUE(best_of(others.prices, left, {})->slack.is_zero());
}

TEST(Clocks, ALossThatIsInfiniteAtTimesIsPaidWithItsOwnProbability) {
  BudgetTerms terms = target(10.0, 1e-4);
  const Clocks total = split(terms);
  const Offers offers = offers_for(approximate_guarantee(0.5, 1e-6), total, total);
  const Clocks* best = best_of(offers.prices, total, {});
  ASSERT_NE(best, nullptr) << offers.refusal;  // all of the slack, and no less
  EXPECT_NEAR(best->slack.upper(), 1e-6, 1e-12);
  EXPECT_TRUE(offers_for(approximate_guarantee(0.5, 2e-6), total, total).prices.empty() ||
              best_of(offers_for(approximate_guarantee(0.5, 2e-6), total, total).prices, total,
                      {}) == nullptr);
}

// Tails so far out take a minute to be proved, and nothing is gained by it.
TEST(Clocks, AProbabilityNextToNothingIsPaidWithTheSlackThatIsOffered) {
  const Clocks total = split(target(3.0, 1e-5));
  PrivacyLoss loss = random_projection(300.0, 0.02);
  loss.compose(approximate_guarantee(0.0, 1e-200));
  const Offers offers = offers_for(loss, total, total);
  EXPECT_FALSE(offers.prices.empty()) << offers.refusal;
  for (const Clocks& each : offers.prices) EXPECT_GT(each.slack.lower(), 1e-12);
}

TEST(Clocks, WhatIsZeroConcentratedIsPaidWithItsRho) {
  Clocks total;
  total.zcdp = Reading::exactly(0.2);
  const Reading rho = Reading::exactly(0.125);
  const Offers offers = offers_for(zero_concentrated(0.125), total, total, {}, rho);
  const Clocks* best = best_of(offers.prices, total, {});
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->zcdp, rho);
  EXPECT_EQ(best_of(offers.prices, total, *best), nullptr);
  // Without a rho, or with a slack, there is nothing to pay with.
  EXPECT_TRUE(offers_for(zero_concentrated(0.125), total, total).prices.empty());
  EXPECT_TRUE(offers_for(zero_concentrated(0.125), total, total, 0.1, rho).prices.empty());
}

TEST(Clocks, NothingFitsWhereNothingIsLeft) {
  const Clocks nothing;
  const Offers offers = offers_for(gaussian_mechanism(1.0, 1.0), nothing, nothing);
  EXPECT_EQ(best_of(offers.prices, nothing, {}), nullptr);
}

TEST(Clocks, SharesAreRoundedDown) {
  Clocks clocks;
  clocks.mu_squared = Reading::exactly(0.1);
  clocks.slack = Reading::exactly(3e-9);
  clocks.pure = Reading::exactly(1.0);
  for (const double share : {1e-9, 0.1, 1.0 / 3.0, 0.5, 1.0}) {
    const Clocks part = share_of(clocks, share);
    EXPECT_TRUE(part.mu_squared <= clocks.mu_squared);
    EXPECT_NEAR(part.mu_squared.upper() / (0.1 * share), 1.0, 1e-15);
    EXPECT_NEAR(part.slack.upper() / (3e-9 * share), 1.0, 1e-15);
    EXPECT_TRUE(part.zcdp.is_zero());
    EXPECT_EQ(smaller_of(part, clocks), part);
    EXPECT_EQ(larger_of(part, clocks), clocks);
    EXPECT_NEAR(largest_share(part, clocks), share, 1e-15);
  }
  EXPECT_EQ(share_of(clocks, 1.0), clocks);
  Clocks rho;
  rho.zcdp = Reading::exactly(0.1);
  EXPECT_TRUE(std::isinf(largest_share(rho, clocks)));
}

}  // namespace
}  // namespace modicum::clocks_test
