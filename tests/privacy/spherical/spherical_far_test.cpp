// Moments of spherical noise far up a line: bounds against values, and what they prove of copies.
#include "privacy/spherical/spherical_far.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "modicum/privacy/profile.h"
#include "privacy/engines/discretized.h"
#include "privacy/spherical/spherical_law.h"
#include "privacy/spherical/spherical_moment_line.h"
#include "support/seeded_random.h"

namespace modicum::testing::spherical_far_test {
namespace {

SphericalGeometry geometry_of(double dimension, double beta, double p, double sensitivity) {
  return SphericalGeometry(
      SphericalPair(dimension, dimension - 1.0, Precise::exactly(beta), p, sensitivity));
}

// The lemma that the bound rests on: on the moved plane the loss has no negative imaginary part,
// and neither power of a distance a negative real part.
TEST(SphericalFar, MovedLossesLieAboveTheRealAxis) {
  SeededRandom random(5150);
  for (int i = 0; i < 200000; ++i) {
    const double p = 1.0 + random.log_uniform(1e-3, 30.0);
    const double most = std::min(0.9, std::tan(M_PI / 2.0 / p));
    const double share = most * random.uniform(0.0, 1.0);
    const double near = random.log_uniform(1e-4, 1e3), angle = random.uniform(0.0, M_PI);
    // Around either center; the other is at -1.
    const double x = near * std::cos(angle) - (i % 2 == 0 ? 0.0 : 1.0), h = near * std::sin(angle);
    const double moved = share * std::min(std::hypot(x, h), std::hypot(x + 1.0, h));
    const std::complex<double> place(x, moved);
    const auto power = [&](const std::complex<double>& at) {
      return std::pow(at * at + h * h, 0.5 * p);
    };
    const std::complex<double> first = power(place), second = power(place + 1.0);
    const double size = std::abs(first) + std::abs(second);
    EXPECT_GE((second - first).imag(), -1e-12 * size) << p << ' ' << share << ' ' << x << ' ' << h;
    EXPECT_GE(first.real(), -1e-12 * size) << p << ' ' << share << ' ' << x << ' ' << h;
    EXPECT_GE(second.real(), -1e-12 * size) << p << ' ' << share << ' ' << x << ' ' << h;
  }
}

// |E[exp(zL)]| = exp(mu^2 (c^2 + c - y^2)/2) of the Gaussian member.
TEST(SphericalFar, BoundsTheGaussianMember) {
  for (const double dimension : {1.0, 2.0, 3.0, 20.0})
    for (const double mu : {0.1, 1.0})
      for (const double center : {0.2, 4.0})
        for (const double units : {1.0, 3.0, 10.0}) {
          const double y = units / mu;
          const double exact = 0.5 * mu * mu * (center * center + center - y * y);
          const double bound = spherical_far_bound(geometry_of(dimension, 0.5, 2.0, mu), center, y);
          EXPECT_GE(bound, exact) << dimension << ' ' << mu << ' ' << center << ' ' << units;
        }
}

TEST(SphericalFar, BoundsAllValuesAbove) {
  SeededRandom random(77);
  for (int i = 0; i < 24; ++i) {
    const double dimension = random.whole(1, 12), p = 1.0 + random.log_uniform(0.1, 3.0);
    const SphericalGeometry geometry = geometry_of(
        dimension, dimension / p, p, random.log_uniform(0.03, 0.5) * std::sqrt(dimension));
    const double center = random.log_uniform(0.1, 5.0);
    const double unit = 1.0 / std::sqrt(SphericalMomentLine(geometry, center, 0.0).variance());
    const SphericalMomentLine line(geometry, center, 20.0 * unit);
    if (!line.value().finite()) continue;
    for (const double from : {2.0, 8.0}) {
      const double bound = spherical_far_bound(geometry, center, from * unit);
      EXPECT_LT(bound, infinity);
      for (double y = from; y < 20.0; y *= 1.05) {
        const double size = abs(line.at(Ball(y * unit))).lower();
        EXPECT_LE(size, std::exp(bound))
            << dimension << ' ' << p << ' ' << center << ' ' << from << ' ' << y;
      }
    }
  }
}

// It falls like the power T of the height, and the estimate says about the same.
TEST(SphericalFar, FallsWithTheDimension) {
  for (const double dimension : {1.0, 2.0, 3.0}) {
    const SphericalGeometry geometry = geometry_of(dimension, 0.2, 1.5, 1.0);
    const double low = spherical_far_bound(geometry, 2.0, 1000.0);
    const double high = spherical_far_bound(geometry, 2.0, 8000.0);
    EXPECT_LT(high - low, -(dimension - 0.25) * std::log(8.0)) << dimension;
    EXPECT_NEAR(spherical_far_estimate(geometry, 2.0, 1000.0), low, 1.0) << dimension;
  }
}

// Nothing is said where the lemma does not hold.
TEST(SphericalFar, NeedsNoPoleAndAPowerAboveOne) {
  EXPECT_EQ(spherical_far_bound(geometry_of(2.0, 0.2, 1.0, 1.0), 1.0, 10.0), infinity);
  const SphericalGeometry pole(SphericalPair(3.0, 1.0, Precise::exactly(0.3), 2.0, 1.0));
  EXPECT_EQ(spherical_far_bound(pole, 0.5, 10.0), infinity);
}

// Lattices of sorted losses share nothing with moments.
TEST(SphericalFar, CopiesLieWithinTheBoundsOfTheLattice) {
  struct Case {
    double dimension, beta, p, count, epsilon;
  };
  for (const Case& c : {Case{2.0, 0.2, 1.5, 2.0, 1.0}, Case{2.0, 0.2, 1.5, 4.0, 1.0},
                        Case{1.0, 0.2, 1.5, 3.0, 1.0}, Case{1.0, 0.5, 1.3, 4.0, 2.0},
                        Case{1.0, 0.01, 3.0, 300.0, 5.0}, Case{3.0, 0.1, 2.5, 3.0, 1.0}}) {
    const auto law =
        spherical_law(c.dimension, c.dimension - 1.0, Precise::exactly(c.beta), c.p, 1.0);
    const PrivacyLoss loss = PrivacyLoss::law(law, law).repeated(c.count);
    const ProfilePoint found = profile(loss, c.epsilon);
    const Enclosure lattice =
        DiscretizedProfile(loss.forward(), Accuracy::certified).at(c.epsilon).value.enclosure();
    EXPECT_EQ(found.proof, Proof::certified);
    EXPECT_LT(found.delta().relative_width(), 2e-9) << c.dimension << ' ' << c.p << ' ' << c.count;
    EXPECT_LE(found.delta().lower(), lattice.upper())
        << c.dimension << ' ' << c.p << ' ' << c.count;
    EXPECT_GE(found.delta().upper(), lattice.lower())
        << c.dimension << ' ' << c.p << ' ' << c.count;
  }
}

}  // namespace
}  // namespace modicum::testing::spherical_far_test
