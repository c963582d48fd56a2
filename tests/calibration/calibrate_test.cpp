#include "modicum/calibration/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::calibrate_test {
namespace {

PrivacyLoss gaussian(double deviation, double sensitivity, double count) {
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(sensitivity, deviation)).repeated(count);
}
PrivacyLoss laplace(double scale, double sensitivity, double count) {
  return PrivacyLoss::laplace(Precise::ratio(sensitivity, scale)).repeated(count);
}

TEST(CalibrateGaussian, IsSafeAndAsSmallAsCanBe) {
  SeededRandom random(1001);
  for (int i = 0; i < 200; ++i) {
    const PrivacyTarget target(random.log_uniform(1e-3, 50.0), random.log_uniform(1e-250, 0.3));
    const double sensitivity = random.log_uniform(1e-6, 1e6),
                 count = std::floor(random.log_uniform(1.0, 1e6));
    SCOPED_TRACE(::testing::Message()
                 << target.epsilon << ' ' << target.delta << ' ' << sensitivity << ' ' << count);
    const Calibration found = calibrate_gaussian(target, sensitivity, count);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    EXPECT_EQ(found.achieved.epsilon, target.epsilon);
    EXPECT_LE(found.achieved.delta().upper(), target.delta);
    EXPECT_LE(
        profile(gaussian(found.parameter, sensitivity, count), target.epsilon, Accuracy::certified)
            .delta()
            .upper(),
        target.delta);
    const double smaller = found.parameter * (1.0 - 1e-12);
    EXPECT_GT(profile(gaussian(smaller, sensitivity, count), target.epsilon, Accuracy::certified)
                  .delta()
                  .lower(),
              target.delta);
  }
}

// sigma does not depend on the units, and k compositions cost sqrt(k).
TEST(CalibrateGaussian, ScalesAsItMust) {
  const PrivacyTarget target(1.0, 1e-5);
  const double one = calibrate_gaussian(target, 1.0).parameter;
  EXPECT_NEAR(calibrate_gaussian(target, 1024.0).parameter / one, 1024.0, 1e-9);
  EXPECT_NEAR(calibrate_gaussian(target, 1.0, 10000.0).parameter / one, 100.0, 1e-10);
  // delta(1/sigma, 1) = 1e-5 by the closed form.
  EXPECT_NEAR(equal_covariance_delta(1.0 / one, 1.0).middle() / 1e-5, 1.0, 1e-11);
}

TEST(CalibrateGaussian, NeedsMoreNoiseForStricterTargets) {
  SeededRandom random(1002);
  for (int i = 0; i < 100; ++i) {
    const double epsilon = random.log_uniform(1e-2, 20.0), delta = random.log_uniform(1e-100, 0.1);
    const double base = calibrate_gaussian({epsilon, delta}, 1.0).parameter;
    EXPECT_LE(base, calibrate_gaussian({epsilon * random.uniform(0.1, 1.0), delta}, 1.0).parameter *
                        (1 + 1e-12));
    EXPECT_LE(base,
              calibrate_gaussian({epsilon, delta * random.uniform(0.01, 1.0)}, 1.0).parameter *
                  (1 + 1e-12));
    EXPECT_LE(base, calibrate_gaussian({epsilon, delta}, 1.0, 2.0).parameter);
  }
}

TEST(CalibrateGaussian, ServesEpsilonZero) {
  const Calibration found = calibrate_gaussian({0.0, 0.1}, 1.0);
  EXPECT_LE(profile(gaussian(found.parameter, 1.0, 1.0), 0.0, Accuracy::certified).delta().upper(),
            0.1);
}

TEST(CalibrateGaussian, RefusesTargetsItCannotMeet) {
  EXPECT_THROW(calibrate_gaussian({1.0, 0.0}, 1.0), CalibrationFailed);
  EXPECT_THROW(calibrate_gaussian({1.0, 0.0}, 1.0), TargetUnreachable);
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0})
    EXPECT_TRUE(refuses("sensitivity", [&] {
      return calibrate_gaussian({1.0, 1e-6}, bad);
    })) << bad;
  for (const double bad : {not_a_number, infinity, 0.0, -1.0, 1.5})
    EXPECT_TRUE(refuses("count", [&] { return calibrate_gaussian({1.0, 1e-6}, 1.0, bad); })) << bad;
}

