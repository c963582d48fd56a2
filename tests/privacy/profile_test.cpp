// What every privacy profile must satisfy, on random spectra in both arithmetics.
#include "modicum/privacy/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::profile_test {
namespace {

// Each property runs on many spectra in doubles, on fewer in balls.
struct Effort {
  Accuracy accuracy;
  int spectra;
};

class ProfileProperties : public ::testing::TestWithParam<Effort> {
 protected:
  Accuracy accuracy() const { return GetParam().accuracy; }

  template <class Check>
  void for_random_spectra(std::uint64_t seed, Check check) const {
    SeededRandom random(seed);
    for (int i = 0; i < GetParam().spectra && !HasFailure(); ++i) {
      SCOPED_TRACE("spectrum " + std::to_string(i));
      check(random, random_coordinates(random));
    }
  }
  Enclosure delta(const GaussianSpectrum& spectrum, double epsilon) const {
    return directed_delta(PrivacyLoss::gaussian(spectrum).forward(), epsilon, accuracy()).value;
  }
};

double random_epsilon(SeededRandom& random) {
  return random.sign() * random.log_uniform(1e-4, 60.0);
}

Ball ball_of(const Enclosure& enclosure) {
  return Ball::between(enclosure.lower(), enclosure.upper());
}

TEST_P(ProfileProperties, NeverIncreaseWithEpsilon) {
  for_random_spectra(101, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    double first = random_epsilon(random), second = random_epsilon(random);
    if (first > second) std::swap(first, second);
    EXPECT_LE(delta(spectrum, second).lower(), delta(spectrum, first).upper())
        << first << " < " << second;
    // At next to no distance too: the two enclosures come from different paths.
    EXPECT_LE(delta(spectrum, first + 1e-9).lower(), delta(spectrum, first).upper());
  });
}

TEST_P(ProfileProperties, AreConvexInTheExponentialOfEpsilon) {
  for_random_spectra(102, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const PrecisionScope scope(128);
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    const double middle = random.uniform(-5.0, 20.0), gap = random.log_uniform(1e-3, 3.0);
    const Ball s1 = exp(Ball(middle - gap)), s2 = exp(Ball(middle)), s3 = exp(Ball(middle + gap));
    const Ball share = (s2 - s1) / (s3 - s1);
    const Ball chord = Ball(delta(spectrum, middle - gap).upper()) * (Ball(1.0) - share) +
                       Ball(delta(spectrum, middle + gap).upper()) * share;
    EXPECT_LE(delta(spectrum, middle).lower(), chord.upper()) << middle << " +- " << gap;
  });
}

TEST_P(ProfileProperties, LieBetweenTheTrivialBounds) {
  for_random_spectra(103, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const double epsilon = random_epsilon(random);
    const Enclosure value = delta(spectrum_of(coordinates), epsilon);
    EXPECT_GE(value.lower(), 0.0);
    EXPECT_LE(value.upper(), 1.0);
    EXPECT_GE(value.upper(), -std::expm1(epsilon) * (1.0 - 1e-15)) << epsilon;
  });
}

// delta_{X,Y}(e) = 1 - exp(e) + exp(e) delta_{Y,X}(-e)
TEST_P(ProfileProperties, DetermineTheReversePairAtTheOppositeEpsilon) {
  for_random_spectra(104, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const PrecisionScope scope(128);
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    const double epsilon = random_epsilon(random);
    const Ball scale = exp(Ball(epsilon));
    const Ball other = Ball(1.0) - scale + scale * ball_of(delta(spectrum.reversed(), -epsilon));
    EXPECT_TRUE(arb_overlaps(other.raw(), ball_of(delta(spectrum, epsilon)).raw()))
        << ::testing::PrintToString(other) << " and "
        << ::testing::PrintToString(delta(spectrum, epsilon)) << " at " << epsilon;
  });
}

// A channel: X -> a X + sqrt(1 - a^2) Z takes (m, tau - 1) to (a m, a^2 (tau - 1)).
TEST_P(ProfileProperties, NeverRiseThroughAChannel) {
  for_random_spectra(105, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    GaussianSpectrum shrunk;
    for (const auto& [mean, ratio, multiplicity] : coordinates) {
      const double a = random.uniform(-1.0, 1.0);
      shrunk.add(GaussianSpectrum::component(a * mean, 1.0 + a * a * (ratio - 1.0), multiplicity));
    }
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    const double epsilon = random_epsilon(random);
    EXPECT_LE(delta(shrunk, epsilon).lower(), delta(spectrum, epsilon).upper());
    EXPECT_LE(delta(shrunk.reversed(), epsilon).lower(),
              delta(spectrum.reversed(), epsilon).upper());
  });
}

TEST_P(ProfileProperties, NeverFallAsAMeanGrows) {
  for_random_spectra(106, [&](SeededRandom& random, std::vector<Coordinate> coordinates) {
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    coordinates.front().mean *= 1.0 + random.log_uniform(1e-12, 1.0);
    const GaussianSpectrum moved = spectrum_of(coordinates);
    const double epsilon = random_epsilon(random);
    EXPECT_LE(delta(spectrum, epsilon).lower(), delta(moved, epsilon).upper());
    EXPECT_LE(delta(spectrum.reversed(), epsilon).lower(),
              delta(moved.reversed(), epsilon).upper());
  });
}

TEST_P(ProfileProperties, NeverFallUnderComposition) {
  for_random_spectra(107, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    GaussianSpectrum more = spectrum;
    more.add(random_spectrum(random));
    const double epsilon = random_epsilon(random);
    EXPECT_LE(delta(spectrum, epsilon).lower(), delta(more, epsilon).upper());
    EXPECT_LE(delta(spectrum, epsilon).lower(), delta(spectrum.repeated(3.0), epsilon).upper());
  });
}

