#include "modicum/mechanisms/objective_perturbation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "modicum/mechanisms/gaussian.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::objective_perturbation_test {
namespace {

const ObjectiveBounds example{1.0, 0.25, 10.0};
const ObjectiveBounds one_sign_example{1.0, 0.25, 10.0, SlopeSigns::one};

// Rows of norm 1.
ObjectiveBounds logistic_bounds(double regularization) {
  return {1.0, 0.25, regularization, SlopeSigns::one, CurvatureTie::logistic};
}

// Roots of the closed forms, found with 30 digits.
TEST(ObjectivePerturbation, MeetsItsTargetWithTheLeastNoise) {
  EXPECT_NEAR(calibrate_objective_perturbation({1.0, 1e-6}, example).parameter, 4.36515494113574360,
              1e-13);
  EXPECT_NEAR(calibrate_objective_perturbation({1.0, 1e-6}, one_sign_example).parameter, 4.32384,
              1e-5);
  const ObjectiveBounds other{2.0, 1.0, 40.0};
  EXPECT_NEAR(calibrate_objective_perturbation({0.3, 1e-5}, other).parameter, 24.3202, 1e-4);
  EXPECT_NEAR(*published_objective_noise({1.0, 1e-6}, example).redberg_koskela_wang, 4.47073, 1e-5);
  EXPECT_NEAR(*published_objective_noise({0.3, 1e-5}, other).redberg_koskela_wang, 25.5710, 1e-4);
}

TEST(ObjectivePerturbation, AchievesWhatItSaysAndNoLess) {
  SeededRandom random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const double lambda = random.log_uniform(1.0, 1e3), beta = lambda * random.log_uniform(1e-4, 1);
    const SlopeSigns signs = random.whole(0, 1) == 0 ? SlopeSigns::one : SlopeSigns::both;
    const ObjectiveBounds bounds(random.log_uniform(0.1, 10.0), beta, lambda, signs);
    const PrivacyTarget target(1.05 * std::log1p(beta / lambda) + random.log_uniform(0.05, 5.0),
                               random.log_uniform(1e-12, 0.1));
    const Calibration found = calibrate_objective_perturbation(target, bounds);
    EXPECT_LE(found.achieved.delta().upper(), target.delta);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    const PrivacyLoss less = objective_perturbation(bounds, found.parameter * (1.0 - 1e-9));
    EXPECT_GT(profile(less, target.epsilon).delta().upper(), target.delta);
    const auto published = published_objective_noise(target, bounds);
    if (published.redberg_koskela_wang) {
      EXPECT_LT(found.parameter, *published.redberg_koskela_wang);
    }
    // The theorem of 2012 is about a regularization that is large enough.
    if (lambda >= *published.least_regularization) {
      EXPECT_LT(found.parameter, *published.kifer_smith_thakurta);
    }
  }
}

TEST(ObjectivePerturbation, CalibratesSeveralReleases) {
  const Calibration found = calibrate_objective_perturbation({1.0, 1e-6}, example, 3.0);
  const PrivacyLoss loss = objective_perturbation(example, found.parameter).repeated(3.0);
  EXPECT_LE(profile(loss, 1.0, Accuracy::certified).delta().upper(), 1e-6);
  const PrivacyLoss less = objective_perturbation(example, found.parameter * (1 - 1e-6));
  EXPECT_GT(profile(less.repeated(3.0), 1.0).delta().upper(), 1e-6);
}

TEST(ObjectivePerturbation, RepeatingIsComposing) {
  const PrivacyLoss one = objective_perturbation(example, 3.0);
  PrivacyLoss three = one;
  three.compose(one);
  three.compose(objective_perturbation(example, 3.0));
  EXPECT_EQ(profile(three, 1.0).delta().upper(), profile(one.repeated(3.0), 1.0).delta().upper());
}

// Values of two routes: roots of the definition by quadrature, and of plain Gaussian noise.
TEST(ObjectivePerturbation, TheLogisticLossCostsWhatPlainGaussianNoiseDoes) {
  const PrivacyTarget target(1.0, 1e-5);
  const double plain = calibrate_gaussian(target, 1.0, 1.0).parameter;
  for (const double lambda : {10.0, 2.377, 1.0})
    EXPECT_NEAR(calibrate_objective_perturbation(target, logistic_bounds(lambda)).parameter, plain,
                1e-9);
  EXPECT_NEAR(plain, 3.7306316, 1e-6);
  const double little = calibrate_objective_perturbation(target, logistic_bounds(0.7131)).parameter;
  EXPECT_NEAR(little, 3.77313, 1e-4);
  // What one sign alone gives.
  const ObjectiveBounds untied(1.0, 0.25, 0.7131, SlopeSigns::one);
  EXPECT_NEAR(calibrate_objective_perturbation(target, untied).parameter, 5.17011, 1e-4);
}

