// The engine of last resort must hold the answers of the exact engines.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/loss_moment.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::line_profile_test {
namespace {

void expect_line_holds(const DirectedLoss& loss, double shift, const Ball& exact) {
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
    const QuantityValue line = line_profile(loss, shift, accuracy);
    EXPECT_TRUE(arb_overlaps(line.value.raw(), exact.raw()))
        << (accuracy == Accuracy::certified ? "balls: " : "doubles: ")
        << ::testing::PrintToString(line.value) << " against " << ::testing::PrintToString(exact);
    EXPECT_EQ(line.proof, accuracy == Accuracy::certified ? Proof::certified : Proof::estimated);
  }
}

TEST(LineProfile, HoldsTheResiduesOfLaplaceMechanisms) {
  SeededRandom random(311);
  for (int i = 0; i < 8; ++i) {
    PrivacyLoss loss;
    double range = 0.0;
    for (int k = random.whole(1, 2); k > 0; --k) {
      const double part = random.log_uniform(0.1, 2.0), count = random.whole(1, 4);
      loss.compose(PrivacyLoss::laplace(Precise::exactly(part)).repeated(count));
      range += part * count;
    }
    if (random.whole(0, 1) == 0) {
      loss.compose(PrivacyLoss::two_point(Precise::exactly(0.3)).repeated(2.0));
      range += 0.6;
    }
    const double shift = random.uniform(-0.5, 0.9) * range;
    ASSERT_TRUE(residues_are_few(loss.forward()));
    const PrecisionScope scope(160);
    expect_line_holds(loss.forward(), shift,
                      residue_quantity(loss.forward(), Ball(shift), Kernel::profile));
  }
}

TEST(LineProfile, HoldsTheSumOverAtoms) {
  SeededRandom random(312);
  for (int i = 0; i < 8; ++i) {
    PrivacyLoss loss = PrivacyLoss::two_point(Precise::exactly(random.log_uniform(0.05, 1.0)))
                           .repeated(random.whole(1, 10));
    loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(random.log_uniform(0.3, 2.0), 1.0)));
    const double shift = random.uniform(-1.0, 6.0);
    const auto exact = atomic_quantity(loss.forward(), shift, Kernel::profile, Accuracy::certified);
    ASSERT_TRUE(exact.has_value());
    expect_line_holds(loss.forward(), shift, exact->value);
  }
}

TEST(LineProfile, HoldsTheContourIntegralOfASpectrum) {
  SeededRandom random(313);
  for (int i = 0; i < 8; ++i) {
    const GaussianSpectrum spectrum =
        spectrum_of({{random.uniform(0.1, 1.0), random.uniform(0.5, 2.0), 3.0},
                     {random.uniform(0.5, 1.0), 1.0, 1.0}});
    const double shift = random.uniform(-1.0, 4.0);
    const PrecisionScope scope(160);
    const QuantityValue exact =
        gaussian_quantity(spectrum, Ball(shift), Kernel::profile, Accuracy::certified);
    expect_line_holds(PrivacyLoss::gaussian(spectrum).forward(), shift, exact.value);
  }
}

TEST(LineProfile, HoldsAPlainTwoPointLossThatNeverDecays) {
  // delta(0) of one two-point loss is tanh(epsilon / 2).
  const PrecisionScope scope(160);
  const DirectedLoss loss = PrivacyLoss::two_point(Precise::exactly(1.0)).forward();
  const Ball truth = expm1(Ball(1.0)) / (exp(Ball(1.0)) + 1.0);
  expect_line_holds(loss, 0.0, truth);
  const Ball value = line_profile(loss, 0.0, Accuracy::fast).value;
  EXPECT_LE((value.upper() - value.lower()) / truth.lower(), 1e-3);
}

PrivacyLoss laplaces(double range, double count) {
  return PrivacyLoss::laplace(Precise::exactly(range)).repeated(count);
}

// delta is 1 up to e^-1000, and doubles come out above and below it.
TEST(LineProfile, StaysBetween0And1BesideAHugeLaplaceLoss) {
  PrivacyLoss loss = laplaces(1e5, 2.0);
  loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(0.01, 1.0)));
  for (const double shift : {-1.0, 0.0, 1.0, 100.0, 1.5e5})
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::automatic, Accuracy::certified}) {
      const Answer delta = directed_delta(loss.forward(), shift, accuracy);
      EXPECT_EQ(delta.value.upper(), 1.0) << shift;
      EXPECT_GE(delta.value.lower(), 1.0 - 1e-8) << shift << " " << to_string(accuracy);
    }
}

