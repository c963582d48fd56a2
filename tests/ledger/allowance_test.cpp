#include "modicum/ledger/allowance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"

namespace modicum::testing::allowance_test {
namespace {

Clocks clocks(double mu_squared, double slack = 0.0, double pure = 0.0, double zcdp = 0.0) {
  return {Reading::exactly(mu_squared), Reading::exactly(slack), Reading::exactly(pure),
          Reading::exactly(zcdp)};
}

// What a release with this loss at epsilon and delta needs of `most`.
template <class LossAt>
PlannedNeed needs(const Clocks& most, const LossAt& loss_at) {
  return [=](const PrivacyTarget& target, const std::optional<double>& slack) {
    return need_of(loss_at(target), {}, most, slack);
  };
}

PrivacyLoss laplace_at(const PrivacyTarget& target) {
  return laplace_mechanism(1.0 / target.epsilon, 1.0);
}

TEST(Need, IsAShareOfWhatThereIs) {
  const PrivacyLoss gaussian = gaussian_mechanism(2.0, 1.0);
  EXPECT_TRUE(need_of(gaussian, {}, clocks(0.25)).fits);
  EXPECT_NEAR(need_of(gaussian, {}, clocks(1.0)).share, 0.25, 1e-12);
  const Need more = need_of(gaussian, {}, clocks(0.1));
  EXPECT_FALSE(more.fits);
  EXPECT_NEAR(more.share, 2.5, 1e-12);
  // The clock that takes least: 0.5 of 1 in place of 0.316 of 0.4.
  EXPECT_NEAR(need_of(laplace_mechanism(2.0, 1.0), {}, clocks(0.4, 0.0, 1.0)).share, 0.5, 1e-9);
  // A kind of loss that has no price, however small it is.
  const Need none = need_of(random_projection(300.0, 0.02), {}, clocks(1.0));
  EXPECT_TRUE(none.never && !none.fits);
  EXPECT_NE(none.refusal.find("unbounded"), std::string::npos);
  EXPECT_FALSE(need_of(random_projection(300.0, 0.02), {}, clocks(1.0, 1e-8)).never);
  EXPECT_TRUE(need_of(approximate_guarantee(0.1, 1e-6), {}, clocks(1.0, 1e-8)).never);
}

// As bisection finds it, without any of the search.
TEST(LargestTarget, OfLaplaceNoiseIsWhereItsPriceIs) {
  for (const double mu : {1e-3, 0.05, 0.5, 4.0}) {
    const Clocks most = clocks(mu * mu);
    double low = 0.1 * mu, high = 8.0 * mu;
    while (high > low * (1.0 + 1e-7)) {
      const double middle = std::sqrt(low * high);
      (price(laplace_mechanism(1.0 / middle, 1.0), 0.0).mu() <= mu ? low : high) = middle;
    }
    for (const double start : {0.01 * mu, 5.0 * mu}) {
      const PrivacyTarget found =
          largest_target({start, 1e-6}, true, most, needs(most, laplace_at));
      EXPECT_LE(found.epsilon, high);
      EXPECT_GE(found.epsilon, low * (1.0 - 1e-3));
      EXPECT_EQ(found.delta, 1e-6);
      EXPECT_LE(price(laplace_at(found), 0.0).mu(), mu);
    }
  }
}

TEST(LargestTarget, TakesThePureClockWhereThatAllowsMore) {
  const Clocks most = clocks(0.01, 0.0, 1.0);
  const PrivacyTarget found = largest_target({0.1, 0.0}, true, most, needs(most, laplace_at));
  EXPECT_LE(found.epsilon, 1.0);
  EXPECT_GE(found.epsilon, 1.0 - 1e-3);
}

TEST(LargestTarget, UsesTheSlackForTails) {
  const Clocks most = clocks(0.04, 1e-8);
  const auto projected = [](const PrivacyTarget& target) {
    return random_projection(300.0, 0.01 * target.epsilon);
  };
  const PrivacyTarget found = largest_target({1.0, 1e-6}, true, most, needs(most, projected));
  const double mu = price(projected(found), 0.5e-8).mu();
  EXPECT_LE(mu, 0.2);
  EXPECT_GE(mu, 0.2 * (1.0 - 1e-3));
}

// Nothing hangs on delta where somebody asked for it.
TEST(LargestTarget, BringsInfiniteLossesDownToTheSlack) {
  const Clocks most = clocks(0.04, 1e-8);
  const auto guaranteed = [](const PrivacyTarget& target) {
    if (!(target.delta > 0.0)) throw InvalidParameter("delta", target.delta, "must be positive");
    return approximate_guarantee(target.epsilon, 0.5 * target.delta);
  };
  const PrivacyTarget found = largest_target({1.0, 1e-6}, true, most, needs(most, guaranteed));
  EXPECT_LE(infinite_probability(guaranteed(found)), 1e-8);
  EXPECT_GE(infinite_probability(guaranteed(found)), 0.99e-8);
  EXPECT_LE(price(guaranteed(found), 1e-8).mu(), 0.2);
  EXPECT_THROW(largest_target({1.0, 1e-6}, false, most, needs(most, guaranteed)),
               TargetUnreachable);
  // Noise that can do without any is asked to.
  const auto either = [](const PrivacyTarget& target) {
    return target.delta > 0.0 ? approximate_guarantee(target.epsilon, target.delta)
                              : laplace_at(target);
  };
  for (const Clocks& each : {most, clocks(0.04)})
    EXPECT_EQ(largest_target({1.0, 1e-6}, true, each, needs(each, either)).delta, 0.0);
}

TEST(LargestTarget, EndsAtOnceWhereNoneHasAPrice) {
  const Clocks most = clocks(0.04);
  int planned = 0;
  EXPECT_THROW(largest_target({1.0, 1e-6}, false, most,
                              needs(most,
                                    [&](const PrivacyTarget&) {
                                      ++planned;
                                      return random_projection(300.0, 0.01);
                                    })),
               TargetUnreachable);
  EXPECT_EQ(planned, 1);
}

TEST(LargestTarget, RefusesWhatCannotBePlannedAndPassesOnMistakes) {
  const Clocks most = clocks(0.04);
  const PlannedNeed failing = [](const PrivacyTarget&, const std::optional<double>&) -> Need {
    throw CalibrationFailed("no noise suffices");
  };
  EXPECT_THROW(largest_target({1.0, 1e-6}, true, most, failing), TargetUnreachable);
  const PlannedNeed mistaken = [](const PrivacyTarget&, const std::optional<double>&) -> Need {
    throw InvalidParameter("levels", 2.0, "must be below 1");
  };
  EXPECT_THROW(largest_target({1.0, 1e-6}, true, most, mistaken), InvalidParameter);
  const PlannedNeed unknown = [](const PrivacyTarget&, const std::optional<double>&) {
    return Need{false, std::nan(""), {}, std::nan("")};
  };
  EXPECT_THROW(largest_target({1.0, 1e-6}, true, most, unknown), TargetUnreachable);
}

// Needs that jump up and down: what is returned fitted all the same.
TEST(LargestTarget, FitsWhateverTheNeedsAre) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const double power = std::uniform_real_distribution<>(0.5, 3.0)(random),
                 jumps = std::uniform_real_distribution<>(0.0, 2.0)(random),
                 scale = std::exp(std::uniform_real_distribution<>(-6.0, 6.0)(random));
    const PlannedNeed need = [&](const PrivacyTarget& target, const std::optional<double>&) {
      const double share = std::pow(target.epsilon / scale, power) *
                           std::exp(jumps * std::sin(20.0 * std::log(target.epsilon)));
      return Need{share <= 1.0, share};
    };
    try {
      const PrivacyTarget found = largest_target({1.0, 1e-6}, true, clocks(1.0), need);
      EXPECT_TRUE(need(found, {}).fits);
      EXPECT_TRUE(jumps > 0.01 || need(found, {}).share >= 0.999);
    } catch (const TargetUnreachable&) {
      EXPECT_GT(jumps, 0.1);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::allowance_test
