// Losses with atoms against the enumeration of every outcome.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "modicum/privacy/profile.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/quantity.h"
#include "support/closed_forms.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::atomic_quantity_test {
namespace {

struct Outcome {
  Ball loss, probability;
};

// Every combination of signs, one by one.
std::vector<Outcome> outcomes(const std::vector<double>& epsilons) {
  std::vector<Outcome> all{{Ball(0.0), Ball(1.0)}};
  for (const double epsilon : epsilons) {
    const Ball plus = Ball(1.0) / (Ball(1.0) + exp(-Ball(epsilon)));
    std::vector<Outcome> next;
    for (const Outcome& outcome : all) {
      next.push_back({outcome.loss + epsilon, outcome.probability * plus});
      next.push_back({outcome.loss - epsilon, outcome.probability * (Ball(1.0) - plus)});
    }
    all = std::move(next);
  }
  return all;
}

// Sum of probability * delta_rest(epsilon - loss).
template <class Rest>
Ball conditioned(const std::vector<Outcome>& all, double epsilon, Rest rest) {
  Ball sum;
  for (const Outcome& outcome : all)
    sum += outcome.probability * rest(Ball(epsilon) - outcome.loss);
  return sum;
}

Ball nothing_else(const Ball& epsilon) { return max(-expm1(epsilon), 0.0); }

PrivacyLoss composed(const std::vector<double>& epsilons) {
  PrivacyLoss loss;
  for (const double epsilon : epsilons)
    loss.compose(PrivacyLoss::two_point(Precise::exactly(epsilon)));
  return loss;
}

TEST(TwoPointLosses, AgreeWithTheEnumerationOfEveryOutcome) {
  SeededRandom random(301);
  const PrecisionScope scope(truth_bits);
  for (int i = 0; i < 300; ++i) {
    // Some equal, so that parts are joined.
    std::vector<double> epsilons;
    const int size = random.whole(1, 9);
    for (int k = 0; k < size; ++k)
      epsilons.push_back(k > 0 && random.whole(0, 1) == 0 ? epsilons.back()
                                                          : random.log_uniform(1e-3, 8.0));
    double total = 0.0;
    for (const double epsilon : epsilons) total += epsilon;
    const double epsilon = random.uniform(-1.2, 1.2) * total;
    const Ball truth = conditioned(outcomes(epsilons), epsilon, nothing_else);
    const PrivacyLoss loss = composed(epsilons);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
      const ProfilePoint point = profile(loss, epsilon, accuracy);
      EXPECT_EQ(point.proof, Proof::certified);
      EXPECT_TRUE(encloses(point.forward, truth)) << i;
      EXPECT_TRUE(encloses(point.reverse, truth)) << i;
      if (epsilon > total) {
        EXPECT_TRUE(point.delta().is_exactly_zero());
      } else {
        EXPECT_LE(point.delta().relative_width(), 1e-12) << i;
      }
    }
  }
}

TEST(TwoPointLosses, MixWithShiftsAsTheEnumerationSays) {
  SeededRandom random(302);
  for (int i = 0; i < 60; ++i) {
    const PrecisionScope scope(400);
    std::vector<double> epsilons;
    const int size = random.whole(1, 5);
    for (int k = 0; k < size; ++k) epsilons.push_back(random.log_uniform(1e-2, 3.0));
    const double distance = random.log_uniform(0.05, 3.0), epsilon = random.uniform(-5.0, 15.0);
    const Ball truth = conditioned(outcomes(epsilons), epsilon, [&](const Ball& rest) {
      const Ball t = distance, root = sqrt(Ball(2.0));
      return (erfc((rest / t - t / 2.0) / root) - exp(rest) * erfc((rest / t + t / 2.0) / root)) /
             2.0;
    });
    PrivacyLoss loss = composed(epsilons);
    loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(distance, 1.0)));
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const ProfilePoint point = profile(loss, epsilon, accuracy);
      EXPECT_TRUE(encloses(point.forward, truth)) << i;
      if (truth.lower() > 1e-300) {
        EXPECT_LE(point.delta().relative_width(), accuracy == Accuracy::fast ? 1e-10 : 1e-12) << i;
      }
    }
  }
}

TEST(TwoPointLosses, MixWithSpectraInBothDirections) {
  SeededRandom random(303);
  for (int i = 0; i < 12; ++i) {
    const PrecisionScope scope(truth_bits);
    const std::vector<double> epsilons{random.log_uniform(0.05, 2.0),
                                       random.log_uniform(0.05, 2.0)};
    const double ratio = 1.0 + random.log_uniform(0.01, 2.0), columns = random.whole(1, 20);
    const double epsilon = random.uniform(-1.0, 3.0);
    const auto rho = [&] { return Ball(ratio); };
    PrivacyLoss loss = composed(epsilons);
    loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, ratio, columns)));
    // The closed form takes doubles: the atoms' losses are sums of two, exact enough in 53 bits
    // only if rounded, so the enumeration is widened by the change that rounding may make.
    const auto enumerate = [&](auto&& closed_form) {
      return conditioned(outcomes(epsilons), epsilon, [&](const Ball& rest) {
        const double middle = rest.middle();
        const Ball slack = abs(rest - Ball(middle)) * exp(max(rest, 0.0)) * 2.0;
        return closed_form(columns, rho, middle).widened(slack);
      });
    };
    const Ball forward =
        enumerate([](double r, auto f, double e) { return larger_variance_first(r, f, e); });
    const Ball reverse =
        enumerate([](double r, auto f, double e) { return smaller_variance_first(r, f, e); });
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const ProfilePoint point = profile(loss, epsilon, accuracy);
      EXPECT_TRUE(encloses(point.forward, forward)) << i;
      EXPECT_TRUE(encloses(point.reverse, reverse)) << i;
      EXPECT_LE(point.forward.relative_width(), 1e-10) << i;
    }
  }
}