void expect_estimate_overlaps_proof(const DirectedLoss& loss, double shift) {
  const PrecisionScope scope(96);
  const Ball fast = line_profile(loss, shift, Accuracy::fast).value;
  const Ball proved = line_profile(loss, shift, Accuracy::certified).value;
  EXPECT_TRUE(arb_overlaps(fast.raw(), proved.raw()))
      << shift << ": " << ::testing::PrintToString(fast) << " against "
      << ::testing::PrintToString(proved);
}

// A shift so many standard deviations from the mean.
double shift_at(const DirectedLoss& loss, double deviations) {
  const Jet jet = LossMoment(loss).jet(0.0L);
  return static_cast<double>(jet.first + std::sqrt(jet.second) * deviations);
}

// Mixtures of many sizes, from the far left, where delta is 1, to the right tail.
TEST(LineProfile, EstimatesOverlapProofsForMixturesOfManySizes) {
  SeededRandom random(314);
  for (int i = 0; i < 24; ++i) {
    PrivacyLoss loss = laplaces(random.log_uniform(1e-2, random.whole(0, 1) == 0 ? 1e5 : 10.0),
                                random.whole(1, 120));
    const double multiplicity = std::floor(random.log_uniform(10.0, 2e4));
    loss.compose(PrivacyLoss::gaussian(
        random.whole(0, 1) == 0 ? GaussianSpectrum::shift(random.log_uniform(1e-2, 30.0), 1.0)
                                : GaussianSpectrum::component(
                                      0.0, 1.0 + random.log_uniform(1e-3, 20.0), multiplicity)));
    if (random.whole(0, 1) == 0)
      loss.compose(PrivacyLoss::two_point(Precise::exactly(random.log_uniform(1e-3, 1.0)))
                       .repeated(random.whole(1, 30)));
    const DirectedLoss& directed = random.whole(0, 1) == 0 ? loss.forward() : loss.reverse();
    expect_estimate_overlaps_proof(directed, shift_at(directed, random.uniform(-8.0, 4.0)));
  }
}

// Losses of millions beside a line at a few thousandths: an error of 2^-53 in z + 1/2 is not small.
TEST(LineProfile, EstimatesOverlapProofsForHugeLaplaceLosses) {
  for (unsigned seed = 20; seed < 60; ++seed) {
    SeededRandom random(seed);
    PrivacyLoss loss = PrivacyLoss::laplace(Precise::ratio(random.log_uniform(1e3, 1e5), 3.0))
                           .repeated(random.whole(1, 150));
    const double ratio = 1.0 + random.log_uniform(1e-3, 1.0);
    loss.compose(PrivacyLoss::gaussian(
        GaussianSpectrum::component(0.0, ratio, std::floor(random.log_uniform(10.0, 2e4)))));
    const DirectedLoss& directed = random.whole(0, 1) == 0 ? loss.forward() : loss.reverse();
    const double shift = shift_at(directed, random.uniform(-8.0, 2.0));
    if (line_is_cheap_in_balls(directed, shift)) expect_estimate_overlaps_proof(directed, shift);
  }
}

// The two kinds of loss for which the line needs the vanishing Gaussian, and what
// docs/proved-and-estimated.md promises of the width there.
void expect_width(const PrivacyLoss& loss, double epsilon, double fast, double certified) {
  EXPECT_LE(profile(loss, epsilon, Accuracy::fast).delta().relative_width(), fast);
  EXPECT_LE(profile(loss, epsilon, Accuracy::certified).delta().relative_width(), certified);
}

// Few Gaussian coordinates beside a Laplace mechanism: e^K falls only like a small power.
TEST(LineProfile, KeepsItsWidthBesideFewGaussianCoordinates) {
  PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1.0 / 0.9, 3.0));
  loss.compose(PrivacyLoss::laplace(Precise::exactly(0.5)));
  expect_width(loss, 0.5, 1e-4, 1e-2);
}

// All but lattices: e^K comes back to e^-20 of its peak again and again.
TEST(LineProfile, KeepsItsWidthForManyLaplaceMechanisms) {
  expect_width(PrivacyLoss::laplace(Precise::exactly(0.125)).repeated(401.0), 8.0, 1e-4, 1e-2);
}

}  // namespace
}  // namespace modicum::testing::line_profile_test
