// Smallest epsilon for a delta, and the Gaussian mechanism that matches a point of a profile.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/laws/subsampled_law.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::epsilon_test {
namespace {

PrivacyLoss shift(double distance) {
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(distance, 1.0));
}

TEST(EpsilonAt, InvertsTheProfile) {
  SeededRandom random(601);
  for (int i = 0; i < 300; ++i) {
    const auto loss = PrivacyLoss::gaussian(random_spectrum(random));
    const double target = random.log_uniform(1e-250, 0.5);
    const Answer answer = epsilon_at(loss, target, Accuracy::fast);
    const Enclosure epsilon = answer.value;
    EXPECT_LE(profile(loss, epsilon.upper(), Accuracy::fast).delta().lower(), target) << i;
    if (epsilon.lower() > 0.0) {
      EXPECT_GE(profile(loss, epsilon.lower(), Accuracy::fast).delta().upper(), target) << i;
    }
    EXPECT_LE(epsilon.upper() - epsilon.lower(), 1e-11 * std::max(epsilon.upper(), 1e-3)) << i;
  }
}

TEST(EpsilonAt, IsSafeInBothDirectionsWhenCertified) {
  SeededRandom random(602);
  for (int i = 0; i < 15; ++i) {
    const auto loss = PrivacyLoss::gaussian(random_spectrum(random));
    const double target = random.log_uniform(1e-100, 0.5);
    const Answer answer = epsilon_at(loss, target, Accuracy::certified);
    EXPECT_EQ(answer.proof, Proof::certified);
    const Enclosure epsilon = answer.value;
    EXPECT_LE(profile(loss, epsilon.upper(), Accuracy::certified).delta().upper(), target) << i;
    if (epsilon.lower() > 0.0) {
      EXPECT_GE(profile(loss, epsilon.lower(), Accuracy::certified).delta().lower(), target) << i;
    }
    EXPECT_TRUE(epsilon.overlaps(epsilon_at(loss, target, Accuracy::fast).value)) << i;
  }
}

// One direction ends near 28, the other reaches hundreds, and only the first has a saddle to guess
// from: the larger one decides.
TEST(EpsilonAt, IsThatOfTheDirectionThatDecides) {
  PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::component(-0.38, 0.0255, 15));
  loss.compose(PrivacyLoss::laplace(Precise::exactly(0.66)));
  for (const double delta : {0.1, 1e-4, 1e-6}) {
    const Enclosure epsilon = epsilon_at(loss, delta, Accuracy::fast).value;
    EXPECT_GT(epsilon.lower(), 400.0) << delta;
    EXPECT_LT(epsilon.relative_width(), 1e-7) << delta;
  }
}

// Large tables and small batches. The references are inversions on a straight line in doubles, with
// a quadrature of their own, right to about 1e-8.
TEST(EpsilonAt, OfRareSamplesIsNotThatOfAFarMode) {
  struct Row {
    double rate, sigma, steps, delta, epsilon;
  };
  for (const Row& row :
       {Row{3e-5, 1.0, 1e6, 1e-5, 0.12353857}, Row{1e-4, 1.0, 3e5, 1e-9, 0.38296350},
        Row{2.56e-4, 1.0, 117188, 1e-9, 0.62890753}, Row{3e-5, 1.5, 1e6, 1e-9, 0.11346940},
        Row{1e-5, 1.0, 1e6, 1e-6, 0.04524404}, Row{3e-5, 0.7, 1e6, 1e-6, 0.30947852}}) {
    SCOPED_TRACE(::testing::Message() << row.rate << ' ' << row.sigma << ' ' << row.steps);
    const auto law = subsampled_gaussian_law(Precise::ratio(1.0, row.sigma), row.rate);
    const PrivacyLoss loss = PrivacyLoss::law(law, reversed(law)).repeated(row.steps);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Answer found = epsilon_at(loss, row.delta, accuracy);
      EXPECT_NEAR(found.value.lower(), row.epsilon, 2e-8);
      EXPECT_NEAR(found.value.upper(), row.epsilon, 2e-8);
    }
  }
}

TEST(EpsilonAt, NeverIncreasesWithDelta) {
  SeededRandom random(603);
  for (int i = 0; i < 100; ++i) {
    const auto loss = PrivacyLoss::gaussian(random_spectrum(random));
    const double small = random.log_uniform(1e-100, 0.1), large = small * random.uniform(1.0, 9.0);
    EXPECT_GE(epsilon_at(loss, small, Accuracy::fast).value.upper(),
              epsilon_at(loss, large, Accuracy::fast).value.lower());
  }
}

