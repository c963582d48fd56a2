#include "modicum/ledger/price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"

namespace modicum::price_test {
namespace {

// On a finer grid than the proof used, and off it: the price dominates, and hardly more than that.
void expect_smallest(const PrivacyLoss& loss, double slack, double end, int points) {
  const Price paid = price(loss, slack);
  EXPECT_EQ(paid.slack, slack);
  double needed = 0.0;
  for (int i = 0; i <= points; ++i) {
    const double epsilon = end * i / points;
    const Enclosure delta = profile(loss, epsilon, Accuracy::certified).delta();
    const Enclosure covered = profile(gaussian_differential_privacy(paid.mu()), epsilon).delta();
    EXPECT_LE(delta.lower(), slack + (1.0 - slack) * covered.upper()) << epsilon;
    const double rest = (delta.upper() - slack) / (1.0 - slack);
    if (rest > 0.0) needed = std::max(needed, matching_gaussian_mu(epsilon, rest).lower());
  }
  EXPECT_GE(paid.mu(), needed);
  EXPECT_LE(paid.mu(), needed * (1.0 + 1e-3));
}

TEST(Price, OfShiftsIsExactAndNeedsNoSlack) {
  const Price one = price(gaussian_mechanism(50.0, 1.0), 1e-9);
  EXPECT_EQ(one.slack, 0.0);
  EXPECT_NEAR(one.mu_squared.upper(), 1.0 / 2500.0, 1e-19);
  PrivacyLoss composed = gaussian_mechanism(50.0, 1.0).repeated(1000.0);
  composed.compose(gaussian_differential_privacy(0.5));
  EXPECT_NEAR(price(composed, 0.0).mu_squared.upper(), 0.65, 1e-15);
  EXPECT_EQ(price(gaussian_differential_privacy(0.0), 0.0).mu(), 0.0);
  EXPECT_EQ(price(PrivacyLoss(), 0.0).mu(), 0.0);
}

TEST(Price, OfAShiftThatMayFailCostsItsOwnProbability) {
  PrivacyLoss loss = gaussian_differential_privacy(0.5);
  loss.compose(PrivacyLoss::infinite_with_probability(1e-9));
  EXPECT_EQ(price(loss, 1e-6).slack, 1e-9);
  EXPECT_EQ(price(loss, 1e-9).slack, 1e-9);
  EXPECT_EQ(price(loss, 1e-9).mu(), 0.5);
  EXPECT_THROW(price(loss, 0.9e-9), TargetUnreachable);
}

TEST(Price, OfARandomProjection) {
  const PrivacyLoss loss = random_projection(300.0, 0.02);
  EXPECT_NEAR(price(loss, 1e-9).mu(), 0.2826, 5e-5);
  expect_smallest(loss, 1e-9, 1.7, 40);
}

TEST(Price, OfAThousandStepsOfTraining) {
  const PrivacyLoss loss = subsampled_gaussian(1.0, 1.0, 0.01).repeated(1000.0);
  EXPECT_NEAR(price(loss, 1e-7).mu(), 0.4728, 1e-4);
}

// The loss at epsilon 0 decides: 2 Phi(mu / 2) - 1 is the total variation.
TEST(Price, OfBoundedLossesNeedsNoSlack) {
  EXPECT_NEAR(price(laplace_mechanism(2.0, 1.0), 0.0).mu(), 0.561764, 1e-5);
  EXPECT_NEAR(price(pure_guarantee(0.5), 0.0).mu(), 0.623893, 1e-5);
  expect_smallest(laplace_mechanism(2.0, 1.0), 0.0, 0.6, 60);
  expect_smallest(laplace_mechanism(2.0, 1.0).repeated(3.0), 1e-6, 1.6, 60);
  expect_smallest(pure_guarantee(3.0), 0.0, 3.1, 60);
}

TEST(Price, OfAShiftBesideABoundedLossNeedsNoSlack) {
  PrivacyLoss loss = gaussian_differential_privacy(0.5);
  loss.compose(laplace_mechanism(2.0, 1.0));
  const double rest = price(laplace_mechanism(2.0, 1.0), 0.0).mu_squared.upper();
  EXPECT_NEAR(price(loss, 0.0).mu_squared.upper(), 0.25 + rest, 1e-15);
  EXPECT_LT(price(loss, 1e-9).mu_squared.upper(), 0.25 + rest);
}

TEST(Price, FallsWithTheSlack) {
  const PrivacyLoss loss = random_projection(300.0, 0.02);
  double last = INFINITY;
  for (const double slack : {1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.05}) {
    const double mu = price(loss, slack).mu();
    EXPECT_LT(mu, last);
    last = mu;
  }
  EXPECT_EQ(price(loss, 0.2).mu(), 0.0);  // more than the total variation
}

TEST(Price, RefusesWhatHasNone) {
  EXPECT_THROW(price(random_projection(300.0, 0.02), 0.0), TargetUnreachable);
  EXPECT_THROW(price(approximate_guarantee(1.0, 1e-6), 1e-7), TargetUnreachable);
  EXPECT_NO_THROW(price(approximate_guarantee(1.0, 1e-6), 1e-6));
  EXPECT_THROW(price(PrivacyLoss::mutually_singular(), 0.5), TargetUnreachable);
  EXPECT_THROW(price(pure_guarantee(1e5), 0.0), TargetUnreachable);
  for (const double slack : {-1e-9, 1.0, std::nan("")})
    EXPECT_THROW(price(pure_guarantee(1.0), slack), InvalidParameter);
}

}  // namespace
}  // namespace modicum::price_test
