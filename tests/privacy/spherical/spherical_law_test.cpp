// The loss of spherical noise against closed forms, published values, the two routes against each
// other, and simulation.
#include "privacy/spherical/spherical_law.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "modicum/numerics/errors.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::spherical_law_test {
namespace {

std::shared_ptr<const LossLaw> spherical_law(double dimension, double alpha, double beta, double p,
                                             double sensitivity) {
  return modicum::spherical_law(dimension, alpha, Precise::exactly(beta), p, sensitivity);
}

struct Parameters {
  double dimension, alpha, beta, p, sensitivity;
  std::shared_ptr<const LossLaw> law() const {
    return spherical_law(dimension, alpha, beta, p, sensitivity);
  }
};

std::array<Ball, 4> all(const LossTails& tails) {
  return {tails.above_x, tails.below_x, tails.above_y, tails.below_y};
}

Ball gaussian_tail(double sensitivity, double loss) {
  const PrecisionScope scope(truth_bits);
  const Ball mu = sensitivity;
  return erfc((Ball(loss) / mu - mu / 2.0) / sqrt(Ball(2.0))) / 2.0;
}

double delta(const LossLaw& law, double epsilon, Accuracy accuracy) {
  const LossTails tails = law.tails(epsilon, accuracy);
  return (tails.above_x - exp(Ball(epsilon)) * tails.above_y).middle();
}

// A loss that noise of these parameters really has, moved a little.
double typical_loss(SeededRandom& random, const Parameters& q) {
  const double shape = (q.alpha + 1.0) / q.p;
  const double r = std::pow(shape / q.beta, 1.0 / q.p) *
                   std::exp(random.normal() / (q.p * std::sqrt(shape + 0.1)));
  const double spread = std::min(1.0, 4.0 * random.unit() / std::sqrt(q.dimension));
  const double w = q.dimension == 1.0 ? random.sign() : random.uniform(-1.0, 1.0) * spread;
  const double s = q.sensitivity, other = std::sqrt(r * r + 2.0 * s * w * r + s * s);
  return random.uniform(0.5, 1.5) * ((q.dimension - 1.0 - q.alpha) * std::log(other / r) +
                                     q.beta * (std::pow(other, q.p) - std::pow(r, q.p)));
}

Parameters random_parameters(SeededRandom& random) {
  const std::array<double, 9> dimensions{1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 100.0, 1000.0, 1e6};
  Parameters q{};
  q.dimension = dimensions[random.whole(0, 8)];
  q.alpha = random.whole(0, 1) == 0 ? q.dimension - 1.0
                                    : -1.0 + q.dimension * random.log_uniform(0.2, 1.0);
  q.p = random.whole(0, 2) == 0 ? random.whole(1, 3) : random.log_uniform(0.3, 10.0);
  q.beta = 1.0;
  q.sensitivity = std::pow((q.alpha + 1.0) / q.p, 1.0 / q.p) * random.log_uniform(0.01, 10.0) /
                  std::sqrt(q.dimension);
  return q;
}

TEST(SphericalLaw, GaussianMemberHasTheNormalTailInEveryDimension) {
  for (const double dimension : {1.0, 2.0, 3.0, 10.0, 100.0, 1e6})
    for (const double mu : {0.1, 1.0, 5.0}) {
      const auto law = spherical_law(dimension, dimension - 1.0, 0.5, 2.0, mu);
      for (const double deviations : {-1.0, 0.3, 4.0}) {
        const double loss = mu * mu / 2.0 + deviations * mu;
        const Ball truth = gaussian_tail(mu, loss), below_y = gaussian_tail(mu, -loss);
        const LossTails proved = law->tails(loss, Accuracy::certified);
        EXPECT_EQ(proved.proof, Proof::certified);
        EXPECT_TRUE(encloses(proved.above_x.enclosure(), truth));
        EXPECT_TRUE(encloses(proved.below_y.enclosure(), below_y));
        EXPECT_LT(proved.above_x.enclosure().relative_width(), 1e-12);
        const LossTails estimated = law->tails(loss, Accuracy::fast);
        EXPECT_EQ(estimated.proof, Proof::estimated);
        EXPECT_TRUE(encloses(estimated.above_x.enclosure(), truth));
        EXPECT_LT(relative_error(estimated.above_x.enclosure(), truth), 1e-13);
      }
    }
}

TEST(SphericalLaw, KeepsItsDigitsInFarTails) {
  for (const double dimension : {2.0, 10.0, 1e6}) {
    const double mu = 2.0, loss = mu * mu / 2.0 + 30.0 * mu;
    const auto law = spherical_law(dimension, dimension - 1.0, 0.5, 2.0, mu);
    const Ball truth = gaussian_tail(mu, loss);  // 5e-198
    const LossTails proved = law->tails(loss, Accuracy::certified);
    EXPECT_TRUE(encloses(proved.above_x.enclosure(), truth));
    EXPECT_LT(proved.above_x.enclosure().relative_width(), 1e-12);
    const LossTails estimated = law->tails(loss, Accuracy::fast);
    EXPECT_TRUE(encloses(estimated.above_x.enclosure(), truth));
  }
}

// L = |x - s| - |x|, x of density e^{-|x|}/2: P[L > l] = 1 - exp((l - s)/2)/2 for -s <= l < s.
TEST(SphericalLaw, OneDimensionalL2NoiseIsLaplace) {
  for (const double s : {0.2, 1.0, 7.0}) {
    const auto law = spherical_law(1.0, 0.0, 1.0, 1.0, s);
    for (const double part : {-0.9, -0.2, 0.0, 0.5, 0.99, 1.0 - 1e-15}) {
      const double loss = part * s;
      const PrecisionScope scope(truth_bits);
      const Ball truth = Ball(1.0) - exp((Ball(loss) - s) / 2.0) / 2.0;
      EXPECT_TRUE(encloses(law->tails(loss, Accuracy::certified).above_x.enclosure(), truth));
      EXPECT_TRUE(encloses(law->tails(loss, Accuracy::fast).above_x.enclosure(), truth));
    }
    EXPECT_EQ(law->support().upper(), s);
    // The atoms at the ends are counted on the same side under both laws.
    for (const Accuracy accuracy : {Accuracy::certified, Accuracy::fast}) {
      const LossTails upper = law->tails(s, accuracy), lower = law->tails(-s, accuracy);
      EXPECT_TRUE(upper.above_x.exactly_zero() && upper.above_y.exactly_zero());
      EXPECT_TRUE(lower.below_x.exactly_zero() && lower.below_y.exactly_zero());
    }
    EXPECT_TRUE(law->tails(1.01 * s, Accuracy::certified).above_x.exactly_zero());
    EXPECT_TRUE(law->tails(-1.01 * s, Accuracy::certified).below_x.exactly_zero());
  }
}

// [WeiBienstock2026] gives two digits; these were recomputed independently.
TEST(SphericalLaw, L2NoiseMeetsItsTargetAtTheKnownScales) {
  const std::array<std::array<double, 2>, 3> scales{
      {{3.0, 0.994847859128}, {10.0, 0.872812018026}, {100.0, 0.3612467608}}};
  for (const auto& [dimension, scale] : scales) {
    const auto law = spherical_law(dimension, dimension - 1.0, 1.0 / scale, 1.0, 1.0);
    EXPECT_NEAR(delta(*law, 1.0, Accuracy::fast), 1e-5, 1e-14) << dimension;
    EXPECT_NEAR(delta(*law, 1.0, Accuracy::certified), 1e-5, 1e-14) << dimension;
  }
}

// [WeiBienstock2026, Table 3]: the true delta of the rank-one mechanism calibrated by [JiLi2024].
TEST(SphericalLaw, RankOneMechanismRevealsWhatTableThreeSays) {
  const std::array<std::array<double, 2>, 5> rows{
      {{0.1, 0.813284}, {1.0, 0.983594}, {2.0, 0.995020}, {4.0, 0.998804}, {8.0, 0.999755}}};
  const double psi = std::exp(
      (std::log(1e-5) + std::lgamma(63.5) - std::log(M_PI) / 2.0 - std::lgamma(64.0)) / 63.0);
  for (const auto& [epsilon, expected] : rows) {
    const double variance = 2.0 / (epsilon * psi);
    const auto law = spherical_law(128.0, 0.0, 1.0 / (2.0 * variance), 2.0, 1.0);
    EXPECT_NEAR(delta(*law, epsilon, Accuracy::fast), expected, 6e-7) << epsilon;
    EXPECT_NEAR(delta(*law, epsilon, Accuracy::certified), expected, 6e-7) << epsilon;
  }
}

// Close to the end of the support the cosine is close to 1 at every radius. For T = 3 and p = 1,
// beta s = 1, P_X[L > l] is (1 - l) times the mean of (1 + (1 + l)/(2r))/2 where that is below 1;
// up to the second order in 1 - l it is 3/4 (1 - l), R being Gamma(3) with E[1/R] = 1/2.
TEST(SphericalLaw, StaysSharpNextToTheEndOfItsSupport) {
  const auto law = spherical_law(3.0, 2.0, 1.0, 1.0, 1.0);
  for (const double gap : {0x1p-17, 0x1p-27}) {
    const LossTails tails = law->tails(1.0 - gap, Accuracy::certified);
    EXPECT_LT(tails.above_x.enclosure().relative_width(), 1e-12);
    EXPECT_LT(tails.above_y.enclosure().relative_width(), 1e-12);
    EXPECT_NEAR(tails.above_x.middle() / gap, 0.75, gap);
  }
}

TEST(SphericalLaw, OnlyTheScaledSensitivityMatters) {
  const auto law = spherical_law(6.0, 2.5, 1.0, 2.0, 0.75);
  const auto scaled = spherical_law(6.0, 2.5, 16.0, 2.0, 0.75 / 4.0);
  for (const double loss : {-0.7, 0.0, 1.3}) {
    const auto one = all(law->tails(loss, Accuracy::certified));
    const auto other = all(scaled->tails(loss, Accuracy::certified));
    for (int side = 0; side < 4; ++side)
      EXPECT_TRUE(arb_overlaps(one[side].raw(), other[side].raw())) << loss;
  }
}

TEST(SphericalLaw, BothRoutesAgreeOnRandomParameters) {
  SeededRandom random(521);
  for (int i = 0; i < 60; ++i) {
    const Parameters q = random_parameters(random);
    const double loss = typical_loss(random, q);
    const auto law = q.law();
    const auto estimated = all(law->tails(loss, Accuracy::fast));
    const auto proved = all(law->tails(loss, Accuracy::certified));
    for (int side = 0; side < 4; ++side) {
      EXPECT_TRUE(arb_overlaps(estimated[side].raw(), proved[side].raw()))
          << q.dimension << " " << q.alpha << " " << q.p << " " << q.sensitivity << " " << loss;
      EXPECT_GE(proved[side].lower(), 0.0);
      if (proved[side].upper() > 1e-10) {
        EXPECT_LT(proved[side].enclosure().relative_width(), 1e-9)
            << q.dimension << " " << q.alpha << " " << q.p << " " << q.sensitivity << " " << loss;
      }
    }
  }
}

// One dimension, by the integral of the positive part of the difference of densities with 30
// digits.
TEST(SphericalLaw, IsSharpInOneDimensionForAnyPower) {
  struct Case {
    double alpha, p, sensitivity, epsilon, delta;
  };
  const std::array<Case, 9> cases{{{0.0, 150.0, 0.6, 0.1, 0.30018951519388724},
                                   {0.0, 400.0, 0.6, 1.0, 0.29896487221207735},
                                   {0.0, 1000.0, 0.3, 0.5, 0.14968316044040363},
                                   {-0.0458, 17.97, 0.7, 0.1, 0.35389506291370087},
                                   {-0.5, 150.0, 0.6, 0.3, 0.47694648571412317},
                                   {-0.2, 2.0, 0.5, 1.5, 0.0086120525963577938},
                                   {-0.05, 0.7, 0.5, 0.6, 0.005192094101477647},
                                   {0.0, 3.0, 0.5, 2.0, 0.033713801225310281},
                                   {-0.9, 40.0, 0.2, 0.2, 0.77331786925961636}}};
  for (const Case& each : cases) {
    const auto law = spherical_law(1.0, each.alpha, 1.0, each.p, each.sensitivity);
    const LossTails tails = law->tails(each.epsilon, Accuracy::certified);
    const Ball found = tails.above_x - exp(Ball(each.epsilon)) * tails.above_y;
    EXPECT_LT(found.enclosure().relative_width(), 1e-12) << each.p << " " << each.alpha;
    EXPECT_NEAR(found.middle() / each.delta, 1.0, 1e-12) << each.p << " " << each.alpha;
    // A small negative loss may be reached around the other center alone.
    EXPECT_LT(tails.above_y.enclosure().relative_width(), 1e-11) << each.p << " " << each.alpha;
  }
}

TEST(SphericalLaw, SidesAddUpToOneAndTailsFall) {
  SeededRandom random(522);
  for (int i = 0; i < 40; ++i) {
    const Parameters q = random_parameters(random);
    const auto law = q.law();
    const double loss = typical_loss(random, q), larger = loss + 0.01 * std::abs(loss);
    const LossTails here = law->tails(loss, Accuracy::fast);
    const LossTails further = law->tails(larger, Accuracy::fast);
    EXPECT_TRUE(arb_contains_si((here.above_x + here.below_x).raw(), 1));
    EXPECT_TRUE(arb_contains_si((here.above_y + here.below_y).raw(), 1));
    EXPECT_FALSE(surely_less(here.above_x, further.above_x));
    EXPECT_FALSE(surely_less(here.above_y, further.above_y));
    // P_Y[L > l] <= exp(-l) P_X[L > l].
    EXPECT_FALSE(surely_less(exp(-Ball(loss)) * here.above_x, here.above_y));
  }
}

// A tail probability is simulated n times per case. By Hoeffding's inequality a correct one is off
// by more than 0.02 with probability at most 2 exp(-2 n 0.02^2) = 2e-14 at n = 40000: over the
// cases the false-alarm rate is below 1e-12, and the seed is fixed besides.
TEST(SphericalLaw, AgreesWithSimulation) {
  SeededRandom random(523);
  const std::vector<Parameters> cases{{2.0, 0.3, 1.0, 1.0, 0.8},
                                      {3.0, 2.0, 1.0, 3.0, 0.7},
                                      {1.0, -0.4, 1.0, 2.0, 0.5},
                                      {4.0, 1.0, 0.5, 2.0, 1.0}};
  for (const Parameters& q : cases) {
    // Gamma variables by Marsaglia and Tsang's rejection from a cube of a normal one.
    const double shape = (q.alpha + 1.0) / q.p;
    const auto gamma = [&] {
      double boost = 1.0, a = shape;
      if (a < 1.0) boost = std::pow(random.unit(), 1.0 / a), a += 1.0;
      const double d = a - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
      for (;;) {
        const double z = random.normal(), v = std::pow(1.0 + c * z, 3.0);
        if (v > 0.0 && std::log(random.unit()) < 0.5 * z * z + d * (1.0 - v + std::log(v)))
          return boost * d * v;
      }
    };
    const int draws = 40000;
    const double loss = 0.3;
    int above = 0;
    for (int i = 0; i < draws; ++i) {
      const double r = std::pow(gamma() / q.beta, 1.0 / q.p);
      double first = 0.0, squares = 0.0;
      for (int j = 0; j < static_cast<int>(q.dimension); ++j) {
        const double z = random.normal();
        if (j == 0) first = z;
        squares += z * z;
      }
      const double w = first / std::sqrt(squares), s = q.sensitivity;
      const double other = std::sqrt(r * r + 2.0 * s * w * r + s * s);
      above += (q.dimension - 1.0 - q.alpha) * std::log(other / r) +
                   q.beta * (std::pow(other, q.p) - std::pow(r, q.p)) >
               loss;
    }
    const LossTails tails = q.law()->tails(loss, Accuracy::fast);
    EXPECT_NEAR(above / static_cast<double>(draws), tails.above_x.middle(), 0.02) << q.dimension;
  }
}

TEST(SphericalLaw, MomentsOfTheGaussianMember) {
  for (const double dimension : {1.0, 3.0, 100.0, 1e6})
    for (const double x : {-4.0, -0.5, 0.7, 2.0}) {
      const double mu = 0.8;
      const auto law = spherical_law(dimension, dimension - 1.0, 0.5, 2.0, mu);
      const Ball truth = exp(Ball(mu) * Ball(mu) * (Ball(x) * Ball(x) + x) / 2.0);
      const QuantityValue found = law->moment(x);
      EXPECT_TRUE(encloses(found.value.enclosure(), truth)) << dimension << " " << x;
      EXPECT_LT(found.value.enclosure().relative_width(), 1e-10);
    }
}

TEST(SphericalLaw, MomentsEndAtThePole) {
  const auto law = spherical_law(128.0, 0.0, 1.0, 2.0, 1.0);
  EXPECT_DOUBLE_EQ(law->moment_end(), 1.0 / 127.0);
  EXPECT_TRUE(arb_is_exact(law->moment(0.0).value.raw()));
  EXPECT_EQ(law->moment(-1.0).value.middle(), 1.0);
  EXPECT_EQ(law->moment(0.01).value.lower(), HUGE_VAL);
  EXPECT_EQ(law->moment(-1.01).value.lower(), HUGE_VAL);
  EXPECT_TRUE(law->moment(0.007).value.finite());
  EXPECT_EQ(spherical_law(3.0, 2.0, 1.0, 1.0, 1.0)->moment_end(), HUGE_VAL);
}

TEST(SphericalLaw, SupportIsBoundedWithoutAPoleUpToPOne) {
  EXPECT_NEAR(spherical_law(5.0, 4.0, 2.0, 0.5, 4.0)->support().upper(), 4.0, 1e-15);
  EXPECT_EQ(spherical_law(5.0, 4.0, 2.0, 1.5, 4.0)->support().upper(), HUGE_VAL);
  EXPECT_EQ(spherical_law(5.0, 3.9, 2.0, 0.5, 4.0)->support().lower(), -HUGE_VAL);
}

TEST(SphericalLaw, EqualsOnlyTheSameMechanism) {
  const auto law = spherical_law(5.0, 3.0, 1.0, 2.0, 1.0);
  EXPECT_TRUE(law->equals(*spherical_law(5.0, 3.0, 1.0, 2.0, 1.0)));
  EXPECT_FALSE(law->equals(*spherical_law(5.0, 3.0, 1.0, 2.0, 2.0)));
}

TEST(SphericalLaw, RefusesBadParameters) {
  EXPECT_THROW(spherical_law(0.0, 0.0, 1.0, 1.0, 1.0), InvalidParameter);
  // Engines know beta in doubles.
  EXPECT_THROW(spherical_law(3.0, 1.5, Precise{0.3, 0.0, 1e-12}, 1.5, 1.0), InvalidParameter);
  EXPECT_NO_THROW(spherical_law(3.0, 1.5, Precise{0.3, 1e-18, 1e-25}, 1.5, 1.0));
  EXPECT_THROW(spherical_law(2.5, 0.0, 1.0, 1.0, 1.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, -1.0, 1.0, 1.0, 1.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, 2.1, 1.0, 1.0, 1.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, NAN, 1.0, 1.0, 1.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, 1.0, 0.0, 1.0, 1.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, 1.0, 1.0, -1.0, 1.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, 1.0, 1.0, 1.0, 0.0), InvalidParameter);
  EXPECT_THROW(spherical_law(3.0, 1.0, 1.0, 1.0, HUGE_VAL), InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::spherical_law_test
