#include "privacy/engines/bent_paths.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/laws/subsampled_law.h"
#include "support/seeded_random.h"

namespace modicum::testing::bent_paths_test {
namespace {

PrivacyLoss sampled_steps(double rate, double deviation, double count) {
  const auto law = subsampled_gaussian_law(Precise::ratio(1.0, deviation), rate);
  return PrivacyLoss::law(law, reversed(law)).repeated(count);
}

bool overlap(const Ball& a, const Ball& b) { return arb_overlaps(a.raw(), b.raw()) != 0; }

// Two steps: delta(e) = E_X[delta of one step at e - L], by mpmath's quadrature to 30 digits.
TEST(BentPath, AgreesWithTwoStepsToThirtyDigits) {
  struct Row {
    double rate, deviation, epsilon, forward, reverse;
  };
  for (const Row& row :
       {Row{0.01, 1.0, 0.5, 4.497212184766133068551e-7, 0.0},
        Row{0.5, 2.0, 1.0, 0.00204390519004005452557, 4.908050971375628922639e-7},
        Row{0.1, 0.5, 3.0, 0.005379457800546094684216, 0.0},
        Row{0.3, 20.0, 0.05, 8.403898465675788700639e-5, 5.257461840418714432718e-5},
        Row{0.001, 0.3, 1.0, 0.0004054914419125281979734, 0.0}}) {
    const PrivacyLoss loss = sampled_steps(row.rate, row.deviation, 2.0);
    const ProfilePoint point = profile(loss, row.epsilon, Accuracy::fast);
    EXPECT_TRUE(point.forward.contains(row.forward)) << row.rate << ", " << row.deviation;
    EXPECT_TRUE(point.reverse.contains(row.reverse)) << row.rate << ", " << row.deviation;
    EXPECT_LT(point.forward.relative_width(), 1e-10) << row.rate << ", " << row.deviation;
  }
}

// The same, forward, where samples are rare, or the noise is large or small: estimates may be
// wider.
TEST(BentPath, AgreesWithTwoStepsAtTheEnds) {
  struct Row {
    double rate, deviation, epsilon, forward, width;
  };
  for (const Row& row : {Row{1e-4, 1.0, 0.00125, 1.002118897285031305549e-6, 1e-8},
                         Row{3.715e-6, 1.25, 3.5e-5, 9.617464243140694821877e-9, 1e-6},
                         Row{0.01, 10.0, 0.005, 3.467784181851694151478e-7, 1e-9},
                         Row{0.002, 0.3, 1.0, 0.001056438079038058227055, 1e-9},
                         Row{0.5, 30.0, 0.1, 9.589074030902564793992e-8, 1e-11},
                         Row{1e-5, 0.5, 0.01, 5.649194937769731271432e-8, 1e-6},
                         Row{0.98, 1.0, 3.0, 0.02926570499464869241944, 1e-11}}) {
    const PrivacyLoss loss = sampled_steps(row.rate, row.deviation, 2.0);
    const Enclosure found = profile(loss, row.epsilon, Accuracy::fast).forward;
    EXPECT_TRUE(found.contains(row.forward)) << row.rate << ", " << row.deviation;
    EXPECT_LT(found.relative_width(), row.width) << row.rate << ", " << row.deviation;
  }
}

// The whole point: a training run, of which a proof has all digits.
TEST(BentPath, KnowsTheEpsilonOfATrainingRun) {
  const Answer found = epsilon_at(sampled_steps(0.01, 1.0, 1000.0), 1e-5, Accuracy::fast);
  EXPECT_LE(found.value.lower(), 1.8282366665165766);
  EXPECT_GE(found.value.upper(), 1.8282366665165843);
  EXPECT_LT(found.value.relative_width(), 1e-12);
  EXPECT_EQ(found.proof, Proof::estimated);
}

// Tilted to the saddle point, a millionth of each step's loss lies 6.4 above the rest: its phase
// turns once in 0.97 of height, and the nodes of five halvings lie at multiples of that. The value
// is by straight lines through 100, 300 and 514 with 6000 nodes each, in extended precision.
TEST(BentPath, SeesAFarPartWhoseTurnsFitTheNodes) {
  const PrivacyLoss loss = sampled_steps(0.00166571184, 6.35096473, 28.0);
  const Enclosure delta = profile(loss, -0.00124888765, Accuracy::fast).forward;
  EXPECT_TRUE(delta.contains(0.0013846075532469374));
  EXPECT_LT(delta.relative_width(), 1e-9);
}

// Tilted to the saddle point, the loss of a step with little noise has two modes, which meet in
// phase and out of phase along a path: it does not end in a dip. Deltas are proved ones.
TEST(BentPath, DoesNotEndInADip) {
  struct Row {
    double deviation, rate, count, epsilon;
  };
  for (const Row& row :
       {Row{0.05, 0.1, 300.0, 5900.0}, Row{0.0598576, 0.00267172, 1084.0, 1269.66},
        Row{0.135127, 0.147758, 23.0, 219.211}, Row{0.2425, 0.12, 15.0, 100.0},
        Row{0.268902, 0.299726, 20.0, 58.5258}, Row{0.698109, 0.106455, 16.0, 30.951}}) {
    const PrivacyLoss loss = sampled_steps(row.rate, row.deviation, row.count);
    const Enclosure fast = profile(loss, row.epsilon, Accuracy::fast).forward,
                    proved = profile(loss, row.epsilon, Accuracy::certified).forward;
    EXPECT_TRUE(fast.overlaps(proved)) << row.deviation;
  }
}

// Many answers on a lattice let the integrand fall and rise again, period by period, until the
// sampled steps end it: a path that stopped at the first fall told less than the lattice has alone.
TEST(BentPath, IsNotFooledByAtomsThatFallAndRiseAgain) {
  SeededRandom random(43);
  for (int trial = 0; trial < 4; ++trial) {
    const double truth = random.uniform(0.52, 0.7),
                 answers = std::floor(random.log_uniform(20, 400));
    PrivacyLoss lattice =
        PrivacyLoss::two_point(Precise::exactly(std::log(truth / (1.0 - truth)))).repeated(answers);
    const double epsilon = random.uniform(-1.0, 3.0);
    const ProfilePoint alone = profile(lattice, epsilon, Accuracy::certified);
    lattice.compose(
        sampled_steps(random.log_uniform(1e-3, 0.5), random.log_uniform(0.5, 50.0), 1.0));
    const ProfilePoint whole = profile(lattice, epsilon, Accuracy::fast);
    EXPECT_GE(whole.forward.upper(), alone.forward.lower()) << "trial " << trial;
    EXPECT_GE(whole.reverse.upper(), alone.reverse.lower()) << "trial " << trial;
  }
}

// Never beside the truth: every estimate against a proof.
TEST(BentPath, EstimatesContainWhatIsProved) {
  SeededRandom random(41);
  for (int trial = 0; trial < 6; ++trial) {
    const double rate = random.log_uniform(2e-3, 0.3), deviation = random.log_uniform(0.8, 5.0);
    const double count = std::floor(random.log_uniform(200.0, 1e5));
    const double spread = rate * std::sqrt(count * std::expm1(1.0 / (deviation * deviation)));
    PrivacyLoss loss = sampled_steps(rate, deviation, count);
    if (trial % 2 == 1) loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::component(0.3, 1.1)));
    const double epsilon = spread * (random.uniform(0.5, 4.0) + 0.5 * spread);
    for (const DirectedLoss* direction : {&loss.forward(), &loss.reverse()}) {
      const auto estimate = BentPaths(*direction).at(epsilon, Kernel::profile);
      ASSERT_TRUE(estimate.has_value()) << rate << ", " << deviation << ", " << count;
      const Enclosure proved = directed_delta(*direction, epsilon, Accuracy::certified).value;
      EXPECT_TRUE(overlap(estimate->value, Ball::between(proved.lower(), proved.upper())))
          << rate << ", " << deviation << ", " << count << ", " << epsilon;
      EXPECT_LT(relative_width(estimate->value), 1e-9);
    }
  }
}