TEST(CalibrateLaplace, IsSafeAndAsSmallAsCanBe) {
  SeededRandom random(1003);
  for (int i = 0; i < 40; ++i) {
    const PrivacyTarget target(random.log_uniform(0.01, 10.0), random.log_uniform(1e-100, 0.1));
    const double sensitivity = random.log_uniform(1e-3, 1e3), count = random.whole(1, 12);
    SCOPED_TRACE(::testing::Message()
                 << target.epsilon << ' ' << target.delta << ' ' << sensitivity << ' ' << count);
    const Calibration found = calibrate_laplace(target, sensitivity, count);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    EXPECT_LE(
        profile(laplace(found.parameter, sensitivity, count), target.epsilon, Accuracy::certified)
            .delta()
            .upper(),
        target.delta);
    EXPECT_GT(profile(laplace(found.parameter * (1.0 - 1e-12), sensitivity, count), target.epsilon,
                      Accuracy::certified)
                  .delta()
                  .lower(),
              target.delta);
  }
}

TEST(CalibrateLaplace, IsTheTextbookScaleForPureTargets) {
  for (const auto& [epsilon, sensitivity, count] :
       {std::tuple{0.5, 1.0, 1.0}, std::tuple{1.0, 3.0, 4.0}, std::tuple{0.3, 0.7, 10.0}}) {
    const Calibration found = calibrate_laplace({epsilon, 0.0}, sensitivity, count);
    EXPECT_TRUE(found.achieved.delta().is_exactly_zero());
    EXPECT_NEAR(found.parameter / (sensitivity * count / epsilon), 1.0, 1e-14);
  }
}

TEST(CalibrateLaplace, RefusesTargetsItCannotMeet) {
  EXPECT_THROW(calibrate_laplace({0.0, 0.0}, 1.0), CalibrationFailed);
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0})
    EXPECT_TRUE(refuses("sensitivity", [&] { return calibrate_laplace({1.0, 1e-6}, bad); })) << bad;
  for (const double bad : {not_a_number, infinity, 0.0, -1.0, 1.5})
    EXPECT_TRUE(refuses("count", [&] { return calibrate_laplace({1.0, 1e-6}, 1.0, bad); })) << bad;
}

TEST(PrivacyTarget, RefusesWhatIsNoTarget) {
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300})
    EXPECT_TRUE(refuses("epsilon", [&] { return PrivacyTarget(bad, 0.1); })) << bad;
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300, 1.0, 2.0})
    EXPECT_TRUE(refuses("delta", [&] { return PrivacyTarget(1.0, bad); })) << bad;
}

// A family of its own: a ridge that shrinks the leverage of a random projection.
TEST(SmallestNoise, ServesAnyFamily) {
  const PrivacyTarget target(1.0, 1e-6);
  const auto family = [](double ridge) {
    return PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1.0 + 1.0 / ridge, 50.0));
  };
  const Calibration found = smallest_noise(family, target, 1.0);
  EXPECT_LE(profile(family(found.parameter), 1.0, Accuracy::certified).delta().upper(), 1e-6);
  EXPECT_GT(
      profile(family(found.parameter * (1.0 - 1e-11)), 1.0, Accuracy::certified).delta().lower(),
      1e-6);
}

TEST(SmallestNoise, DoesNotDependOnTheGuess) {
  const PrivacyTarget target(0.7, 1e-9);
  const auto family = [](double noise) { return gaussian(noise, 1.0, 1.0); };
  const double base = smallest_noise(family, target, 1.0).parameter;
  for (const double start : {1e-100, 1e-6, 3.0, 1e6, 1e100})
    EXPECT_NEAR(smallest_noise(family, target, start).parameter / base, 1.0, 1e-12) << start;
}

TEST(SmallestNoise, SaysWhereNoNoiseHelpsOrNoneIsNeeded) {
  const PrivacyTarget target(1.0, 1e-6);
  EXPECT_THROW(smallest_noise([](double) { return PrivacyLoss::mutually_singular(); }, target, 1.0),
               CalibrationFailed);
  EXPECT_THROW(smallest_noise([](double) { return PrivacyLoss(); }, target, 1.0),
               CalibrationFailed);
  for (const double bad : {not_a_number, infinity, 0.0, -1.0})
    EXPECT_TRUE(refuses("start", [&] {
      return smallest_noise([](double noise) { return gaussian(noise, 1.0, 1.0); }, target, bad);
    })) << bad;
}

// An estimated spectrum admits no proof: nothing may be released on it unless asked for.
TEST(SmallestNoise, DemandsAProof) {
  const auto family = [](double noise) {
    GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, 1.0 + 1.0 / noise);
    spectrum.set_estimated();
    return PrivacyLoss::gaussian(spectrum);
  };
  EXPECT_THROW(smallest_noise(family, {1.0, 1e-6}, 1.0), TargetUnreachable);
  EXPECT_EQ(smallest_noise(family, {1.0, 1e-6}, 1.0, Accuracy::fast).achieved.proof,
            Proof::estimated);
}

}  // namespace
}  // namespace modicum::testing::calibrate_test
