#include "modicum/mechanisms/lifting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "modicum/privacy/gaussian_pair.h"
#include "numerics/dense.h"
#include "support/seeded_random.h"

namespace modicum::testing::lifting_test {
namespace {

Eigen::MatrixXd root_of(const Eigen::MatrixXd& matrix) {
  const SymmetricEigen axes = symmetric_eigen(matrix);
  return axes.vectors * axes.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() *
         axes.vectors.transpose();
}

Eigen::VectorXd random_direction(SeededRandom& random, Eigen::Index d) {
  const Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(d, [&] { return random.normal(); });
  return v / v.norm();
}

// A pair that the sensitivity allows: N(m, I + S) against N(0, I), 0 <= S <= T, rank at most k.
struct Pair {
  Eigen::VectorXd mean;
  Eigen::MatrixXd excess;

  Pair(const OutputSensitivity& sensitivity, Eigen::Index d, SeededRandom& random)
      : mean(sensitivity.mean_shift * random.unit() * random_direction(random, d)),
        excess(Eigen::MatrixXd::Zero(d, d)) {
    if (random.unit() < 0.5) mean *= sensitivity.mean_shift / mean.norm();
    const Eigen::MatrixXd basis = HouseholderQr(Eigen::MatrixXd::NullaryExpr(d, d, [&] {
                                    return random.normal();
                                  })).orthogonal();
    for (Eigen::Index i = 0; i < std::min<Eigen::Index>(d, Eigen::Index(sensitivity.rank)); ++i) {
      const double share = random.unit() < 0.5 ? 1.0 : random.unit();
      excess += share * sensitivity.variance_excess * basis.col(i) * basis.col(i).transpose();
    }
  }
  PrivacyLoss loss() const {
    const Eigen::Index d = mean.size();
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(d, d);
    return PrivacyLoss::gaussian(
        *reduce_pair({mean, one + excess}, {Eigen::VectorXd::Zero(d), one}));
  }
};

OutputSensitivity random_sensitivity(SeededRandom& random) {
  return {std::exp(3.0 * random.unit() - 2.5), std::exp(4.0 * random.unit() - 3.0),
          std::floor(1.0 + 3.0 * random.unit())};
}

// The reduction: a projection A with A A^T = I takes the covariance excess T P to S, and A^T m,
// which is as long as m, to m.
TEST(Lifting, EveryPairIsAProjectionOfOneWithTheFullExcess) {
  SeededRandom random(501);
  for (int run = 0; run < 50; ++run) {
    const OutputSensitivity sensitivity = random_sensitivity(random);
    const Eigen::Index d = 3;
    const double excess = sensitivity.variance_excess;
    const Pair pair(sensitivity, d, random);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(d, d);
    Eigen::MatrixXd a(d, 2 * d);
    a << root_of(pair.excess / excess), root_of(one - pair.excess / excess);
    EXPECT_LT((a * a.transpose() - one).norm(), 1e-12);
    EXPECT_LT((excess * a.leftCols(d) * a.leftCols(d).transpose() - pair.excess).norm(), 1e-12);
    EXPECT_NEAR((a.transpose() * pair.mean).norm(), pair.mean.norm(), 1e-12);
  }
}

TEST(Lifting, NoPairExceedsAnyBound) {
  SeededRandom random(502);
  for (int run = 0; run < 10; ++run) {
    const OutputSensitivity sensitivity = random_sensitivity(random);
    const double epsilon = std::exp(3.0 * random.unit() - 2.0);
    const LiftedBounds bounds = lifted_bounds(sensitivity, epsilon);
    for (int i = 0; i < 20; ++i) {
      const double delta =
          profile(Pair(sensitivity, 3, random).loss(), epsilon, Accuracy::fast).delta().lower();
      EXPECT_LE(delta, bounds.triangle);
      EXPECT_LE(delta, bounds.composition);
      EXPECT_LE(delta, bounds.cover);
      // The search found the worst, up to the width of the cover.
      EXPECT_LE(delta, bounds.worst_found * 1.001 + 1e-300);
    }
  }
}

TEST(Lifting, TheCoverIsTheSmallestBoundAndNearlyAttained) {
  SeededRandom random(503);
  for (int run = 0; run < 12; ++run) {
    const OutputSensitivity sensitivity = random_sensitivity(random);
    const double epsilon = std::exp(3.0 * random.unit() - 2.0);
    const LiftedBounds bounds = lifted_bounds(sensitivity, epsilon);
    EXPECT_LE(bounds.cover, bounds.triangle * 1.002);
    EXPECT_LE(bounds.cover, bounds.composition * 1.002);
    EXPECT_LE(bounds.cover, bounds.worst_found * 1.0021);
    EXPECT_LE(bounds.worst_found, bounds.cover);
    EXPECT_EQ(bounds.delta().delta().upper(),
              std::min({bounds.triangle, bounds.composition, bounds.cover}));
  }
}

// All shares are all but equally bad: one integral proves them together.
TEST(Lifting, TheCoverIsCloseWhereTheCovarianceHardlyMoves) {
  for (const OutputSensitivity& sensitivity :
       {OutputSensitivity(0.1, 1e-6, 100.0), OutputSensitivity(1.0, 1e-3, 1.0)})
    for (const double epsilon : {0.1, 1.0}) {
      const LiftedBounds bounds = lifted_bounds(sensitivity, epsilon);
      EXPECT_LE(bounds.cover, bounds.worst_found * 1.0011);
      EXPECT_LE(bounds.worst_found, bounds.cover);
    }
}

TEST(Lifting, HoldsAtNegativeEpsilon) {
  const OutputSensitivity sensitivity(0.3, 0.2);
  for (const double epsilon : {-0.5, -2.0, -20.0}) {
    const LiftedBounds bounds = lifted_bounds(sensitivity, epsilon);
    EXPECT_GE(bounds.delta().delta().upper(), -std::expm1(epsilon));
    EXPECT_LE(bounds.delta().delta().upper(), 1.0);
  }
}

// N(0, 2) against N(0, 1): the published calibration says 0 from epsilon = 0.3466 on.
TEST(Lifting, ThePublishedFormulaMissesTheHardDirection) {
  const OutputSensitivity sensitivity(0.0, 1.0);
  for (const auto& [epsilon, truth] :
       {std::pair{0.35, 0.103}, std::pair{1.0, 0.0456}, std::pair{2.0, 0.0141}}) {
    EXPECT_EQ(published_lifted_bound(sensitivity, epsilon), 0.0);
    const Enclosure delta = lifted_bounds(sensitivity, epsilon).delta().delta();
    EXPECT_NEAR(delta.lower(), truth, 0.005 * truth);
    EXPECT_NEAR(delta.upper(), truth, 0.005 * truth);
  }
}

// Where the covariance does not move, the published bound is that of a Gaussian, and so are ours.
TEST(Lifting, OfAShiftAloneAllBoundsAgree) {
  const OutputSensitivity sensitivity(0.4, 0.0);
  const double truth =
      profile(PrivacyLoss::gaussian(GaussianSpectrum::shift(0.4, 1.0)), 1.0).delta().upper();
  const LiftedBounds bounds = lifted_bounds(sensitivity, 1.0);
  EXPECT_NEAR(bounds.triangle, truth, 1e-5 * truth);
  EXPECT_NEAR(bounds.composition, truth, 1e-5 * truth);
  EXPECT_NEAR(bounds.cover, truth, 2e-3 * truth);
  EXPECT_NEAR(published_lifted_bound(sensitivity, 1.0), truth, 1e-5 * truth);
}

TEST(Lifting, HoldsAtExtremes) {
  for (const OutputSensitivity& sensitivity :
       {OutputSensitivity(0.0, 0.0), OutputSensitivity(1e-9, 1e-9), OutputSensitivity(50.0, 0.1),
        OutputSensitivity(0.1, 1e6), OutputSensitivity(0.01, 1e-4, 1e6),
        OutputSensitivity(30.0, 1e3, 100.0)})
    for (const double epsilon : {0.0, 1e-6, 1.0, 40.0}) {
      const LiftedBounds bounds = lifted_bounds(sensitivity, epsilon);
      EXPECT_GE(bounds.delta().delta().upper(), bounds.worst_found);
      EXPECT_LE(bounds.delta().delta().upper(), 1.0);
      EXPECT_GE(bounds.worst_found, 0.0);
    }
  EXPECT_LT(lifted_bounds({0.0, 0.0}, 0.0).delta().delta().upper(), 1e-290);
}

TEST(Lifting, RefusesWhatIsNoSensitivity) {
  EXPECT_THROW(OutputSensitivity(-1.0, 0.1), InvalidParameter);
  EXPECT_THROW(OutputSensitivity(0.1, -0.1), InvalidParameter);
  EXPECT_THROW(OutputSensitivity(0.1, 0.1, 0.0), InvalidParameter);
  EXPECT_THROW(OutputSensitivity(0.1, 0.1, 1.5), InvalidParameter);
  EXPECT_THROW(OutputSensitivity(NAN, 0.1), InvalidParameter);
  EXPECT_THROW(OutputSensitivity(0.1, INFINITY), InvalidParameter);
  EXPECT_THROW(lifted_bounds({0.1, 0.1}, NAN), InvalidParameter);
}

OutputSensitivity example(double noise) {
  return {0.1 / std::sqrt(noise), 0.025 / (1.0 + 10.25 * noise)};
}

TEST(LiftCalibration, IsProvedAndNearlyTheLeast) {
  for (const PrivacyTarget& target :
       {PrivacyTarget(1.0, 1e-6), PrivacyTarget(0.1, 1e-3), PrivacyTarget(5.0, 1e-10)}) {
    const LiftCalibration found = calibrate_lift(target, example, 1.0);
    EXPECT_LE(found.bounds.delta().delta().upper(), target.delta);
    EXPECT_GT(found.bounds.worst_found, 0.98 * target.delta);
    EXPECT_GT(lifted_bounds(example(0.99 * found.noise_variance), target.epsilon).worst_found,
              target.delta);
  }
}

TEST(LiftCalibration, DoesNotDependOnTheGuess) {
  const PrivacyTarget target(1.0, 1e-6);
  const double noise = calibrate_lift(target, example, 1.0).noise_variance;
  for (const double start : {1e-6, 1e6})
    EXPECT_NEAR(calibrate_lift(target, example, start).noise_variance, noise, 1e-5 * noise);
}

TEST(LiftCalibration, RefusesWhatCannotBeMet) {
  EXPECT_THROW(calibrate_lift({1.0, 0.0}, example, 1.0), CalibrationFailed);
  const auto stubborn = [](double) { return OutputSensitivity(1.0, 1.0); };
  EXPECT_THROW(calibrate_lift({0.1, 1e-9}, stubborn, 1.0), CalibrationFailed);
}

// What a release brings into a composition says of itself what its certificate says.
TEST(LiftedLoss, GivesBackTheTargetOfItsCalibration) {
  for (const PrivacyTarget& target :
       {PrivacyTarget(1.0, 1e-6), PrivacyTarget(0.1, 1e-3), PrivacyTarget(5.0, 1e-20)}) {
    const LiftCalibration found = calibrate_lift(target, example, 1.0);
    const PrivacyLoss loss = lifted_loss(found.sensitivity);
    const Enclosure delta = profile(loss, target.epsilon, Accuracy::certified).delta();
    EXPECT_LE(delta.upper(), target.delta);
    EXPECT_GE(delta.upper(), 0.98 * target.delta);
    const double epsilon = epsilon_at(loss, target.delta).value.upper();
    EXPECT_LE(epsilon, target.epsilon * (1.0 + 1e-12));
    EXPECT_GE(epsilon, target.epsilon * 0.99);
  }
}

TEST(LiftedLoss, OfOnePairIsExactFarOut) {
  const OutputSensitivity sensitivity(0.0, 0x1p-6, 3.0);
  const PrivacyLoss loss = lifted_loss(sensitivity);
  const PrivacyLoss pair =
      PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1.0 + 0x1p-6, 3.0));
  for (const double epsilon : {0.0, 0.1, 5.0}) {
    const double truth = profile(pair, epsilon, Accuracy::certified).delta().upper();
    EXPECT_GE(profile(loss, epsilon, Accuracy::certified).delta().upper(), truth);
    EXPECT_LE(profile(loss, epsilon, Accuracy::certified).delta().upper(), truth * (1.0 + 1e-12));
    EXPECT_NEAR(profile(loss, epsilon, Accuracy::fast).delta().upper() / truth, 1.0, 2e-3);
  }
}