// Few steps: the path leans to the right. Down to rates and up to deviations where most of M is 1.
TEST(BentPath, FewStepsContainWhatIsProved) {
  SeededRandom random(43);
  for (int trial = 0; trial < 8; ++trial) {
    const double rate = random.log_uniform(4e-3, 0.5), deviation = random.log_uniform(0.5, 6.0);
    const double count = std::floor(random.log_uniform(2.0, 60.0));
    const PrivacyLoss loss = sampled_steps(rate, deviation, count);
    const Answer found = epsilon_at(loss, random.log_uniform(1e-8, 1e-3), Accuracy::fast);
    const double epsilon = found.value.upper();
    if (epsilon == 0.0) continue;
    EXPECT_LT(found.value.relative_width(), 1e-9) << rate << ", " << deviation << ", " << count;
    const Enclosure estimate = profile(loss, epsilon, Accuracy::fast).forward;
    const Enclosure proved = profile(loss, epsilon, Accuracy::certified).forward;
    EXPECT_LE(estimate.lower(), proved.upper()) << rate << ", " << deviation << ", " << count;
    EXPECT_GE(estimate.upper(), proved.lower()) << rate << ", " << deviation << ", " << count;
  }
}

// One step is known in closed form: all five kernels, on either side of the means and in between.
TEST(BentPath, TailsOfOneStep) {
  const PrecisionScope scope(128);
  int answered = 0;
  for (const double rate : {0.05, 0.5})
    for (const double deviation : {0.7, 2.0}) {
      const PrivacyLoss loss = sampled_steps(rate, deviation, 1.0);
      for (const DirectedLoss* direction : {&loss.forward(), &loss.reverse()})
        for (const double shift : {-0.04, -0.005, 0.0, 0.01, 0.045, 0.2, 1.0}) {
          const LossTails tails = direction->laws.front().law->tails(shift, Accuracy::certified);
          const Ball scale = exp(Ball(shift));
          BentPaths paths(*direction);
          const auto check = [&](Kernel kernel, const Ball& truth) {
            const auto found = paths.at(shift, kernel);
            if (!found) return;  // no path, or too few digits: another engine is asked
            EXPECT_TRUE(overlap(found->value, truth)) << rate << ", " << deviation << ", " << shift
                                                      << ", kernel " << static_cast<int>(kernel);
            ++answered;
          };
          check(Kernel::profile, tails.above_x - scale * tails.above_y);
          check(Kernel::upper_tail, tails.above_x);
          check(Kernel::lower_tail, tails.below_x);
          check(Kernel::tilted_upper, scale * tails.above_y);
          check(Kernel::tilted_lower, scale * tails.below_y);
        }
    }
  EXPECT_GT(answered, 150);  // of 280, some of which are exactly 0 or 1
}

