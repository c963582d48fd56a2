// The bounds against neighbors written down in closed form: rows along one line, where a data set
// is the number S = sum of k(x_i, x_i) and everything about the next row follows.
#include "modicum/mechanisms/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::gaussian_process_test {
namespace {

const PrivacyTarget target(1.0, 1e-5);
const GaussianProcessBounds of_the_paper(1.0, 1.0, 1.0, 20.0, 1.0);

struct Pair {
  double mean_square, excess;
};

// The other rows are copies of a times a point, with targets -B; the row is that point, with
// k(x, x) = l^2 and target B; the only query q lies on the same line, k(q, q) = kappa. Exact.
struct OnALine {
  double surprise;  // r^2/s
  Pair pair;
};
OnALine on_a_line(const GaussianProcessBounds& bounds, double lift, double a) {
  const double l2 = bounds.kernel_bound, s2 = bounds.noise_variance, rows = bounds.largest_rows - 1;
  const double total = rows * a * a * l2, left = s2 / (total + s2);
  const double predicted = -bounds.target_bound * rows * a * l2 / (total + s2);
  const double variance = l2 * left + s2, residual = bounds.target_bound - predicted;
  const double before = bounds.prior_bound * left;
  const double after = before - bounds.prior_bound * l2 * left * left / variance;
  const double excess = (before - after) / (after + lift);
  const double surprise = residual * residual / variance;
  return {surprise, {surprise * excess, excess}};
}

// G and t of the derivation, anew: v in units of l^2, x = u/v.
Pair worst_at(const GaussianProcessBounds& bounds, double lift, double v, double x) {
  const double l2 = bounds.kernel_bound, s2 = bounds.noise_variance, kappa = bounds.prior_bound;
  const double unknown = v * l2, u = x * unknown, variance = s2 + unknown;
  const double reach =
      bounds.target_bound * (1.0 + std::sqrt((bounds.largest_rows - 1.0) * (unknown - u) / s2));
  const double share =
      std::min(kappa * u / (kappa * std::sqrt(u / l2) + lift), kappa * unknown / (kappa + lift)) /
      variance;
  const double excess = share / (1.0 - share);
  return {reach * reach / variance * excess, excess};
}

PrivacyLoss loss_of(const Pair& pair) {
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(pair.excess), Precise::exactly(pair.mean_square), 1.0});
  return PrivacyLoss::gaussian(spectrum.reversed());
}

double delta_of(const PrivacyLoss& loss, double epsilon) {
  return profile(loss, epsilon, Accuracy::fast).delta().upper();
}

GaussianProcessBounds random_bounds(SeededRandom& random) {
  const auto scale = [&] { return std::exp(2.0 * random.normal()); };
  return {scale(), scale(), scale(), std::ceil(10.0 * scale()), scale()};
}

TEST(GaussianProcess, SurpriseIsBoundedAndNearlyAttainedOnALine) {
  SeededRandom random(1);
  int attained = 0;
  for (int i = 0; i < 50; ++i) {
    const GaussianProcessBounds bounds = random_bounds(random);
    const double bound = surprise_bound(bounds);
    double largest = 0.0;
    for (double a = 1.0; a > 1e-9; a *= 0.99)
      largest = std::max(largest, on_a_line(bounds, 1.0, a).surprise);
    EXPECT_LE(largest, bound);
    EXPECT_LE(bound, (1.0 + 0x1p-8) * bounds.largest_rows * bounds.target_bound *
                         bounds.target_bound / bounds.noise_variance);
    // The search for the largest stops within 2^-8 of it, and steps of 1 % in a miss 1e-4 at most.
    // The bound is for any v; on a line v >= l^2 s^2 / ((n - 1) l^2 + s^2).
    const bool enough =
        (bounds.largest_rows - 1.0) * bounds.kernel_bound > 100.0 * bounds.noise_variance;
    if (!enough) continue;
    ++attained;
    EXPECT_GT(largest, (1.0 - 1e-4) / (1.0 + 0x1p-8) * bound) << i;
  }
  EXPECT_GT(attained, 10);
}

TEST(GaussianProcess, ExcessIsThatOfEqualQueriesOnAnEmptyDataSet) {
  // m queries at the point of the row: Sigma = l^2 (ones), c = l^2 (ones), kappa = m l^2.
  const double l2 = 1.3, s2 = 0.2, lift = 0.7, m = 10.0, kappa = m * l2;
  const double variance = l2 + s2;
  const double after = m * l2 - m * l2 * l2 / variance + lift, before = m * l2 + lift;
  const double bound = posterior_excess({l2, s2, 1.0, 5.0, kappa}, lift);
  EXPECT_NEAR(bound, before / after - 1.0, 1e-12);
  EXPECT_GE(bound, (before / after - 1.0) * (1.0 - 1e-14));
}