TEST(LiftedLoss, HoldsAtExtremes) {
  for (const OutputSensitivity& sensitivity :
       {OutputSensitivity(1e-9, 1e-9), OutputSensitivity(50.0, 0.1), OutputSensitivity(0.1, 1e6),
        OutputSensitivity(0.0, 1e6, 3.0), OutputSensitivity(30.0, 1e3, 100.0)})
    for (const double epsilon : {0.0, 1.0, 40.0}) {
      const double bound = profile(lifted_loss(sensitivity), epsilon).delta().upper();
      EXPECT_GE(bound, lifted_bounds(sensitivity, epsilon).worst_found);
      EXPECT_LE(bound, 1.0);
    }
  // A shift alone is a Gaussian mechanism, and composes as one.
  EXPECT_TRUE(lifted_loss({0.4, 0.0}).forward().is_gaussian());
}

TEST(LiftedLoss, KnowsTheEventThatIsCertain) {
  const PrivacyLoss loss = lifted_loss({0.3, 0.2, 2.0});
  for (const double epsilon : {-0.5, -3.0}) {
    const ProfilePoint point = profile(loss, epsilon);
    EXPECT_NEAR(point.delta().lower(), -std::expm1(epsilon), 1e-15);
    EXPECT_GE(point.delta().upper(), point.delta().lower());
    EXPECT_LT(point.delta().upper(), 1.0);
    EXPECT_NEAR(directed_delta(loss.forward(), epsilon).value.lower(), -std::expm1(epsilon), 1e-15);
  }
}