TEST(TwoPointLosses, AreZeroExactlyFromTheirSumOn) {
  const PrivacyLoss loss = composed({1.0, 0.5, 0.25});
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
    EXPECT_TRUE(profile(loss, 1.75, accuracy).delta().is_exactly_zero());
    EXPECT_GT(profile(loss, std::nextafter(1.75, 0.0), accuracy).delta().upper(), 0.0);
    EXPECT_GT(profile(loss, 1.75 - 1e-12, accuracy).delta().lower(), 0.0);
  }
}

// Nothing jumps where an atom sits at epsilon itself: it adds 1 - e^0 = 0.
TEST(TwoPointLosses, AreExactWhereAnAtomSitsAtEpsilon) {
  const PrecisionScope scope(truth_bits);
  for (const double epsilon : {-1.0, 0.0, 0.5, 1.0}) {
    const std::vector<double> epsilons{1.0, 0.5, 0.5};
    const Ball truth = conditioned(outcomes(epsilons), epsilon, nothing_else);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure value = profile(composed(epsilons), epsilon, accuracy).delta();
      EXPECT_TRUE(encloses(value, truth)) << epsilon;
      EXPECT_LE(value.relative_width(), 1e-12) << epsilon;
    }
  }
}

// With n epsilon^2 fixed the binomial tends to the Gaussian mechanism of mu = sqrt(n) epsilon.
TEST(TwoPointLosses, TendToTheGaussianMechanism) {
  const double count = 1e9, epsilon = 1e-4;
  PrivacyLoss loss = PrivacyLoss::two_point(Precise::exactly(epsilon)).repeated(count);
  const Ball limit = equal_covariance_delta(std::sqrt(count) * epsilon, 4.0);
  const Enclosure value = profile(loss, 4.0, Accuracy::certified).delta();
  EXPECT_NEAR(value.lower() / limit.middle(), 1.0, 1e-6);
  EXPECT_LE(value.relative_width(), 1e-12);
}

TEST(TailsWithAtoms, AgreeWithTheEnumeration) {
  SeededRandom random(304);
  const PrecisionScope scope(truth_bits);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> epsilons;
    const int size = random.whole(1, 7);
    for (int k = 0; k < size; ++k) epsilons.push_back(random.log_uniform(0.05, 3.0));
    const double threshold = random.uniform(-6.0, 6.0);
    const DirectedLoss loss = composed(epsilons).forward();
    ASSERT_TRUE(has_tails(loss));
    Ball above, below, tilted_above, tilted_below;
    for (const Outcome& outcome : outcomes(epsilons)) {
      const bool over = (outcome.loss - Ball(threshold)).surely_positive();
      (over ? above : below) += outcome.probability;
      (over ? tilted_above : tilted_below) +=
          outcome.probability * exp(Ball(threshold) - outcome.loss);
    }
    const auto check = [&](Kernel kernel, const Ball& truth) {
      const Ball value = quantity(loss, threshold, kernel, Accuracy::certified).value;
      EXPECT_TRUE(arb_overlaps(value.raw(), truth.raw()))
          << i << ": " << ::testing::PrintToString(value) << " against "
          << ::testing::PrintToString(truth);
    };
    check(Kernel::upper_tail, above);
    check(Kernel::lower_tail, below);
    check(Kernel::tilted_upper, tilted_above);
    check(Kernel::tilted_lower, tilted_below);
  }
}

// Tails are offered or refused for a loss as a whole; they must then hold at every threshold, also
// where the atoms that matter are many more than in the bulk.
TEST(TailsWithAtoms, HoldAtEveryThresholdWhereOffered) {
  PrivacyLoss loss = PrivacyLoss::two_point(Precise::exactly(3.0)).repeated(700.0);
  loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1.1, 3.0)));
  if (!has_tails(loss.forward())) return;
  // P_X[L <= 200] is below e^-200: the loss is 1900 with a standard deviation of about 35.
  const Ball value = quantity(loss.forward(), 200.0, Kernel::lower_tail, Accuracy::certified).value;
  EXPECT_LE(value.lower(), 1e-80) << ::testing::PrintToString(value);
}

}  // namespace
}  // namespace modicum::testing::atomic_quantity_test