// A smoothness below what rows of that norm have says that the loss is another.
TEST(ObjectivePerturbation, TheTieAsksForTheSmoothnessOfTheRows) {
  const ObjectiveBounds odd(1.0, 0.2, 1.0, SlopeSigns::one, CurvatureTie::logistic);
  const ObjectiveBounds untied(1.0, 0.2, 1.0, SlopeSigns::one);
  EXPECT_EQ(profile(objective_perturbation(odd, 3.0), 0.5).forward.upper(),
            profile(objective_perturbation(untied, 3.0), 0.5).forward.upper());
}

// Never better than the Gaussian mechanism on the gradient alone, and never an exact answer.
TEST(ObjectivePerturbation, IsAnUpperBoundAboveTheGaussianMechanism) {
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    const ProfilePoint found = profile(objective_perturbation(one_sign_example, 2.0), epsilon);
    const double gaussian = profile(gaussian_mechanism(2.0, 1.0), epsilon).delta().lower();
    EXPECT_EQ(found.forward.lower(), 0.0);
    EXPECT_GT(found.forward.upper(), gaussian);
    EXPECT_GE(found.reverse.upper(), gaussian);
  }
}

TEST(ObjectivePerturbation, WithoutCurvatureAndWithOneSignBothDirectionsAreTheSame) {
  const PrivacyLoss loss = objective_perturbation({1.0, 0.0, 10.0, SlopeSigns::one}, 2.0);
  EXPECT_TRUE(loss.is_symmetric());
  const ProfilePoint at = profile(loss, 0.7);
  EXPECT_EQ(at.forward.upper(), at.reverse.upper());
  EXPECT_NEAR(at.forward.upper(), profile(gaussian_mechanism(2.0, 1.0), 0.7).delta().upper(),
              1e-15);
}

// --- The mechanism itself: densities by change of variables, integrated over theta.

// A loss f of u = x^T theta, its slope and its curvature.
struct LossFunction {
  SlopeSigns signs;
  double steepest, most_curved;
  double (*slope)(double u, double y);
  double (*curvature)(double u, double y);
};

const LossFunction logistic{SlopeSigns::one, 1.0, 0.25,
                            [](double u, double y) { return -y / (1.0 + std::exp(y * u)); },
                            [](double u, double) { return 1.0 / (2.0 + 2.0 * std::cosh(u)); }};
const LossFunction huber{SlopeSigns::both, 1.0, 1.0,
                         [](double u, double y) { return std::clamp(u - y, -1.0, 1.0); },
                         [](double u, double y) { return std::abs(u - y) < 1.0 ? 1.0 : 0.0; }};
// Falls with slope 1 up to a margin of 0 and is flat from 1 on, a parabola between.
const LossFunction smoothed_hinge{
    SlopeSigns::one, 1.0, 1.0,
    [](double u, double y) { return -y * std::clamp(1.0 - y * u, 0.0, 1.0); },
    [](double u, double y) { return y * u > 0.0 && y * u < 1.0 ? 1.0 : 0.0; }};

struct Record {
  std::array<double, 2> x;
  double y;
};

// Log density at theta of the minimizer, b from N(0, sigma^2 I): that of b = -gradient, times the
// determinant of the Hessian.
double log_density(const LossFunction& f, const std::vector<Record>& records, double lambda,
                   double sigma, const std::array<double, 2>& theta) {
  std::array<double, 2> gradient{lambda * theta[0], lambda * theta[1]};
  double h00 = lambda, h01 = 0.0, h11 = lambda;
  for (const Record& record : records) {
    const double u = record.x[0] * theta[0] + record.x[1] * theta[1];
    const double slope = f.slope(u, record.y), curvature = f.curvature(u, record.y);
    for (std::size_t i = 0; i < 2; ++i) gradient[i] += slope * record.x[i];
    h00 += curvature * record.x[0] * record.x[0];
    h01 += curvature * record.x[0] * record.x[1];
    h11 += curvature * record.x[1] * record.x[1];
  }
  return std::log(h00 * h11 - h01 * h01) - std::log(2.0 * M_PI * sigma * sigma) -
         (gradient[0] * gradient[0] + gradient[1] * gradient[1]) / (2.0 * sigma * sigma);
}

struct Deltas {
  double mass, forward, reverse;
};