// With l^2 in place of kappa the bound would be 0.98 here.
TEST(GaussianProcess, ManyEqualQueriesMakeTheExcessLarge) {
  const GaussianProcessBounds bounds(1.0, 0.01, 1.0, 1.0, 10.0);
  EXPECT_NEAR(posterior_excess(bounds, 1.0), 10.0 / (0.1 + 1.01), 1e-12);
}

// Everywhere in the domain of the proof, at every epsilon, both directions each.
TEST(GaussianProcess, TheLossDominatesEveryPair) {
  SeededRandom random(2);
  for (int i = 0; i < 25; ++i) {
    const GaussianProcessBounds bounds = random_bounds(random);
    const double lift = bounds.prior_bound * std::exp(3.0 + 2.0 * random.normal());
    const PrivacyLoss loss = gaussian_process_loss(bounds, lift);
    EXPECT_TRUE(loss.is_upper_bound());
    std::vector<Pair> pairs;
    for (double v = 1.0; v > 1e-4; v *= 0.7)
      for (const double x : {1.0, 0.8, 0.5, 0.3, v})
        if (x >= v) pairs.push_back(worst_at(bounds, lift, v, x));
    for (double a = 1.0; a > 1e-4; a *= 0.8) pairs.push_back(on_a_line(bounds, lift, a).pair);
    for (const double epsilon : {0.0, 0.5, 3.0}) {
      const ProfilePoint bound = profile(loss, epsilon, Accuracy::fast);
      for (const Pair& pair : pairs) {
        const ProfilePoint point = profile(loss_of(pair), epsilon, Accuracy::fast);
        EXPECT_LE(point.forward.lower(), bound.forward.upper() * (1.0 + 1e-12)) << i;
        EXPECT_LE(point.reverse.lower(), bound.reverse.upper() * (1.0 + 1e-12)) << i;
      }
    }
  }
}

// A ball that straddles 0 has no root, and a search that loses a cell finds too small a bound: both
// happened near this one.
TEST(GaussianProcess, FewRowsWithLittleNoiseAreDominated) {
  const GaussianProcessBounds bounds(1.0, 0.01, 1.0, 20.0, 1.0);
  const double lift = calibrate_gaussian_process(target, bounds).lift;
  double worst = 0.0;
  for (double a = 1.0; a > 1e-4; a *= 0.99)
    worst = std::max(worst, delta_of(loss_of(on_a_line(bounds, lift, a).pair), target.epsilon));
  EXPECT_LE(worst, target.delta);
  EXPECT_GE(worst, 0.9 * target.delta);
}

// X has the record, and with it the smaller variance: its loss is bounded below, not above.
TEST(GaussianProcess, TheSideWithTheRecordIsTheNarrowOne) {
  const PrivacyLoss loss = gaussian_process_loss(of_the_paper, 10.0);
  double least = 0.0;
  for (const SpectrumComponent& part : loss.forward().gaussian.components())
    least = std::min(least, part.excess.high);
  const double excess = posterior_excess(of_the_paper, 10.0);
  EXPECT_NEAR(least, -excess / (1.0 + excess), 1e-12);
}

// 145 with G = n B^2 / s^2, 55 with the smaller G alone.
TEST(GaussianProcess, NeedsASixthOfThePublishedBoundOnTheExample) {
  const auto published = [](double lift) {
    const double excess = posterior_excess(of_the_paper, lift);
    return loss_of({20.0 * excess, excess});
  };
  EXPECT_NEAR(smallest_noise(published, target, 1.0).parameter, 145.3, 0.1);
  const auto single = [](double lift) {
    const double excess = posterior_excess(of_the_paper, lift);
    return loss_of({surprise_bound(of_the_paper) * excess, excess});
  };
  EXPECT_NEAR(smallest_noise(single, target, 1.0).parameter, 55.1, 0.2);
  EXPECT_NEAR(calibrate_gaussian_process(target, of_the_paper).lift, 25.6, 0.1);
}