TEST_P(ProfileProperties, DoNotDependOnTheOrderOfComposition) {
  for_random_spectra(108, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const GaussianSpectrum a = spectrum_of(coordinates), b = random_spectrum(random);
    GaussianSpectrum first = a, second = b;
    first.add(b);
    second.add(a);
    const double epsilon = random_epsilon(random);
    EXPECT_TRUE(delta(first, epsilon).overlaps(delta(second, epsilon)));
  });
}

TEST_P(ProfileProperties, OfRepeatedLossesAreThoseOfTheirComposition) {
  for_random_spectra(109, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const GaussianSpectrum spectrum = spectrum_of(coordinates);
    const int count = random.whole(2, 5);
    GaussianSpectrum composed;
    for (int i = 0; i < count; ++i) composed.add(spectrum);
    const double epsilon = random_epsilon(random);
    EXPECT_TRUE(delta(composed, epsilon).overlaps(delta(spectrum.repeated(count), epsilon)));
  });
}

TEST_P(ProfileProperties, AreWhatAutomaticModeFinds) {
  int index = 0;
  for_random_spectra(110, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    if (accuracy() == Accuracy::fast && ++index % 10 != 0) return;
    const auto loss = PrivacyLoss::gaussian(spectrum_of(coordinates));
    const double epsilon = random_epsilon(random);
    const ProfilePoint here = profile(loss, epsilon, accuracy());
    const ProfilePoint automatic = profile(loss, epsilon);
    EXPECT_EQ(automatic.proof, Proof::certified);
    EXPECT_TRUE(here.forward.overlaps(automatic.forward));
    EXPECT_TRUE(here.reverse.overlaps(automatic.reverse));
  });
}

TEST_P(ProfileProperties, AreAccurateRelativeToDelta) {
  for_random_spectra(111, [&](SeededRandom& random, const std::vector<Coordinate>& coordinates) {
    const double epsilon = random_epsilon(random);
    const Enclosure value = delta(spectrum_of(coordinates), epsilon);
    if (value.upper() > 1e-300) {
      EXPECT_LE(value.relative_width(), accuracy() == Accuracy::certified ? 1e-12 : 1e-10)
          << epsilon;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, ProfileProperties,
                         ::testing::Values(Effort{Accuracy::fast, 3000},
                                           Effort{Accuracy::certified, 60}),
                         [](const auto& effort) {
                           return effort.param.accuracy == Accuracy::fast ? "InDoubles" : "InBalls";
                         });

// -------------------------------------------------------------------------------- single facts

TEST(Profile, OfNothingIsTheTrivialBound) {
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
    EXPECT_TRUE(profile(PrivacyLoss(), 0.0, accuracy).delta().is_exactly_zero());
    EXPECT_TRUE(profile(PrivacyLoss(), 1e4, accuracy).delta().is_exactly_zero());
    const Enclosure below = profile(PrivacyLoss(), -1.0, accuracy).delta();
    EXPECT_TRUE(encloses(below, decimal("0.6321205588285576784044762")));
    EXPECT_LE(below.relative_width(), 1e-15);
  }
}

TEST(Profile, OfMutuallySingularLawsIsOneEverywhere) {
  for (const double epsilon : {-1e4, -1.0, 0.0, 1.0, 1e4})
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
      const ProfilePoint point = profile(PrivacyLoss::mutually_singular(), epsilon, accuracy);
      EXPECT_EQ(point.forward.lower(), 1.0);
      EXPECT_EQ(point.reverse.upper(), 1.0);
    }
}

TEST(Profile, StaysMutuallySingularUnderComposition) {
  PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.3, 2.0));
  loss.compose(PrivacyLoss::mutually_singular());
  EXPECT_EQ(profile(loss, 3.0).delta().lower(), 1.0);
  EXPECT_EQ(profile(loss.repeated(5.0), 3.0).delta().lower(), 1.0);
}

TEST(Profile, ReportsTheLargerDirection) {
  const auto loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 2.0));
  const ProfilePoint point = profile(loss, 1.0);
  EXPECT_GT(point.forward.lower(), point.reverse.upper());
  EXPECT_EQ(point.delta().lower(), point.forward.lower());
  EXPECT_EQ(point.delta().upper(), point.forward.upper());
  EXPECT_EQ(point.epsilon, 1.0);
}

TEST(Profile, RefusesEpsilonThatIsNotFinite) {
  const PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.5, 2.0));
  for (const double epsilon : not_finite)
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
      EXPECT_TRUE(refuses("epsilon", [&] { return profile(loss, epsilon, accuracy); }));
      EXPECT_TRUE(
          refuses("epsilon", [&] { return directed_delta(loss.forward(), epsilon, accuracy); }));
      EXPECT_TRUE(refuses("epsilon", [&] { return profile(PrivacyLoss(), epsilon, accuracy); }));
      EXPECT_TRUE(refuses(
          "epsilon", [&] { return profile(PrivacyLoss::mutually_singular(), epsilon, accuracy); }));
    }
}

// A proof cannot be had from a spectrum that is itself an estimate.
TEST(Profile, RefusesToCertifyAnEstimatedSpectrum) {
  GaussianSpectrum spectrum = GaussianSpectrum::component(0.5, 2.0);
  spectrum.set_estimated();
  const PrivacyLoss loss = PrivacyLoss::gaussian(spectrum);
  EXPECT_THROW(profile(loss, 1.0, Accuracy::certified), TargetUnreachable);
  EXPECT_EQ(profile(loss, 1.0, Accuracy::automatic).proof, Proof::estimated);
  EXPECT_EQ(profile(loss, 1.0, Accuracy::fast).proof, Proof::estimated);
}

}  // namespace
}  // namespace modicum::testing::profile_test
