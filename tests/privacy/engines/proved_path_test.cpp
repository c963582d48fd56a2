#include "privacy/engines/proved_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "modicum/privacy/profile.h"
#include "privacy/engines/bent_paths.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/proved_lines.h"
#include "privacy/laws/subsampled_law.h"
#include "support/reference_files.h"
#include "support/seeded_random.h"

namespace modicum::testing::proved_path_test {
namespace {

PrivacyLoss few_steps(double rate, double deviation, double count) {
  const auto law = subsampled_gaussian_law(Precise::ratio(1.0, deviation), rate);
  return PrivacyLoss::law(law, reversed(law)).repeated(count);
}

bool agree(const Ball& a, const Ball& b) { return arb_overlaps(a.raw(), b.raw()) != 0; }

double width_of(const Ball& value) { return (value.upper() - value.lower()) / value.upper(); }

Ball number(const std::string& digits) {
  Ball value;
  arb_set_str(value.raw(), digits.c_str(), 128);
  return value;
}

std::optional<Ball> through(const DirectedLoss& loss, double shift) {
  const PrecisionScope scope(96);
  const auto path = ProvedPath::through(loss, shift, Accuracy::certified);
  if (!path) return std::nullopt;
  return path->at(shift);
}

// Nearly everybody is sampled: B comes close to 0, where 1 + (B - 1) would cancel. By quadrature
// over the two losses with 33 digits.
TEST(ProvedPath, HoldsWhereNearlyAllAreSampled) {
  struct Case {
    double rate, deviation, epsilon, reverse;
  };
  for (const Case& c : {Case{0.999999, 0.2, 5.0, 0.99597585042520320},
                        {0.999999, 0.2, -2.0, 0.99985532428438973},
                        {0.99999, 0.5, 18.0, 6.4180336342769575e-08}}) {
    const PrivacyLoss loss = few_steps(c.rate, c.deviation, 2.0);
    const Ball truth = Ball::between(c.reverse * (1.0 - 1e-15), c.reverse * (1.0 + 1e-15));
    if (const auto value = through(loss.reverse(), c.epsilon)) {
      EXPECT_TRUE(agree(*value, truth)) << c.epsilon;
    }
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::automatic, Accuracy::certified}) {
      const Enclosure found = profile(loss, c.epsilon, accuracy).reverse;
      EXPECT_LE(found.lower(), truth.upper()) << c.epsilon;
      EXPECT_GE(found.upper(), truth.lower()) << c.epsilon;
    }
  }
}

// No endless contour for noise that hides nearly everything.
TEST(ProvedPath, IsNotTriedForTinyShifts) {
  const ProfilePoint point = profile(few_steps(1e-4, 1e5, 2.0), -0.5);
  EXPECT_GE(point.delta().upper(), -std::expm1(-0.5));
  EXPECT_LE(point.delta().lower(), -std::expm1(-0.5) + 1e-6);
}

// By quadrature over the losses (tests/reference/make_few_steps_reference.py).
TEST(ProvedPath, ContainsTwoStepsToTwentyDigits) {
  const PrecisionScope scope(128);
  int sharp = 0;
  for (const auto& row : read_reference("few_steps")) {
    const double count = row.at("count"), epsilon = row.at("epsilon");
    const PrivacyLoss loss =
        few_steps(row.at("sampling_rate"), row.at("standard_deviation"), count);
    const auto check = [&](const DirectedLoss& direction, const std::string& digits) {
      if (digits == "0.0") return;
      const auto value = through(direction, epsilon);
      if (!value) return;
      EXPECT_TRUE(agree(*value, number(digits))) << row;
      if (width_of(*value) < 1e-9) ++sharp;
    };
    check(loss.forward(), row.at("delta_forward"));
    check(loss.reverse(), row.at("delta_reverse"));
  }
  // All but those of sampling rates or shifts of the mean so small that the path is very long.
  EXPECT_GE(sharp, 27);
}

// The mean over two losses of the profile of the third, on panels of Gauss's rule with 12 and with
// 16 points: they agree to 18 digits.
TEST(ProvedPath, ContainsThreeSteps) {
  const PrecisionScope scope(128);
  const auto value = through(few_steps(0.01, 1.0, 3.0).forward(), 1.0);
  ASSERT_TRUE(value);
  EXPECT_TRUE(agree(*value, number("8.32986752458845332e-9 +/- 1e-26")));
  EXPECT_LT(width_of(*value), 1e-9);
}

