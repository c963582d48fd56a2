#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "modicum/privacy/profile.h"
#include "privacy/laws/bounded_range_law.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::tradeoff_test {
namespace {

PrivacyLoss shift(double distance) {
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(distance, 1.0));
}
PrivacyLoss two_point(double epsilon, double count = 1.0) {
  return PrivacyLoss::two_point(Precise::exactly(epsilon)).repeated(count);
}
PrivacyLoss laplace(double range, double count = 1.0) {
  return PrivacyLoss::laplace(Precise::exactly(range)).repeated(count);
}

// Phi(Phi^-1(1 - a) - mu): f at the level of a chosen threshold, so that no inverse is needed.
TEST(Tradeoff, OfAShiftIsTheGaussianCurve) {
  SeededRandom random(611);
  for (int i = 0; i < 60; ++i) {
    const PrecisionScope scope(truth_bits);
    const double mu = random.log_uniform(0.01, 6.0), threshold = random.uniform(-3.0, 6.0);
    const Ball root = sqrt(Ball(2.0));
    const double level = (erfc(Ball(threshold) / root) / 2.0).middle();
    const Ball miss = erfc((Ball(mu) - Ball(threshold)) / root) / 2.0;
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure value = tradeoff(shift(mu), level, accuracy).value;
      // The level was rounded: f' is at most e^{mu^2/2 + mu |threshold|}.
      const double slack = 1e-15 * level * std::exp(mu * std::abs(threshold) + mu * mu);
      EXPECT_LE(value.lower(), miss.upper() + slack) << i;
      EXPECT_GE(value.upper(), miss.lower() - slack) << i;
      EXPECT_LE(value.relative_width(), 1e-8) << i << ' ' << ::testing::PrintToString(value);
    }
  }
}

TEST(Tradeoff, OfATwoPointLossIsTwoStraightLines) {
  const PrecisionScope scope(truth_bits);
  for (const double epsilon : {0.01, 1.0, 5.0})
    for (const double level : {1e-9, 0.05, 0.3, 0.5, 0.9}) {
      const Ball first = Ball(1.0) - exp(Ball(epsilon)) * level;
      const Ball second = exp(-Ball(epsilon)) * (Ball(1.0) - level);
      const Ball truth = max(first, second);
      for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
        const Enclosure value = tradeoff(two_point(epsilon), level, accuracy).value;
        EXPECT_TRUE(encloses(value, truth)) << epsilon << ' ' << level;
        EXPECT_LE(value.relative_width(), 1e-8) << epsilon << ' ' << level;
      }
    }
}

TEST(Tradeoff, IsConvexAndDecreasingWhereThePairIsSymmetric) {
  const std::vector<PrivacyLoss> losses{shift(0.3), shift(2.0), two_point(0.5, 4.0), laplace(0.7),
                                        laplace(0.4, 3.0)};
  for (const PrivacyLoss& loss : losses) {
    std::vector<double> levels;
    std::vector<Enclosure> values;
    for (int k = 0; k <= 24; ++k) {
      levels.push_back(k / 24.0);
      values.push_back(tradeoff(loss, levels.back(), Accuracy::fast).value);
    }
    for (std::size_t k = 1; k < values.size(); ++k)
      EXPECT_LE(values[k].lower(), values[k - 1].upper());
    for (std::size_t k = 1; k + 1 < values.size(); ++k)
      EXPECT_LE(values[k].lower(),
                0.5 * (values[k - 1].upper() + values[k + 1].upper()) * (1 + 1e-15));
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_LE(values[k].lower(), 1.0 - levels[k] + 1e-15);
  }
}

// The smaller of f and its inverse is its own inverse.
TEST(Tradeoff, IsItsOwnInverse) {
  SeededRandom random(612);
  for (int i = 0; i < 60; ++i) {
    const auto loss = PrivacyLoss::gaussian(
        spectrum_of({{random.uniform(0.1, 1.5), random.log_uniform(0.5, 2.0), 1.0}}));
    const double level = random.uniform(0.01, 0.9);
    const Enclosure value = tradeoff(loss, level, Accuracy::fast).value;
    if (value.lower() < 1e-3) continue;
    const Enclosure back{tradeoff(loss, value.upper(), Accuracy::fast).value.lower(),
                         tradeoff(loss, value.lower(), Accuracy::fast).value.upper()};
    EXPECT_LE(back.lower(), level * (1 + 1e-12)) << i;
    EXPECT_GE(back.upper(), level * (1 - 1e-12)) << i;
    EXPECT_NEAR(back.lower(), level, 1e-5) << i;
  }
}

TEST(Tradeoff, OfTheReversedPairIsTheSame) {
  SeededRandom random(613);
  for (int i = 0; i < 40; ++i) {
    const GaussianSpectrum spectrum = random_spectrum(random);
    const double level = random.uniform(0.001, 0.999);
    EXPECT_TRUE(
        tradeoff(PrivacyLoss::gaussian(spectrum), level, Accuracy::fast)
            .value.overlaps(
                tradeoff(PrivacyLoss::gaussian(spectrum.reversed()), level, Accuracy::fast).value))
        << i;
  }
}