// By the midpoint rule over a square of plane, where all of the mass lies.
Deltas integrated(const LossFunction& f, const std::vector<Record>& without, const Record& record,
                  double lambda, double sigma, double epsilon) {
  std::vector<Record> with = without;
  with.push_back(record);
  const double reach = (6.0 * sigma + static_cast<double>(with.size()) * f.steepest) / lambda;
  constexpr int steps = 500;
  const double step = 2.0 * reach / steps;
  Deltas sum{};
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < steps; ++k) {
      const std::array<double, 2> theta{-reach + (i + 0.5) * step, -reach + (k + 0.5) * step};
      const double p = std::exp(log_density(f, with, lambda, sigma, theta)) * step * step;
      const double q = std::exp(log_density(f, without, lambda, sigma, theta)) * step * step;
      sum.mass += p;
      sum.forward += std::max(0.0, p - std::exp(epsilon) * q);
      sum.reverse += std::max(0.0, q - std::exp(epsilon) * p);
    }
  return sum;
}

// Whatever the other records are. The curvatures jump, so that the rule is right to
// 3e-3 only.
TEST(ObjectivePerturbation, BoundsTheMechanismItselfInTwoDimensions) {
  SeededRandom random(43);
  double closest_forward = 0.0, closest_reverse = 0.0;
  for (int trial = 0; trial < 15; ++trial) {
    const LossFunction& f = trial % 3 == 0 ? logistic : trial % 3 == 1 ? huber : smoothed_hinge;
    const double lambda = random.log_uniform(0.5, 8.0), sigma = random.log_uniform(0.7, 4.0);
    std::vector<Record> records(static_cast<std::size_t>(random.whole(0, 3)));
    const auto draw = [&]() -> Record {
      const double angle = random.uniform(0.0, 2.0 * M_PI);
      return {{std::cos(angle), std::sin(angle)}, random.sign()};
    };
    for (Record& record : records) record = draw();
    const ObjectiveBounds bounds(f.steepest, f.most_curved, lambda, f.signs,
                                 &f == &logistic ? CurvatureTie::logistic : CurvatureTie::none);
    for (const double epsilon : {0.0, 0.3, 1.0}) {
      const Deltas truth = integrated(f, records, draw(), lambda, sigma, epsilon);
      ASSERT_NEAR(truth.mass, 1.0, 3e-3);
      const ProfilePoint bound = profile(objective_perturbation(bounds, sigma), epsilon);
      EXPECT_LE(truth.forward, bound.forward.upper() * 1.003 + 1e-6);
      EXPECT_LE(truth.reverse, bound.reverse.upper() * 1.003 + 1e-6);
      closest_forward = std::max(closest_forward, truth.forward / bound.forward.upper());
      closest_reverse = std::max(closest_reverse, truth.reverse / bound.reverse.upper());
    }
  }
  // Random records come near the bounds, so that a bound too small would have been noticed.
  EXPECT_GT(closest_forward, 0.5);
  EXPECT_GT(closest_reverse, 0.5);
}

// One dimension, by a fine rule: made-up tables that pull the minimizer to where slope and
// curvature together are worst, with the record removed and added.
struct Weighted {
  double weight, x, y;
};
struct LinePair {
  double forward, reverse;
};
LinePair logistic_line(const std::vector<Weighted>& table, double x, double lambda, double sigma,
                       double epsilon) {
  double pulls = 1.0;
  for (const Weighted& each : table) pulls += each.weight * std::abs(each.x);
  const double reach = (8.0 * sigma + pulls) / lambda;
  constexpr int steps = 20000;
  const double step = 2.0 * reach / steps;
  LinePair sum{};
  for (int i = 0; i < steps; ++i) {
    const double theta = -reach + (i + 0.5) * step;
    double gradient = lambda * theta, hessian = lambda;
    for (const Weighted& each : table) {
      gradient += each.weight * each.x * logistic.slope(each.x * theta, each.y);
      hessian += each.weight * each.x * each.x * logistic.curvature(each.x * theta, each.y);
    }
    const auto density = [&](double g, double h) {
      return h * std::exp(-g * g / (2.0 * sigma * sigma)) / (sigma * std::sqrt(2.0 * M_PI)) * step;
    };
    const double q = density(gradient, hessian);
    const double p = density(gradient + x * logistic.slope(x * theta, 1.0),
                             hessian + x * x * logistic.curvature(x * theta, 1.0));
    sum.forward += std::max(0.0, p - std::exp(epsilon) * q);
    sum.reverse += std::max(0.0, q - std::exp(epsilon) * p);
  }
  return sum;
}