// One step has a closed form, which the path does not know.
TEST(ProvedPath, ContainsTheClosedFormOfOneStep) {
  SeededRandom random(811);
  const PrecisionScope scope(96);
  int found = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const double rate = random.log_uniform(0.01, 0.95), deviation = random.log_uniform(0.5, 5.0);
    const PrivacyLoss loss = few_steps(rate, deviation, 1.0);
    const double share = random.uniform(0.1, 0.8), end = -std::log1p(-rate);
    const double forward = share * std::log1p(rate * std::expm1(4.0 / deviation));
    const auto check = [&](const DirectedLoss& direction, double epsilon) {
      const Ball exact = direction.laws.front()
                             .law->tails(epsilon, Accuracy::certified)
                             .quantity(Kernel::profile, exp(Ball(epsilon)));
      if (const auto value = through(direction, epsilon)) {
        ++found;
        EXPECT_TRUE(agree(*value, exact)) << rate << ", " << deviation << ", " << epsilon;
        EXPECT_LT(width_of(*value), 1e-9) << rate << ", " << deviation << ", " << epsilon;
      }
    };
    check(loss.forward(), forward);
    check(loss.forward(), -share * end);
    check(loss.reverse(), share * end);
  }
  EXPECT_GE(found, 22);
}

// Random pairs, counts and shifts, both directions, against the estimate on its own path.
TEST(ProvedPath, AgreesWithTheEstimate) {
  SeededRandom random(812);
  const PrecisionScope scope(96);
  for (int trial = 0; trial < 24; ++trial) {
    const double rate = random.log_uniform(1e-3, 0.9), deviation = random.log_uniform(0.4, 8.0);
    const double count = std::floor(random.log_uniform(2.0, 1000.0));
    const PrivacyLoss loss = few_steps(rate, deviation, count);
    const double spread = rate * std::sqrt(count * std::expm1(1.0 / (deviation * deviation)));
    const double shift = spread * random.uniform(-0.3, 2.0);
    for (const DirectedLoss& direction : {loss.forward(), loss.reverse()}) {
      const auto estimate = BentPaths(direction).at(shift, Kernel::profile);
      const auto value = through(direction, shift);
      if (!estimate || !value) continue;  // beyond the range of the loss, or nearly
      EXPECT_TRUE(agree(*value, estimate->value))
          << rate << ", " << deviation << ", " << count << ", " << shift;
      EXPECT_LT(width_of(*value), 1e-9)
          << rate << ", " << deviation << ", " << count << ", " << shift;
    }
  }
}

TEST(ProvedPath, AgreesWithOtherProofs) {
  const PrecisionScope scope(96);
  const PrivacyLoss many = few_steps(0.02, 1.5, 400.0), few = few_steps(0.3, 2.0, 6.0);
  for (const double shift : {0.1, 0.5, 1.0}) {
    const auto line = ProvedLines(many.forward()).at(shift, Accuracy::certified);
    const auto value = through(many.forward(), shift);
    ASSERT_TRUE(line && value);
    EXPECT_TRUE(agree(*value, line->value)) << shift;
  }
  for (const DirectedLoss& direction : {few.forward(), few.reverse()}) {
    const QuantityValue lattice = DiscretizedProfile(direction, Accuracy::certified).at(0.4);
    const auto value = through(direction, 0.4);
    ASSERT_TRUE(value);
    EXPECT_TRUE(agree(*value, lattice.value));
  }
}

// Other parts beside them, and several kinds of steps.
TEST(ProvedPath, TakesOtherPartsAlong) {
  const PrecisionScope scope(96);
  PrivacyLoss gaussian = few_steps(0.05, 1.0, 5.0), laplace = gaussian, kinds = gaussian;
  gaussian.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(1.0, 2.0)));
  laplace.compose(PrivacyLoss::laplace(Precise::exactly(0.3)).repeated(2.0));
  laplace.compose(PrivacyLoss::two_point(Precise::exactly(0.2)).repeated(3.0));
  kinds.compose(few_steps(0.3, 2.0, 4.0));
  kinds.compose(few_steps(0.01, 0.5, 3.0));
  for (const PrivacyLoss& loss : {gaussian, laplace, kinds})
    for (const DirectedLoss& direction : {loss.forward(), loss.reverse()})
      for (const double shift : {0.2, 1.3}) {
        const auto value = through(direction, shift);
        if (!value) continue;  // where the largest losses of the others leave too little
        // Few steps beside atoms have no estimate on a bent path.
        const auto estimate = BentPaths(direction).at(shift, Kernel::profile);
        ASSERT_TRUE(estimate || !direction.two_points.empty());
        const Ball other = estimate
                               ? estimate->value
                               : DiscretizedProfile(direction, Accuracy::certified).at(shift).value;
        EXPECT_TRUE(agree(*value, other)) << shift;
        EXPECT_LT(width_of(*value), 1e-9) << shift;
      }
  EXPECT_TRUE(through(gaussian.forward(), 1.3) && through(gaussian.reverse(), 0.2));
  EXPECT_TRUE(through(laplace.forward(), 1.3) && through(kinds.forward(), 1.3));
}

