#include "privacy/engines/discretized.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/quantity.h"
#include "privacy/laws/bounded_range_law.h"
#include "privacy/laws/subsampled_law.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::discretized_test {
namespace {

DirectedLoss gaussian_loss(double mu) {
  DirectedLoss loss;
  loss.gaussian = GaussianSpectrum::shift(mu, 1.0);
  return loss;
}

// The other engines prove these to sixteen digits.
TEST(DiscretizedProfile, AgreesWithClosedFormsDownToTheDeepestTails) {
  for (const double mu : {0.1, 1.0, 5.0})
    for (const double epsilon : {-1.0, 0.0, 0.7, 4.0, 30.0}) {
      SCOPED_TRACE(::testing::Message() << "mu " << mu << " epsilon " << epsilon);
      const DirectedLoss loss = gaussian_loss(mu);
      const Ball exact = quantity(loss, epsilon, Kernel::profile, Accuracy::certified).value;
      if (exact.upper() < 1e-290) continue;
      const QuantityValue found = DiscretizedProfile(loss, Accuracy::certified).at(epsilon);
      EXPECT_EQ(found.proof, Proof::certified);
      EXPECT_TRUE(arb_overlaps(found.value.raw(), exact.raw()));
      EXPECT_LE(found.value.enclosure().relative_width(), 1e-4);
    }
}

TEST(DiscretizedProfile, AgreesWithTheLineWhereBothAreProved) {
  const auto law = subsampled_gaussian_law(Precise::exactly(1.0), 0.02);
  for (const bool reverse : {false, true})
    for (const double epsilon : {0.2, 3.0}) {
      DirectedLoss loss;
      loss.laws.push_back({reverse ? reversed(law) : law, 500.0});
      loss.laplaces.push_back({Precise::exactly(0.05), 3.0});
      const auto line = line_profile_of_laws(loss, epsilon, Accuracy::certified);
      ASSERT_TRUE(line.has_value());
      const QuantityValue found = DiscretizedProfile(loss, Accuracy::certified).at(epsilon);
      EXPECT_TRUE(arb_overlaps(found.value.raw(), line->value.raw()))
          << ::testing::PrintToString(found.value) << " and "
          << ::testing::PrintToString(line->value);
    }
}

// Sums made for one shift serve others, above and below, and stay true and about as sharp.
TEST(DiscretizedProfile, OfACurveIsTrueAndAsSharpAsThatOfItsPoints) {
  for (const double mu : {0.3, 2.0}) {
    const DirectedLoss loss = gaussian_loss(mu);
    DiscretizedProfile curve(loss, Accuracy::certified);
    double widest = 0.0;
    for (int i = 0; i <= 120; ++i) {
      const double epsilon = mu * (i <= 60 ? 0.08 * i : 0.08 * (120 - i) + 0.03);
      SCOPED_TRACE(::testing::Message() << "mu " << mu << " epsilon " << epsilon);
      const Ball exact = quantity(loss, epsilon, Kernel::profile, Accuracy::certified).value;
      const Ball found = curve.at(epsilon).value;
      EXPECT_TRUE(arb_overlaps(found.raw(), exact.raw()));
      widest = std::max(widest, relative_width(found));
    }
    EXPECT_LE(widest, 1e-5);
  }
}

TEST(DiscretizedProfile, OfACurveOfUpperBoundsIsNeverBelowTheTruth) {
  DirectedLoss loss = gaussian_loss(1.0);
  loss.upper_bound = true;
  DiscretizedProfile curve(loss, Accuracy::certified);
  for (int i = 0; i <= 100; ++i) {
    const double epsilon = 0.07 * (i <= 50 ? i : 100 - i);
    SCOPED_TRACE(epsilon);
    const Ball exact =
        quantity(gaussian_loss(1.0), epsilon, Kernel::profile, Accuracy::certified).value;
    const Ball found = curve.at(epsilon).value;
    EXPECT_GE(found.upper(), exact.lower());
    EXPECT_LE(found.upper(), exact.upper() * (1.0 + 1e-4));
  }
}

TEST(DiscretizedProfile, TwoFoldCompositionAgreesWithIntegrationOverOneLoss) {
  // delta_2(e) = sum over the first loss of its mass times delta_1(e - loss), with the first loss
  // rounded up and down on a fine grid: bounds by another route.
  const auto law = bounded_range_law(0.5);
  DirectedLoss loss;
  loss.laws.push_back({law, 2.0});
  const auto profile_once = [&](double epsilon) {
    const LossTails tails = law->tails(epsilon, Accuracy::certified);
    return (tails.above_x - exp(Ball(epsilon)) * tails.above_y).middle();
  };
  for (const double epsilon : {-0.3, 0.0, 0.4, 0.9}) {
    double low = 0.0, high = 0.0;
    const int pieces = 4000;
    for (int i = 0; i < pieces; ++i) {
      const double left = -0.5 + 1.0 * i / pieces, right = -0.5 + 1.0 * (i + 1) / pieces;
      const double mass = (law->tails(left, Accuracy::certified).above_x -
                           law->tails(right, Accuracy::certified).above_x)
                              .middle();
      low += mass * profile_once(epsilon - left);
      high += mass * profile_once(epsilon - right);
    }
    const QuantityValue found = DiscretizedProfile(loss, Accuracy::certified).at(epsilon);
    EXPECT_LE(found.value.lower(), high);
    EXPECT_GE(found.value.upper(), low);
    EXPECT_LE(found.value.enclosure().relative_width(), 1e-4);
  }
}

TEST(DiscretizedProfile, KeepsWhatItLearnedAndStaysTrue) {
  DirectedLoss loss;
  loss.laws.push_back({bounded_range_law(0.3), 5.0});
  DiscretizedProfile source(loss, Accuracy::certified);
  double last = 1.0;
  for (const double epsilon : {0.1, 0.11, 0.3, 0.31, 0.9, 0.2}) {
    const Enclosure kept = source.at(epsilon).value.enclosure();
    const Enclosure fresh =
        DiscretizedProfile(loss, Accuracy::certified).at(epsilon).value.enclosure();
    EXPECT_TRUE(kept.overlaps(fresh));
    last = kept.upper();
  }
  EXPECT_LT(last, 1.0);
}

// Bins that were made for a far tail must not spoil the bulk.
TEST(DiscretizedProfile, ComesBackFromTheFarTail) {
  DirectedLoss loss;
  loss.laws.push_back({bounded_range_law(0.3), 5.0});
  DiscretizedProfile source(loss, Accuracy::fast);
  for (const double epsilon : {1.49, 1.4999}) source.at(epsilon);
  const Enclosure kept = source.at(0.3).value.enclosure();
  const Enclosure fresh = DiscretizedProfile(loss, Accuracy::fast).at(0.3).value.enclosure();
  EXPECT_TRUE(kept.overlaps(fresh));
  EXPECT_LE(kept.relative_width(), 2.0 * fresh.relative_width());
}

// Beyond the least double Chernoff's bound answers: above the truth, and next to nothing.
TEST(DiscretizedProfile, NeedsNoSumWhereDeltaIsNegligible) {
  DirectedLoss loss;
  loss.laws.push_back({bounded_range_law(0.3), 2.0});
  loss.gaussian = GaussianSpectrum::shift(0.002, 1.0);
  DiscretizedProfile source(loss, Accuracy::certified);
  const Enclosure far = source.at(5.0).value.enclosure();
  EXPECT_LE(far.lower(), 0.0);
  EXPECT_GT(far.upper(), 0.0);
  EXPECT_LE(far.upper(), 1e-290);
  // And what comes after is as sharp as ever.
  const Enclosure after = source.at(0.3).value.enclosure();
  const Enclosure fresh = DiscretizedProfile(loss, Accuracy::certified).at(0.3).value.enclosure();
  EXPECT_TRUE(after.overlaps(fresh));
  EXPECT_LE(after.relative_width(), 2.0 * fresh.relative_width());
}

// delta of X against Y and of Y against X determine each other:
// delta_{X,Y}(e) = 1 - e^e + e^e delta_{Y,X}(-e).
TEST(DiscretizedProfile, BothDirectionsFitTogether) {
  SeededRandom random(11);
  for (int trial = 0; trial < 3; ++trial) {
    const double rate = std::exp(random.uniform(-5.0, -0.5)), mu = random.uniform(0.3, 3.0);
    const double epsilon = random.uniform(-0.5, 0.5), count = std::floor(random.uniform(2.0, 9.0));
    const auto law = subsampled_gaussian_law(Precise::exactly(mu), rate);
    DirectedLoss forward, reverse;
    forward.laws.push_back({law, count});
    reverse.laws.push_back({reversed(law), count});
    const Ball one = DiscretizedProfile(forward, Accuracy::certified).at(epsilon).value;
    const Ball other = DiscretizedProfile(reverse, Accuracy::certified).at(-epsilon).value;
    const Ball expected = -expm1(Ball(epsilon)) + exp(Ball(epsilon)) * other;
    EXPECT_TRUE(arb_overlaps(one.raw(), expected.raw()))
        << "rate " << rate << " mu " << mu << " count " << count << " epsilon " << epsilon;
  }
}

// Of a loss that is itself a bound only the upper end is summed: above the truth, and close.
TEST(DiscretizedProfile, BoundsFromAboveAlone) {
  const auto law = subsampled_laplace_law(Precise::exactly(1.0), 0.1);
  DirectedLoss loss;
  loss.laws.push_back({law, 10.0});
  DirectedLoss bound = loss;
  bound.upper_bound = true;
  for (const double epsilon : {0.2, 0.5, 1.0}) {
    const Ball both = DiscretizedProfile(loss, Accuracy::certified).at(epsilon).value;
    const Ball above = DiscretizedProfile(bound, Accuracy::certified).at(epsilon).value;
    EXPECT_GE(above.upper(), both.lower());
    EXPECT_LE(above.upper(), both.upper() * (1.0 + 1e-4));
  }
}

// The guess is close to where the profile has the value, also with atoms and in the far tail.
TEST(DiscretizedProfile, GuessesEpsilon) {
  const auto law = subsampled_laplace_law(Precise::exactly(1.0), 0.1);
  DirectedLoss loss;
  loss.laws.push_back({law, 200.0});
  for (const double delta : {1e-3, 1e-8, 1e-30}) {
    DiscretizedProfile profile(loss, Accuracy::fast);
    const EpsilonGuess guess = profile.epsilon_guess(delta);
    const double found = profile.at(guess.epsilon).value.middle();
    EXPECT_LT(std::abs(std::log(found / delta)), 0.3) << delta;
    const double further = profile.at(guess.epsilon * 1.01).value.middle();
    EXPECT_NEAR(std::log(found / further) / (0.01 * guess.epsilon) / guess.slope, 1.0, 0.2);
  }
}

}  // namespace
}  // namespace modicum::testing::discretized_test