struct Closest {
  double forward = 0.0, reverse = 0.0;
};
// The largest share of what the bound allows that a search finds: many random tables, then steps
// that improve the best. `claimed` says how much of the curvature a bound believes in.
Closest search_for_violation(double claimed) {
  SeededRandom random(71);
  Closest closest;
  struct Setting {
    double lambda, sigma, epsilon;
  };
  for (const auto& [lambda, sigma, epsilon] :
       {Setting{0.3, 1.1, 0.9}, {1.0, 1.9, 0.4}, {0.1, 4.0, 1.0}}) {
    const ProfilePoint bound =
        profile(objective_perturbation(logistic_bounds(lambda / claimed), sigma), epsilon);
    std::vector<Weighted> best{{0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}};
    const LinePair alone = logistic_line(best, 1.0, lambda, sigma, epsilon);
    closest.forward = std::max(closest.forward, alone.forward / bound.forward.upper());
    double best_share = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<Weighted> table = best;
      const double size = trial < 20 ? 1.0 : 0.3;
      for (Weighted& each : table) {
        each.weight = std::abs(each.weight + size * random.normal() * 8.0);
        each.x = std::clamp(each.x + size * random.normal() * 0.3, -1.0, 1.0);
        if (random.whole(0, 4) == 0) each.y = -each.y;
      }
      const double x = random.whole(0, 3) == 0 ? random.uniform(0.3, 1.0) : 1.0;
      const LinePair truth = logistic_line(table, x, lambda, sigma, epsilon);
      const double forward = truth.forward / bound.forward.upper();
      closest.forward = std::max(closest.forward, forward);
      closest.reverse = std::max(closest.reverse, truth.reverse / bound.reverse.upper());
      if (forward > best_share) {
        best_share = forward;
        best = table;
      }
    }
  }
  return closest;
}

TEST(ObjectivePerturbation, NoTableFoundBeatsTheTiedBound) {
  const Closest honest = search_for_violation(1.0);
  EXPECT_LE(honest.forward, 1.0 + 1e-6);
  EXPECT_LE(honest.reverse, 1.0 + 1e-6);
  EXPECT_GT(honest.forward, 0.8);
  EXPECT_GT(honest.reverse, 0.9);
  // The twin that believes in a third of the curvature is caught.
  EXPECT_GT(search_for_violation(1.0 / 3.0).forward, 1.02);
}

// One dimension, by a fine rule. A steep loss (Huber's of width w -> 0 is |u|) that is nearly
// always at one end of its slopes, with both signs: a^2/2 + a |N| is attained in the limit, and
// (a^2/2 + a N)_+ in its place would be wrong.
struct LineDeltas {
  double forward, reverse;
};
LineDeltas absolute_loss(double width, double lambda, double sigma, double epsilon) {
  LineDeltas sum{};
  constexpr int steps = 400000;
  const double reach = (9.0 * sigma + 1.0) / lambda, step = 2.0 * reach / steps;
  for (int i = 0; i < steps; ++i) {
    const double theta = -reach + (i + 0.5) * step;
    const double slope = std::clamp(theta / width, -1.0, 1.0);
    const double curvature = std::abs(theta) < width ? 1.0 / width : 0.0;
    const auto density = [&](double gradient, double hessian) {
      return hessian * std::exp(-gradient * gradient / (2.0 * sigma * sigma)) /
             (sigma * std::sqrt(2.0 * M_PI)) * step;
    };
    const double p = density(lambda * theta + slope, lambda + curvature);
    const double q = density(lambda * theta, lambda);
    sum.forward += std::max(0.0, p - std::exp(epsilon) * q);
    sum.reverse += std::max(0.0, q - std::exp(epsilon) * p);
  }
  return sum;
}

TEST(ObjectivePerturbation, SlopesOfBothSignsNeedTheFoldedNormal) {
  const double width = 1e-3, lambda = 1.0, sigma = 2.0, epsilon = 0.5;
  const LineDeltas truth = absolute_loss(width, lambda, sigma, epsilon);
  const ObjectiveBounds both(1.0, 1.0 / width, lambda);
  const ObjectiveBounds one(1.0, 1.0 / width, lambda, SlopeSigns::one);
  const double bound = profile(objective_perturbation(both, sigma), epsilon).reverse.upper();
  EXPECT_LE(truth.reverse, bound * (1.0 + 1e-4));
  EXPECT_GT(truth.reverse, bound * 0.99);
  EXPECT_GT(truth.reverse,
            1.5 * profile(objective_perturbation(one, sigma), epsilon).reverse.upper());
  EXPECT_LE(truth.forward, profile(objective_perturbation(both, sigma), epsilon).forward.upper());
}