// A path made elsewhere says the same, or knows that it does not reach.
TEST(ProvedPath, ServesOtherShifts) {
  const PrecisionScope scope(96);
  const PrivacyLoss loss = few_steps(0.05, 0.8, 12.0);
  const auto path = ProvedPath::through(loss.forward(), 1.0, Accuracy::certified);
  ASSERT_TRUE(path);
  for (const double shift : {-3.0, 0.2, 0.9, 0.999, 1.001, 1.1, 1.8, 5.0}) {
    const auto fresh = through(loss.forward(), shift);
    EXPECT_TRUE(!fresh || agree(path->at(shift), *fresh)) << shift;
  }
  EXPECT_LT(width_of(path->at(1.01)), 1e-8);
  EXPECT_FALSE(path->at(-3.0).finite());
}

TEST(ProvedPath, FallsWithEpsilonAndGrowsWithTheCount) {
  double last = 0.0;
  for (const double count : {2.0, 3.0, 5.0, 8.0, 20.0, 50.0, 200.0}) {
    const PrivacyLoss loss = few_steps(0.02, 0.9, count);
    const ProfilePoint point = profile(loss, 0.7, Accuracy::certified);
    EXPECT_GT(point.forward.upper(), last) << count;
    last = point.forward.upper();
    double before = 1.0;
    for (const double epsilon : {-0.02, 0.0, 0.3, 0.69}) {
      const Enclosure value = profile(loss, epsilon, Accuracy::certified).forward;
      EXPECT_LT(value.upper(), before) << count << ", " << epsilon;
      before = value.lower();
    }
  }
}

// Where no path could end others are asked at once. Two steps, by mpmath's quadrature to 25 digits.
TEST(ProvedPath, LeavesTheRarestSamplesToOthers) {
  const PrivacyLoss loss = few_steps(1e-5, 1.0, 2.0);
  EXPECT_FALSE(ProvedPaths(loss.forward()).at(1e-5, Accuracy::certified));
  const Enclosure narrow = profile(loss, 1e-3, Accuracy::certified).forward;
  EXPECT_TRUE(narrow.contains(7.031923489858952662662e-11));
  EXPECT_LT(narrow.relative_width(), 1e-4);
  const Enclosure wide = profile(loss, 1e-4, Accuracy::certified).forward;
  EXPECT_TRUE(wide.contains(1.721350159282734200010e-7));
  EXPECT_LT(wide.relative_width(), 0.02);
}

// delta is about 1e-120: the sum of twenty losses is above four times twenty deviations.
TEST(ProvedPath, ReachesFarTails) {
  const PrecisionScope scope(96);
  const PrivacyLoss loss = few_steps(0.1, 2.0, 20.0);
  const auto value = through(loss.forward(), 12.0);
  ASSERT_TRUE(value);
  EXPECT_LT(value->upper(), 1e-60);
  EXPECT_LT(width_of(*value), 1e-9);
  // Without a saddle point in doubles Chernoff's bound is left.
  const PrivacyLoss bounded = few_steps(0.01, 1.0, 100.0);
  const auto tiny = ProvedPaths(bounded.reverse()).at(1.0045, Accuracy::certified);
  ASSERT_TRUE(tiny);
  EXPECT_LT(tiny->value.upper(), 1e-100);
  EXPECT_LE(tiny->value.lower(), 0.0);
  // Near it the path still has ten digits.
  const auto last = through(bounded.reverse(), 0.98);
  ASSERT_TRUE(last);
  EXPECT_LT(last->upper(), 2e-259);
  EXPECT_LT(width_of(*last), 1e-9);
}

// Steps in both directions bend to both sides: no path, but other engines have an answer.
TEST(ProvedPath, LeavesMixedDirectionsToOthers) {
  const PrivacyLoss loss = few_steps(0.1, 1.0, 3.0);
  DirectedLoss mixed = loss.forward();
  mixed.add(loss.reverse());
  EXPECT_FALSE(ProvedPaths(mixed).at(0.2, Accuracy::certified));
}

}  // namespace
}  // namespace modicum::testing::proved_path_test