TEST(EpsilonAt, IsZeroFromTheTotalVariationOn) {
  const double variation = profile(shift(0.5), 0.0, Accuracy::certified).delta().upper();
  EXPECT_TRUE(epsilon_at(shift(0.5), variation, Accuracy::certified).value.is_exactly_zero());
  EXPECT_TRUE(epsilon_at(shift(0.5), 1.0).value.is_exactly_zero());
  EXPECT_GT(epsilon_at(shift(0.5), variation * (1.0 - 1e-9), Accuracy::certified).value.lower(),
            0.0);
  EXPECT_TRUE(epsilon_at(PrivacyLoss(), 1e-300).value.is_exactly_zero());
  EXPECT_TRUE(epsilon_at(PrivacyLoss(), 0.0).value.is_exactly_zero());
}

TEST(EpsilonAt, OfDeltaZeroIsTheLargestLoss) {
  PrivacyLoss loss = PrivacyLoss::two_point(Precise::exactly(1.0)).repeated(3.0);
  loss.compose(PrivacyLoss::laplace(Precise::exactly(0.5)));
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
    const Enclosure epsilon = epsilon_at(loss, 0.0, accuracy).value;
    EXPECT_EQ(epsilon.lower(), 3.5);
    EXPECT_EQ(epsilon.upper(), 3.5);
  }
  EXPECT_THROW(epsilon_at(shift(1.0), 0.0), TargetUnreachable);
  EXPECT_THROW(epsilon_at(PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 0.5)), 0.0),
               TargetUnreachable)
      << "bounded forwards, unbounded backwards";
  EXPECT_THROW(epsilon_at(PrivacyLoss::infinite_with_probability(1e-9), 0.0), TargetUnreachable);
}

TEST(EpsilonAt, IsThePromisedEpsilonAtThePromisedDelta) {
  PrivacyLoss loss = PrivacyLoss::infinite_with_probability(1e-6);
  loss.compose(PrivacyLoss::two_point(Precise::exactly(1.0)));
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
    const Enclosure epsilon = epsilon_at(loss, 1e-6, accuracy).value;
    EXPECT_TRUE(epsilon.contains(1.0)) << ::testing::PrintToString(epsilon);
    EXPECT_EQ(epsilon.upper(), 1.0) << ::testing::PrintToString(epsilon);
    EXPECT_GE(epsilon.lower(), 1.0 - 1e-9) << ::testing::PrintToString(epsilon);
  }
}

TEST(EpsilonAt, SaysWhereDeltaCannotBeReached) {
  const auto loss = PrivacyLoss::infinite_with_probability(1e-3);
  EXPECT_THROW(epsilon_at(loss, 1e-4), TargetUnreachable);
  EXPECT_TRUE(epsilon_at(loss, 1e-3).value.is_exactly_zero());
  EXPECT_THROW(epsilon_at(PrivacyLoss::mutually_singular(), 0.999), TargetUnreachable);
}

TEST(EpsilonAt, RefusesWhatIsNoProbability) {
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300, 1.0 + 1e-15})
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified})
      EXPECT_TRUE(refuses("delta", [&] { return epsilon_at(shift(1.0), bad, accuracy); })) << bad;
}

TEST(MatchingGaussianMu, InvertsTheClosedForm) {
  SeededRandom random(604);
  for (int i = 0; i < 60; ++i) {
    const double mu = random.log_uniform(1e-3, 20.0);
    const double epsilon = mu * random.uniform(-2.0, 20.0);
    const double delta = equal_covariance_delta(mu, epsilon).middle();
    if (!(delta > 1e-290 && delta < 1.0 - 1e-9)) continue;
    if (delta <= -std::expm1(epsilon) * (1.0 + 1e-9)) continue;
    const Enclosure found = matching_gaussian_mu(epsilon, delta);
    // delta was rounded to a double; mu moves by no more than a few times that.
    EXPECT_LE(found.lower(), mu * (1.0 + 1e-9)) << i;
    EXPECT_GE(found.upper(), mu * (1.0 - 1e-9)) << i;
    EXPECT_LE(
        directed_delta(shift(found.lower()).forward(), epsilon, Accuracy::certified).value.upper(),
        delta);
    EXPECT_GE(
        directed_delta(shift(found.upper()).forward(), epsilon, Accuracy::certified).value.lower(),
        delta);
  }
}

TEST(MatchingGaussianMu, RefusesImpossiblePoints) {
  for (const double bad : not_finite)
    EXPECT_TRUE(refuses("epsilon", [&] { return matching_gaussian_mu(bad, 0.1); }));
  for (const double bad : {not_a_number, 0.0, 1.0, -0.1, 1.1})
    EXPECT_TRUE(refuses("delta", [&] { return matching_gaussian_mu(1.0, bad); }));
  // At epsilon = -1 delta is at least 1 - 1/e.
  EXPECT_THROW(matching_gaussian_mu(-1.0, 0.5), TargetUnreachable);
}

}  // namespace
}  // namespace modicum::testing::epsilon_test
