// Moments of spherical noise along a line, against closed forms and against the rule in doubles.
#include "privacy/spherical/spherical_moment_line.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>

#include "modicum/mechanisms/spherical.h"
#include "modicum/privacy/profile.h"
#include "privacy/spherical/spherical_estimate.h"
#include "privacy/spherical/spherical_law.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::spherical_moment_line_test {
namespace {

SphericalPair pair_of(double dimension, double alpha, double beta, double p, double sensitivity) {
  return {dimension, alpha, Precise::exactly(beta), p, sensitivity};
}

bool contains(const ComplexBall& ball, const ComplexBall& value) {
  return acb_contains(ball.raw(), value.raw()) != 0;
}

// The Gaussian has K(z) = mu^2 z (z + 1) / 2.
TEST(SphericalMomentLine, OfTheGaussianMember) {
  const PrecisionScope scope(256);
  for (const double dimension : {1.0, 2.0, 3.0, 10.0, 1e6})
    for (const double mu : {0.125, 1.0})
      for (const double center : {0.25, 3.0}) {
        const SphericalGeometry geometry(pair_of(dimension, dimension - 1.0, 0.5, 2.0, mu));
        const double height = 4.0 / mu;
        const SphericalMomentLine line(geometry, center, height);
        for (const double y : {0.0, 0.3 * height, -height}) {
          const ComplexBall z{Ball(center), Ball(y)};
          const ComplexBall exact = exp(z * (z + ComplexBall(Ball(1.0))) * Ball(mu * mu / 2.0));
          const ComplexBall found = line.at(Ball(y));
          EXPECT_TRUE(contains(found, exact))
              << dimension << ' ' << mu << ' ' << center << ' ' << y;
          EXPECT_LT((abs(found - found.midpoint()) / line.value()).upper(), 4e-12) << dimension;
        }
      }
}

// Laplace noise: E[exp(xL)] = ((x+1) e^{ax} + x e^{-a(x+1)}) / (2x + 1).
TEST(SphericalMomentLine, OfTheLaplaceMember) {
  const PrecisionScope scope(256);
  for (const double a : {0.01, 0.5, 4.0})
    for (const double x : {0.5, 2.0, 30.0}) {
      const SphericalGeometry geometry(pair_of(1.0, 0.0, a, 1.0, 1.0));
      const Ball value = SphericalMomentLine(geometry, x, 0.0).value();
      const Ball exact = (Ball(x + 1.0) * exp(Ball(a) * x) + Ball(x) * exp(-Ball(a) * (x + 1.0))) /
                         (2.0 * x + 1.0);
      EXPECT_TRUE(arb_contains(value.raw(), exact.raw()) != 0) << a << ' ' << x;
      EXPECT_LT(value.enclosure().relative_width(), 1e-11) << a << ' ' << x;
    }
}

struct Member {
  double dimension, alpha, beta, p, sensitivity, center, height;
};

// Another rule, in doubles, along the line.
TEST(SphericalMomentLine, AgreesWithTheRuleInDoubles) {
  for (const Member& m :
       {Member{2.0, 1.0, 0.1, 1.0, 1.0, 8.0, 60.0}, Member{3.0, 1.5, 0.3, 1.4, 1.0, 1.0, 6.0},
        Member{3.0, 0.0, 0.3, 2.0, 1.0, 0.25, 4.0}, Member{10.0, 9.0, 0.3, 1.0, 1.0, 16.0, 40.0},
        Member{5.0, 3.0, 1.0, 2.5, 0.25, 1.0, 8.0}, Member{1.0, -0.25, 0.1, 3.0, 1.0, 0.5, 4.0}}) {
    const SphericalPair pair = pair_of(m.dimension, m.alpha, m.beta, m.p, m.sensitivity);
    const SphericalEstimate estimate(pair);
    const SphericalMomentLine line(estimate.geometry(), m.center, m.height);
    const WeightedLosses rule = estimate.rule(m.center, m.height, 2);
    for (const double y : {0.0, 0.4 * m.height, m.height}) {
      std::complex<double> sum = 0.0;
      for (std::size_t i = 0; i < rule.losses.size(); ++i)
        sum += std::exp(rule.log_weights[i] + std::complex<double>(m.center, y) * rule.losses[i]);
      const ComplexBall found = line.at(Ball(y));
      const double size = line.value().middle();
      EXPECT_NEAR(found.real().middle(), sum.real(), 3e-11 * size) << m.dimension << ' ' << y;
      EXPECT_NEAR(found.imaginary().middle(), sum.imag(), 3e-11 * size) << m.dimension << ' ' << y;
    }
  }
}

// By composite Gauss rules with 16000 by 4800 nodes; the rule in doubles is off by 1e-4 here.
TEST(SphericalMomentLine, ResolvesSteepTails) {
  const SphericalGeometry geometry(pair_of(5.0, 3.0, 1.0, 6.0, 0.25));
  const SphericalMomentLine line(geometry, 1.0, 8.0);
  EXPECT_NEAR(line.value().middle(), 13.2448377796172, 1e-11);
  EXPECT_NEAR(line.at(Ball(3.2)).real().middle(), 0.2526380773095, 1e-11);
  EXPECT_NEAR(line.at(Ball(3.2)).imaginary().middle(), 0.2044078705142, 1e-11);
  EXPECT_NEAR(line.at(Ball(8.0)).real().middle(), -0.0198637525, 3e-9);
}

// The composite midpoint rule in log radius and in theta, w = cos(theta), which shares nothing with
// cells: random members, rules that are sharp everywhere, and stretches that are less so.
TEST(SphericalMomentLine, AgreesWithMidpoints) {
  SeededRandom random(424242);
  for (int i = 0; i < 14; ++i) {
    const double dimension = random.whole(2, 4), p = 1.0 + random.log_uniform(0.05, 2.0);
    const SphericalGeometry g(pair_of(dimension, dimension - 1.0, dimension / p, p,
                                      random.log_uniform(0.1, 1.0) * std::sqrt(dimension)));
    const double center = random.log_uniform(0.1, 4.0);
    const SphericalMomentLine sharp(g, center, 0.0);
    const double unit = 1.0 / std::sqrt(sharp.variance()), height = 24.0 * unit;
    const SphericalMomentLine line(g, center, height, {2.0, unit});
    ASSERT_TRUE(line.value().finite());
    constexpr int along = 1600, across = 800;
    const double low = -14.0, high = std::log(12.0 + 4.0 * center * g.step) / std::min(p, 1.5);
    std::array<double, 3> heights{2.0 * unit, 9.0 * unit, height};
    std::array<std::complex<double>, 3> sums{};
    std::array<double, across> cosines, weights;  // of the angles, where the density is sin^(T-2)
    for (std::size_t b = 0; b < across; ++b) {
      const double theta = M_PI * (static_cast<double>(b) + 0.5) / across;
      cosines[b] = std::cos(theta);
      weights[b] = std::pow(std::sin(theta), dimension - 2.0);
    }
    for (int a = 0; a < along; ++a) {
      const double x = low + (high - low) * (a + 0.5) / along, r = std::exp(x);
      const double r_power = std::pow(r, p), log_density = g.log_density_at(x) - g.log_angle_scale;
      for (std::size_t b = 0; b < across; ++b) {
        const double far = r * r + 2.0 * r * g.step * cosines[b] + g.step * g.step;
        const double loss = g.shape * (std::pow(far, 0.5 * p) - r_power);
        const double weight = weights[b] * std::exp(log_density + center * loss);
        if (weight < 1e-30) continue;
        for (std::size_t k = 0; k < heights.size(); ++k)
          sums[k] += std::polar(weight, heights[k] * loss);
      }
    }
    for (std::size_t k = 0; k < heights.size(); ++k) {
      const std::complex<double> sum = sums[k] * ((high - low) / along * M_PI / across);
      const ComplexBall found = line.at(Ball(heights[k]));
      const double size = line.value().middle(),
                   away = std::abs(sum - std::complex<double>(found.real().middle(),
                                                              found.imaginary().middle()));
      EXPECT_LT(away, 2e-5 * size) << dimension << ' ' << p << ' ' << center << ' ' << k;
      EXPECT_LT(found.real().enclosure().upper() - found.real().enclosure().lower(), 1e-7 * size);
    }
    // What a less sharp stretch encloses, a sharp rule does, too.
    const SphericalMomentLine everywhere(g, center, height);
    for (double y = 0.0; y <= height; y += height / 37.0) {
      const ComplexBall one = line.at(Ball(y)), other = everywhere.at(Ball(y));
      EXPECT_TRUE(acb_overlaps(one.raw(), other.raw()) != 0) << dimension << ' ' << p << ' ' << y;
    }
    EXPECT_GE(line.largest_from(2.0 * unit) * (1.0 + 1e-9) * std::exp(line.log_scale()),
              abs(everywhere.at(Ball(8.0 * unit))).lower());
  }
}

// Nothing above a height exceeds what is said of it, and what is said is of use.
TEST(SphericalMomentLine, BoundsWhatLiesAbove) {
  for (const Member& m :
       {Member{2.0, 1.0, 0.1, 1.0, 1.0, 8.0, 400.0}, Member{10.0, 9.0, 0.3, 1.0, 1.0, 16.0, 200.0},
        Member{100.0, 99.0, 0.3, 1.3, 1.0, 4.0, 60.0},
        Member{3.0, 0.0, 0.3, 2.0, 1.0, 0.25, 8.0}}) {
    const SphericalGeometry geometry(pair_of(m.dimension, m.alpha, m.beta, m.p, m.sensitivity));
    const SphericalMomentLine line(geometry, m.center, m.height);
    for (const double share : {0.1, 0.3, 0.6}) {
      const double from = share * m.height;
      const double turned = spherical_log_moment_beyond(geometry, m.center, from);
      const double scanned = std::log(line.largest_from(from)) + line.log_scale();
      for (double y = from; y <= m.height; y *= 1.037) {
        const double size = abs(line.at(Ball(y))).lower();
        EXPECT_LE(size, std::exp(turned)) << m.dimension << ' ' << from << ' ' << y;
        EXPECT_LE(size, std::exp(scanned)) << m.dimension << ' ' << from << ' ' << y;
      }
      EXPECT_LT(turned, log(line.value()).middle());
      EXPECT_LT(scanned, log(line.value()).middle());
    }
  }
}

// Where no rule is found nothing is claimed.
TEST(SphericalMomentLine, ClaimsNothingWhereItFails) {
  const SphericalGeometry geometry(pair_of(2.0, 1.0, 0.1, 1.0, 1.0));
  const SphericalMomentLine far(geometry, 8.0, 1e7);
  EXPECT_FALSE(far.value().finite());
  EXPECT_FALSE(far.at(Ball(1.0)).finite());
  EXPECT_EQ(far.largest_from(1.0), infinity);
  const SphericalMomentLine line(geometry, 8.0, 10.0);
  EXPECT_FALSE(line.at(Ball(11.0)).finite());
  const SphericalGeometry pole(pair_of(3.0, 0.0, 0.3, 2.0, 1.0));  // ends at 1/2
  EXPECT_FALSE(SphericalMomentLine(pole, 0.6, 0.0).value().finite());
}

// Compositions are proved, whether copies are many or few.
TEST(SphericalMomentLine, ProvesCompositions) {
  for (const double count : {4.0, 32.0, 1000.0}) {
    const double mu = 1.0 / std::sqrt(count);
    const auto law = spherical_law(10.0, 9.0, Precise::exactly(0.5), 2.0, mu);
    const ProfilePoint found = profile(PrivacyLoss::law(law, law).repeated(count), 1.5);
    const PrivacyLoss one = PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0));
    const Enclosure exact = profile(one.repeated(count), 1.5).delta();
    EXPECT_EQ(found.proof, Proof::certified) << count;
    EXPECT_LE(found.delta().lower(), exact.lower()) << count;
    EXPECT_GE(found.delta().upper(), exact.upper()) << count;
    EXPECT_LT(found.delta().relative_width(), 1e-8) << count;
  }
}

// The order 2 of the Renyi divergence of Gaussian noise is mu^2.
TEST(SphericalMomentLine, ProvesRenyiDivergences) {
  const auto law = spherical_law(3.0, 2.0, Precise::exactly(0.5), 2.0, 0.5);
  const QuantityValue moment = law->moment(Ball(1.0));
  EXPECT_EQ(moment.proof, Proof::certified);
  EXPECT_TRUE(encloses(log(moment.value).enclosure(), Ball(0.25)));
}

}  // namespace
}  // namespace modicum::testing::spherical_moment_line_test
