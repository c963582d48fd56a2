#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/subsampled_law.h"
#include "privacy/laws/table_law.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::renyi_test {
namespace {

Enclosure divergence_of(const PrivacyLoss& loss, double order) {
  return renyi_divergence(loss, order).value;
}

PrivacyLoss laplace(double range) { return PrivacyLoss::laplace(Precise::exactly(range)); }
PrivacyLoss two_point(double epsilon) { return PrivacyLoss::two_point(Precise::exactly(epsilon)); }
PrivacyLoss spectrum(double mean, double ratio, double multiplicity = 1.0) {
  return PrivacyLoss::gaussian(GaussianSpectrum::component(mean, ratio, multiplicity));
}

void expect_close(const Enclosure& value, const Ball& truth) {
  EXPECT_TRUE(encloses(value, truth));
  EXPECT_LE(value.relative_width(), 1e-13);
}

TEST(RenyiDivergence, OfAShiftIsLinearInTheOrder) {
  const auto loss = PrivacyLoss::gaussian(GaussianSpectrum::shift(0.75, 1.0));
  for (const double order : {1e-3, 0.25, 0.5, 1.0, 1.5, 2.0, 17.0, 1e4})
    expect_close(divergence_of(loss, order), Ball(order) * 0.75 * 0.75 / 2.0);
}

// log(tau)/2 terms by hand: D_a = m^2 a / (2 s) + log(tau^{1-a} ... ) with s = a + (1 - a) tau.
Ball one_coordinate(double mean, double tau, double order) {
  const Ball a = order, t = tau, s = a + (Ball(1.0) - a) * t;
  return a * Ball(mean) * mean / (s * 2.0) +
         (log(s) - (Ball(1.0) - a) * log(t)) / (Ball(2.0) * (Ball(1.0) - a));
}

TEST(RenyiDivergence, OfTwoNormalLawsIsKnown) {
  const PrecisionScope scope(truth_bits);
  for (const double tau : {0.25, 0.9, 1.5, 3.0})
    for (const double mean : {0.0, 0.5, 2.0})
      for (const double order : {0.1, 0.5, 0.75, 1.25}) {
        const Ball forward = one_coordinate(mean, tau, order);
        const Ball reverse = one_coordinate(mean / std::sqrt(tau), 1.0 / tau, order);
        const Enclosure value = divergence_of(spectrum(mean, tau), order);
        // The reverse direction was rounded above: only the larger of the two to 1e-14.
        const Ball truth = max(forward, reverse);
        EXPECT_LE(relative_distance(value, truth), 1e-14) << tau << ' ' << mean << ' ' << order;
      }
}

TEST(RenyiDivergence, OfATwoPointLossIsKnown) {
  const PrecisionScope scope(truth_bits);
  for (const double epsilon : {0.01, 1.0, 30.0})
    for (const double order : {0.3, 0.5, 2.0, 10.0}) {
      const Ball p = Ball(1.0) / (Ball(1.0) + exp(-Ball(epsilon))), q = Ball(1.0) - p, a = order;
      const auto power = [](const Ball& x, const Ball& y) { return exp(log(x) * y); };
      const Ball sum =
          power(p, a) * power(q, Ball(1.0) - a) + power(q, a) * power(p, Ball(1.0) - a);
      expect_close(divergence_of(two_point(epsilon), order), log(sum) / (a - 1.0));
    }
}

// [Mironov2017, Proposition 6]
TEST(RenyiDivergence, OfTheLaplaceMechanismIsKnown) {
  const PrecisionScope scope(truth_bits);
  for (const double range : {0.01, 0.5, 4.0})
    for (const double order : {1.25, 2.0, 10.0}) {
      const Ball a = order, r = range;
      const Ball sum =
          a / (a * 2.0 - 1.0) * exp((a - 1.0) * r) + (a - 1.0) / (a * 2.0 - 1.0) * exp(-a * r);
      expect_close(divergence_of(laplace(range), order), log(sum) / (a - 1.0));
    }
}

TEST(RenyiDivergence, OfOrderOneIsKullbackLeibler) {
  const PrecisionScope scope(truth_bits);
  for (const double tau : {0.3, 2.0}) {
    const auto divergence = [](const Ball& t, const Ball& square) {
      return (t - 1.0 - log(t) + square) / 2.0;
    };
    const Ball forward = divergence(Ball(tau), Ball(0.25));
    const Ball reverse = divergence(Ball(1.0) / tau, Ball(0.25) / tau);
    expect_close(divergence_of(spectrum(0.5, tau), 1.0), max(forward, reverse));
  }
  // epsilon tanh(epsilon / 2)
  const Ball half = expm1(Ball(1.5)) / (exp(Ball(1.5)) + 1.0);
  expect_close(divergence_of(two_point(1.5), 1.0), Ball(1.5) * half);
  // a + e^-a - 1
  expect_close(divergence_of(laplace(0.5), 1.0), Ball(0.5) + expm1(-Ball(0.5)));
}

TEST(RenyiDivergence, TendsToKullbackLeiblerFromBothSides) {
  SeededRandom random(621);
  for (int i = 0; i < 50; ++i) {
    PrivacyLoss loss = PrivacyLoss::gaussian(random_spectrum(random));
    if (random.whole(0, 1) == 0) loss.compose(laplace(0.5));
    const Enclosure at_one = divergence_of(loss, 1.0);
    EXPECT_LE(divergence_of(loss, 1.0 - 1e-9).lower(), at_one.upper());
    EXPECT_GE(divergence_of(loss, 1.0 + 1e-9).upper(), at_one.lower());
    EXPECT_NEAR(divergence_of(loss, 1.0 - 1e-9).lower() / at_one.lower(), 1.0, 1e-4) << i;
    EXPECT_LE(at_one.relative_width(), 1e-12) << i;
  }
}

TEST(RenyiDivergence, NeverFallsWithTheOrder) {
  SeededRandom random(622);
  for (int i = 0; i < 300; ++i) {
    PrivacyLoss loss = PrivacyLoss::gaussian(random_spectrum(random));
    if (random.whole(0, 2) == 0) loss.compose(two_point(random.log_uniform(0.01, 3.0)));
    const double low = random.log_uniform(1e-3, 50.0), high = low * random.uniform(1.0, 3.0);
    EXPECT_LE(divergence_of(loss, low).lower(), divergence_of(loss, high).upper());
  }
}

TEST(RenyiDivergence, AddsUpUnderCompositionOfSymmetricLosses) {
  SeededRandom random(623);
  for (int i = 0; i < 50; ++i) {
    const PrivacyLoss a = two_point(random.log_uniform(0.01, 2.0)),
                      b = laplace(random.log_uniform(0.01, 2.0));
    PrivacyLoss both = a.repeated(3.0);
    both.compose(b);
    const double order = random.log_uniform(0.1, 30.0);
    const double sum = 3.0 * divergence_of(a, order).upper() + divergence_of(b, order).upper();
    EXPECT_NEAR(divergence_of(both, order).upper() / sum, 1.0, 1e-14);
  }
}

TEST(RenyiDivergence, AddsUpOverAlignedSpectra) {
  const PrivacyLoss one = spectrum(0.2, 1.5), many = spectrum(0.2, 1.5, 1000.0);
  for (const double order : {0.5, 1.0, 2.0, 2.5})
    EXPECT_NEAR(divergence_of(many, order).upper() / divergence_of(one, order).upper(), 1000.0,
                1e-9);
}

TEST(RenyiDivergence, IsInfiniteFromTheEndOfTheStripOn) {
  const PrivacyLoss loss = spectrum(0.0, 1.5);  // exists below order 1 + 1/(tau - 1) = 3
  EXPECT_LT(divergence_of(loss, 2.999).upper(), infinity);
  for (const double order : {3.0, 3.001, 1e9, infinity}) {
    EXPECT_EQ(divergence_of(loss, order).lower(), infinity) << order;
    EXPECT_EQ(divergence_of(loss, order).upper(), infinity) << order;
  }
}

TEST(RenyiDivergence, OfInfiniteOrderIsTheLargestLoss) {
  PrivacyLoss loss = two_point(1.0);
  loss.compose(laplace(0.5).repeated(4.0));
  EXPECT_EQ(divergence_of(loss, infinity).lower(), 3.0);
  EXPECT_EQ(divergence_of(loss, infinity).upper(), 3.0);
  // The Gaussian loss is unbounded one way at least.
  EXPECT_EQ(divergence_of(spectrum(0.0, 0.5), infinity).lower(), infinity);
}

TEST(RenyiDivergence, OfLossesThatMayBeInfinite) {
  const auto loss = PrivacyLoss::infinite_with_probability(0.25);
  EXPECT_EQ(divergence_of(loss, 1.0).lower(), infinity);
  EXPECT_EQ(divergence_of(loss, 2.0).lower(), infinity);
  // Below order 1 only the common support counts: log(1 - 1/4) / (order - 1).
  const PrecisionScope scope(truth_bits);
  expect_close(divergence_of(loss, 0.5), -log(Ball(0.75)) * 2.0);
  EXPECT_EQ(divergence_of(PrivacyLoss::mutually_singular(), 0.5).lower(), infinity);
  EXPECT_TRUE(divergence_of(PrivacyLoss(), 2.0).is_exactly_zero());
}

// What 1 leaves of the mass is 1e-76 here: it must keep its digits.
TEST(RenyiDivergence, IsKnownWhereTheLossIsAllButSurelyInfinite) {
  PrivacyLoss loss = two_point(3.0);
  loss.compose(PrivacyLoss::infinite_with_probability(0.16));
  const PrecisionScope scope(truth_bits);
  const Ball p = Ball(1.0) / (Ball(1.0) + exp(-Ball(3.0))), a = 0.1, b = Ball(1.0) - a;
  const auto power = [](const Ball& x, const Ball& y) { return exp(log(x) * y); };
  const Ball sum = power(p, a) * power(Ball(1.0) - p, b) + power(Ball(1.0) - p, a) * power(p, b);
  expect_close(divergence_of(loss.repeated(1000.0), 0.1),
               (log(sum) + log1p(-Ball(0.16))) * Ball(1000.0) / (a - 1.0));
}

// Infinite with a probability of 0.2 one way and of 0.2021... the other.
TEST(RenyiDivergence, CountsTheMassOfTheDirectionItAsks) {
  const PrecisionScope scope(truth_bits);
  const Ball p1 = 0.5, p2 = 0.3, q1 = p1 * exp(-Ball(0.5)), q2 = p2 * exp(Ball(0.5));
  PrivacyLoss loss = PrivacyLoss::law(table_law({-0.5, 0.5}, {p2 / (p1 + p2), p1 / (p1 + p2)}),
                                      table_law({-0.5, 0.5}, {q1 / (q1 + q2), q2 / (q1 + q2)}));
  loss.compose(PrivacyLoss::infinite_with_probability(to_precise("mass", Ball(1.0) - p1 - p2),
                                                      to_precise("mass", Ball(1.0) - q1 - q2)));
  for (const double order : {0.25, 0.75}) {
    const Ball a = order, b = Ball(1.0) - a;
    const auto both = [&](const Ball& x, const Ball& y) { return exp(log(x) * a + log(y) * b); };
    const Ball forward = log(both(p1, q1) + both(p2, q2)),
               reverse = log(both(q1, p1) + both(q2, p2));
    EXPECT_TRUE(encloses(divergence_of(loss, order), max(-forward, -reverse) / b)) << order;
  }
}

// Almost every record is drawn: the reverse loss is large at 1e-6 of the probability only.
TEST(RenyiDivergence, IsFoundForSamplingRatesNextToOne) {
  const auto law = subsampled_gaussian_law(Precise::ratio(1.0, 1.90365), 0.999999);
  const Enclosure value = divergence_of(PrivacyLoss::law(law, reversed(law)), 13.54);
  EXPECT_TRUE(encloses(value, decimal("1.868160646351277932073329")));
  EXPECT_LE(value.relative_width(), 1e-12);
}

// Where the loss is infinite, a mass that may be 0 is not said to be, and no bound is no infinity.
TEST(RenyiDivergence, TellsNoBoundFromInfinity) {
  const auto uncertain =
      PrivacyLoss::infinite_with_probability({1e-30, 0.0, 1e-30}, {0.0, 0.0, 0.0});
  EXPECT_EQ(divergence_of(uncertain, 2.0).lower(), 0.0);
  EXPECT_EQ(divergence_of(uncertain, 2.0).upper(), infinity);
  // Orders for which the moment is not worth the time; one direction is bounded by log(1 / (1 -
  // q)).
  const auto law = subsampled_gaussian_law(Precise::exactly(1.0), 0.5);
  const auto loss = PrivacyLoss::law(reversed(law), reversed(law));
  EXPECT_NEAR(divergence_of(loss, 1e5).upper(), std::log(2.0), 1e-12);
}

// The covariances of a dense pair: ratio 3 at the most.
TEST(RenyiDivergence, OfADensePairIsInfiniteFromTheEndOfTheStripOn) {
  const GaussianDistribution x{Eigen::VectorXd::Zero(2), Eigen::MatrixXd{{2.0, 1.0}, {1.0, 2.0}}};
  const GaussianDistribution y{Eigen::VectorXd::Zero(2), Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}}};
  const PrivacyLoss loss = PrivacyLoss::gaussian(*reduce_pair(x, y, Accuracy::certified));
  EXPECT_LT(divergence_of(loss, 1.499).upper(), infinity);
  EXPECT_EQ(divergence_of(loss, 1.501).lower(), infinity);
}

TEST(RenyiDivergence, RefusesOrdersThatAreNotPositive) {
  for (const double bad : {not_a_number, 0.0, -1.0, -infinity})
    EXPECT_TRUE(refuses("order", [&] { return divergence_of(laplace(1.0), bad); })) << bad;
}

}  // namespace
}  // namespace modicum::testing::renyi_test