TEST(BentPath, TailsOfManyStepsAddUp) {
  const PrecisionScope scope(128);
  const PrivacyLoss loss = sampled_steps(0.02, 1.0, 500.0);
  BentPaths paths(loss.forward());
  for (double shift = -3.0; shift <= 5.0; shift += 0.5) {
    const auto at = [&](Kernel kernel) {
      const auto found = BentPaths(loss.forward()).at(shift, kernel);
      const auto kept = paths.at(shift, kernel);
      EXPECT_TRUE(found && kept) << shift;
      if (!found || !kept) return Ball::between(0.0, 1.0);
      EXPECT_TRUE(overlap(found->value, kept->value)) << shift;
      return found->value;
    };
    const Ball upper = at(Kernel::upper_tail), tilted = at(Kernel::tilted_upper);
    EXPECT_TRUE(overlap(upper + at(Kernel::lower_tail), Ball(1.0))) << shift;
    EXPECT_TRUE(overlap(tilted + at(Kernel::tilted_lower), exp(Ball(shift)))) << shift;
    EXPECT_TRUE(overlap(upper - tilted, at(Kernel::profile))) << shift;
  }
}

TEST(BentPath, SaysWhereThereIsNone) {
  const PrivacyLoss loss = sampled_steps(0.01, 1.0, 10.0);
  // The reversed loss never exceeds -10 log(0.99) = 0.1005.
  EXPECT_FALSE(BentPaths(loss.reverse()).at(0.2, Kernel::profile).has_value());
  EXPECT_FALSE(has_bent_paths(PrivacyLoss::laplace(Precise::exactly(1.0)).forward()));
}

}  // namespace
}  // namespace modicum::testing::bent_paths_test