TEST(LiftedLoss, DominatesEveryPairAndItsCompositions) {
  SeededRandom random(504);
  const OutputSensitivity sensitivity(0.3, 0.2, 2.0);
  const PrivacyLoss loss = lifted_loss(sensitivity);
  EXPECT_TRUE(loss.is_upper_bound());
  EXPECT_EQ(profile(lifted_loss({0.0, 0.0}), 0.0).delta().upper(), 0.0);
  const auto delta = [](const PrivacyLoss& one, double epsilon) {
    return profile(one, epsilon, Accuracy::fast).delta();
  };
  for (const double epsilon : {0.0, 0.7, 3.0}) {
    const LiftedBounds bounds = lifted_bounds(sensitivity, epsilon);
    EXPECT_GE(delta(loss, epsilon).upper(), bounds.worst_found);
    EXPECT_LE(delta(loss, epsilon).upper(), 1.002 * bounds.worst_found);
  }
  // The polygon costs some per cent of delta, and has a tail.
  const double epsilon = 1.0, bound = delta(loss.repeated(2.0), epsilon).upper();
  EXPECT_LT(delta(loss.repeated(2.0), 40.0).upper(), 1e-30);
  for (int i = 0; i < 30; ++i) {
    PrivacyLoss two = Pair(sensitivity, 3, random).loss();
    two.compose(Pair(sensitivity, 3, random).loss());
    EXPECT_LE(delta(two, epsilon).lower(), bound);
  }
}

}  // namespace
}  // namespace modicum::testing::lifting_test