// Many rows on a line come close to the bound: less lift would not do.
TEST(GaussianProcess, IsNearlyAttainedByManyRowsOnALine) {
  const GaussianProcessBounds bounds(1.0, 1.0, 1.0, 1000.0, 10.0);
  const double lift = calibrate_gaussian_process(target, bounds).lift;
  const auto worst = [&](double w) {
    double largest = 0.0;
    for (double a = 1.0; a > 1e-4; a *= 0.99)
      largest = std::max(largest, delta_of(loss_of(on_a_line(bounds, w, a).pair), 1.0));
    return largest;
  };
  EXPECT_LE(worst(lift), target.delta);
  EXPECT_GT(worst(0.97 * lift), target.delta);
}

TEST(GaussianProcess, CalibrationMeetsTheTargetAndNoLessDoes) {
  SeededRandom random(3);
  for (int i = 0; i < 10; ++i) {
    const GaussianProcessBounds bounds = random_bounds(random);
    const PrivacyTarget aim(std::exp(random.normal()), 1e-6);
    const GaussianProcessCalibration found = calibrate_gaussian_process(aim, bounds);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    EXPECT_LE(found.achieved.delta().upper(), aim.delta);
    if (found.lift == 0x1p-20 * bounds.prior_bound) continue;
    EXPECT_GT(delta_of(gaussian_process_loss(bounds, 0.99 * found.lift), aim.epsilon), aim.delta);
  }
}

// The posterior is a draw itself: with much noise in the targets that hides a row.
TEST(GaussianProcess, ALittleIsAddedEvenWhereNothingIsNeeded) {
  const GaussianProcessBounds bounds(1.0, 1e6, 1.0, 10.0, 3.0);
  const GaussianProcessCalibration found = calibrate_gaussian_process(target, bounds);
  EXPECT_EQ(found.lift, 0x1p-20 * 3.0);
  EXPECT_LE(found.achieved.delta().upper(), target.delta);
}

TEST(GaussianProcess, LossComposes) {
  const PrivacyLoss one = gaussian_process_loss(of_the_paper, 40.0);
  PrivacyLoss two = one;
  two.compose(one);
  EXPECT_DOUBLE_EQ(delta_of(two, 1.0), delta_of(one.repeated(2.0), 1.0));
  EXPECT_GT(delta_of(two, 1.0), delta_of(one, 1.0));
}

// Scaling all variances by one factor changes nothing but the lift.
TEST(GaussianProcess, UnitsDoNotMatter) {
  const double lift = calibrate_gaussian_process(target, {2.0, 0.5, 3.0, 30.0, 7.0}).lift;
  for (const double unit : {1e-40, 1e40}) {
    const GaussianProcessBounds scaled(2.0 * unit, 0.5 * unit, 3.0 * std::sqrt(unit), 30.0,
                                       7.0 * unit);
    EXPECT_NEAR(calibrate_gaussian_process(target, scaled).lift / unit / lift, 1.0, 1e-6);
  }
}

TEST(GaussianProcess, ExtremesAreFiniteOrRefused) {
  for (const double rows : {1.0, 1e12})
    for (const double noise : {1e-6, 1e6}) {
      const GaussianProcessBounds bounds(1.0, noise, 1.0, rows, 1.0);
      EXPECT_LE(calibrate_gaussian_process(target, bounds).achieved.delta().upper(), target.delta);
    }
  EXPECT_THROW(gaussian_process_loss({1e300, 1e-300, 1e200, 5.0, 1e300}, 1e-300), Error);
}

TEST(GaussianProcess, RefusesWhatIsNoBound) {
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(
        refuses("kernel_bound", [&] { return GaussianProcessBounds(bad, 1.0, 1.0, 1.0, 1.0); }));
    EXPECT_TRUE(
        refuses("noise_variance", [&] { return GaussianProcessBounds(1.0, bad, 1.0, 1.0, 1.0); }));
    EXPECT_TRUE(
        refuses("target_bound", [&] { return GaussianProcessBounds(1.0, 1.0, bad, 1.0, 1.0); }));
    EXPECT_TRUE(
        refuses("largest_rows", [&] { return GaussianProcessBounds(1.0, 1.0, 1.0, bad, 1.0); }));
    EXPECT_TRUE(
        refuses("prior_bound", [&] { return GaussianProcessBounds(1.0, 1.0, 1.0, 1.0, bad); }));
    EXPECT_TRUE(refuses("lift", [&] { return gaussian_process_loss(of_the_paper, bad); }));
  }
  EXPECT_TRUE(
      refuses("largest_rows", [&] { return GaussianProcessBounds(1.0, 1.0, 1.0, 1.5, 1.0); }));
  EXPECT_THROW(calibrate_gaussian_process({1.0, 0.0}, of_the_paper), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::gaussian_process_test