// --- Refusals.

TEST(ObjectivePerturbation, RefusesWhatIsOutOfBounds) {
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("lipschitz", [&] { return ObjectiveBounds(bad, 1.0, 1.0); }));
    EXPECT_TRUE(refuses("regularization", [&] { return ObjectiveBounds(1.0, 1.0, bad); }));
    EXPECT_TRUE(
        refuses("standard_deviation", [&] { return objective_perturbation(example, bad); }));
  }
  for (const double bad : {-1e-300, not_a_number, infinity})
    EXPECT_TRUE(refuses("smoothness", [&] { return ObjectiveBounds(1.0, bad, 1.0); }));
  EXPECT_TRUE(refuses("smoothness", [] {
    return published_objective_perturbation({1.0, 2.0, 2.0}, 1.0);
  }));
  EXPECT_TRUE(refuses("count", [] {
    return calibrate_objective_perturbation({1.0, 1e-6}, example, 0.5);
  }));
}

TEST(ObjectivePerturbation, SaysWhichRegularizationWouldDo) {
  const double epsilon = 0.01;
  try {
    calibrate_objective_perturbation({epsilon, 1e-6}, example);
    FAIL() << "met what cannot be met";
  } catch (const CalibrationFailed& error) {
    EXPECT_NE(std::string(error.what()).find("24.8752"), std::string::npos) << error.what();
  }
  EXPECT_LT(calibrate_objective_perturbation({epsilon, 1e-6}, {1.0, 0.25, 24.9}).parameter, 1e9);
  EXPECT_THROW(calibrate_objective_perturbation({0.0, 1e-6}, example), CalibrationFailed);
  EXPECT_THROW(calibrate_objective_perturbation({1.0, 0.0}, example), CalibrationFailed);
  EXPECT_THROW(calibrate_objective_perturbation({0.06, 1e-6}, example, 3.0), CalibrationFailed);
}

TEST(ObjectivePerturbation, HoldsAtExtremeParameters) {
  const PrivacyLoss loud = objective_perturbation(example, 1e-6);
  EXPECT_GT(profile(loud, 1.0).delta().upper(), 0.999);
  const PrivacyLoss quiet = objective_perturbation(example, 1e100);
  EXPECT_LT(profile(quiet, 1.0).delta().upper(), 1e-300);
  // With all the noise of the world the determinants still differ.
  const PrivacyLoss curved = objective_perturbation({1.0, 1e6, 1.0}, 1e100);
  EXPECT_GT(profile(curved, 1.0).forward.upper(), 0.99);
}

TEST(ObjectivePerturbation, KnowsTheLossesByName) {
  EXPECT_EQ(slope_signs_of("logistic"), SlopeSigns::one);
  EXPECT_EQ(slope_signs_of("smoothed_hinge"), SlopeSigns::one);
  EXPECT_EQ(slope_signs_of("squared"), SlopeSigns::both);
  EXPECT_EQ(slope_signs_of("huber"), SlopeSigns::both);
  EXPECT_EQ(slope_signs_of("log_cosh"), SlopeSigns::both);
  EXPECT_EQ(curvature_tie_of("logistic"), CurvatureTie::logistic);
  EXPECT_EQ(curvature_tie_of("log_cosh"), CurvatureTie::log_cosh);
  EXPECT_EQ(curvature_tie_of("huber"), CurvatureTie::none);
  EXPECT_FALSE(slope_signs_of("Logistic"));
}

// Where the tail is so deep that its digits do not matter, a bound in its place: not below the
// value, which is known in closed form without the second noise, and not far above.
TEST(ObjectivePerturbation, DeepTailsOfCompositionsAreBounded) {
  for (const SlopeSigns signs : {SlopeSigns::one, SlopeSigns::both}) {
    const PrivacyLoss alone = objective_perturbation(ObjectiveBounds(1.0, 0.25, 1e-3, signs), 20.0);
    PrivacyLoss both = alone;
    both.compose(gaussian_differential_privacy(1e-4));
    for (const double epsilon : {2.0, 5.0}) {
      const Enclosure truth = profile(alone, epsilon, Accuracy::certified).reverse;
      const Enclosure found = profile(both, epsilon, Accuracy::certified).reverse;
      EXPECT_LT(found.upper(), 1e-60);
      EXPECT_GE(found.upper(), truth.upper());
      EXPECT_LE(std::log(found.upper()), 0.9 * std::log(truth.upper()));
    }
  }
}

}  // namespace
}  // namespace modicum::testing::objective_perturbation_test