// f(a) >= 1 - delta(e) - e^e a at every epsilon, and equality somewhere.
TEST(Tradeoff, IsDualToTheProfile) {
  SeededRandom random(614);
  std::vector<PrivacyLoss> losses{two_point(0.8, 3.0), laplace(0.5), laplace(0.3, 4.0)};
  for (int i = 0; i < 10; ++i) losses.push_back(PrivacyLoss::gaussian(random_spectrum(random)));
  for (const PrivacyLoss& loss : losses) {
    const double level = random.uniform(0.02, 0.8);
    const Enclosure value = tradeoff(loss, level, Accuracy::fast).value;
    double forward = 0.0, reverse = 0.0;
    for (double epsilon = -12.0; epsilon <= 12.0; epsilon += 0.01) {
      const ProfilePoint point = profile(loss, epsilon, Accuracy::fast);
      const double scaled = std::exp(epsilon) * level;
      EXPECT_GE(value.upper(), 1.0 - point.delta().upper() - scaled - 1e-12);
      forward = std::max(forward, 1.0 - point.forward.lower() - scaled);
      reverse = std::max(reverse, 1.0 - point.reverse.lower() - scaled);
    }
    // On the grid the maximum is short by at most about (step)^2.
    EXPECT_NEAR(value.lower(), std::min(forward, reverse), 1e-4);
  }
}

TEST(Tradeoff, FallsUnderComposition) {
  SeededRandom random(615);
  for (int i = 0; i < 40; ++i) {
    const GaussianSpectrum spectrum = random_spectrum(random);
    const double level = random.uniform(0.001, 0.999);
    EXPECT_LE(tradeoff(PrivacyLoss::gaussian(spectrum.repeated(2.0)), level, Accuracy::fast)
                  .value.lower(),
              tradeoff(PrivacyLoss::gaussian(spectrum), level, Accuracy::fast).value.upper());
  }
}

TEST(Tradeoff, KnowsItsEnds) {
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
    EXPECT_TRUE(tradeoff(shift(1.0), 0.0, accuracy).value.contains(1.0));
    EXPECT_TRUE(tradeoff(shift(1.0), 1.0, accuracy).value.is_exactly_zero());
    EXPECT_TRUE(tradeoff(PrivacyLoss::mutually_singular(), 0.0, accuracy).value.is_exactly_zero());
    const Enclosure nothing = tradeoff(PrivacyLoss(), 0.25, accuracy).value;
    EXPECT_TRUE(nothing.contains(0.75)) << ::testing::PrintToString(nothing);
    EXPECT_LE(nothing.relative_width(), 1e-8);
    EXPECT_TRUE(
        tradeoff(PrivacyLoss::infinite_with_probability(0.25), 0.0, accuracy).value.contains(0.75));
  }
}

TEST(Tradeoff, HoldsWhereTheAtomsOfTheTailAreMany) {
  PrivacyLoss loss = two_point(3.0, 700.0);
  loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1.1, 3.0)));
  // The errors of the best tests multiply to about 1e-520: at a level of 1e-262 a miss is rare.
  EXPECT_LE(tradeoff(loss, 1e-262, Accuracy::certified).value.lower(), 1e-200);
}

// The losses of X and of Y are millions apart, where tails would take minutes; just before that the
// bound by the overlap must not be below the curve, which Phi(mu - Phi^-1(1 - a)) tells.
TEST(Tradeoff, IsNothingWhereTheLawsDoNotOverlap) {
  const Enclosure far = tradeoff(laplace(28488.0, 244.0), 0.1).value;
  EXPECT_EQ(far.lower(), 0.0);
  EXPECT_LE(far.upper(), 1e-300);
  const PrecisionScope scope(truth_bits);
  for (const double mu : {52.0, 53.0, 54.0, 60.0}) {
    // At the level 1/2 the threshold is 0.
    const Ball miss = erfc(Ball(mu) / sqrt(Ball(2.0))) / 2.0;
    EXPECT_GE(tradeoff(shift(mu), 0.5).value.upper(), miss.lower()) << mu;
  }
}

// Of sums on a lattice the profile alone is known: the curve is the largest line below it.
TEST(Tradeoff, OfALatticeIsDualToTheProfile) {
  const auto law = bounded_range_law(0.4);
  PrivacyLoss loss = PrivacyLoss::law(law, law).repeated(2.0);
  loss.compose(shift(0.5));
  for (const double level : {0.01, 0.3}) {
    const Enclosure value = tradeoff(loss, level, Accuracy::certified).value;
    double largest = 0.0;
    for (double epsilon = -1.0; epsilon <= 3.0; epsilon += 0.1) {
      const double delta = profile(loss, epsilon, Accuracy::fast).delta().upper();
      largest = std::max(largest, 1.0 - delta - std::exp(epsilon) * level);
    }
    EXPECT_GE(value.upper(), largest - 1e-15) << level;
    EXPECT_NEAR(value.lower(), largest, 2e-3) << level;  // short by about (step)^2 on the grid
  }
}

// An error next to nothing is not rounded below it.
TEST(Tradeoff, IsNeverNegative) {
  const auto law = bounded_range_law(0.5);
  PrivacyLoss loss = PrivacyLoss::law(law, law).repeated(2.0);
  loss.compose(two_point(20.6));
  for (const double level : {6.127461245536099e-08, 1e-6, 1e-3, 0.5})
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified})
      EXPECT_GE(tradeoff(loss, level, accuracy).value.lower(), 0.0) << level;
}

TEST(Tradeoff, RefusesWhatIsNoProbability) {
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300, 1.0 + 1e-15})
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified})
      EXPECT_TRUE(refuses("type1", [&] { return tradeoff(shift(1.0), bad, accuracy); })) << bad;
}

}  // namespace
}  // namespace modicum::testing::tradeoff_test
