// A few copies of spherical noise along a ray: the lemmas, moments by two routes, and profiles
// against closed forms and lattices.
#include "privacy/spherical_rays/spherical_ray.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "modicum/privacy/profile.h"
#include "privacy/engines/discretized.h"
#include "privacy/spherical/spherical_law.h"
#include "privacy/spherical/spherical_moment_line.h"
#include "privacy/spherical_rays/sheet_rule.h"
#include "privacy/spherical_rays/tilted_plane.h"
#include "support/seeded_random.h"

namespace modicum::testing::spherical_ray_test {
namespace {

using Complex = std::complex<double>;

SphericalPair pair_of(double dimension, double alpha, double beta, double p) {
  return {dimension, alpha, Precise::exactly(beta), p, 1.0};
}

bool overlap(const Ball& a, const Ball& b) {
  return a.lower() <= b.upper() && b.lower() <= a.upper();
}

// Also to the left of zero and beyond the end of moments, where they are continued.
TEST(SphericalRay, MomentsOfTheGaussianMember) {
  for (const double dimension : {1.0, 2.0, 3.0, 10.0})
    for (const double mu : {0.1, 0.5, 2.0}) {
      const SphericalGeometry geometry(pair_of(dimension, dimension - 1.0, 0.5 * mu * mu, 2.0));
      const EllipticSheet sheet(geometry, 3.0, 2.0);
      ASSERT_TRUE(sheet.works());
      for (const Complex center : {Complex(-0.4, 0.5), Complex(0.2, 0.0), Complex(2.0, 1.0),
                                   Complex(1.5, 7.0), Complex(3.0, 60.0)}) {
        const std::vector<Complex> orders{center + 0.1, center - 0.1, center + Complex(0.0, 0.2)};
        const SheetRule rule(sheet, orders, {-33.0, -33.0, -33.0});
        ASSERT_TRUE(rule.works()) << dimension << ' ' << mu << ' ' << center;
        const double missed = *std::max_element(rule.errors().begin(), rule.errors().end());
        EXPECT_LT(missed, 1e-10);
        const SheetSum::Value sum = rule.sum_at(center, 1e-14);
        const Complex truth = std::exp(0.5 * mu * mu * center * (center + 1.0));
        EXPECT_LE(std::abs(sum.value - truth), missed + sum.rounding + 1e-15 * std::abs(truth))
            << dimension << ' ' << mu << ' ' << center;
        EXPECT_GE(rule.size_at(center, 1e-14) + missed, std::abs(truth));
      }
    }
}

// The moment does not depend on the paths: where it exists on the real line the cells of that line
// know it too.
TEST(SphericalRay, MomentsAgreeWithThoseOfTheRealPlane) {
  const std::array<SphericalPair, 5> pairs{
      pair_of(2.0, 1.0, 0.2, 1.5), pair_of(3.0, 2.0, 0.05, 3.0), pair_of(3.0, 1.5, 0.3, 1.5),
      pair_of(2.0, 0.6, 1e-4, 4.0), pair_of(1.0, -0.3, 0.1, 1.5)};
  for (const SphericalPair& pair : pairs) {
    const SphericalGeometry geometry(pair);
    const double end = TiltedPlane(geometry).end(), center = std::min(1.5, 0.5 * end);
    const EllipticSheet sheet(geometry, center, 2.0);
    ASSERT_TRUE(sheet.works());
    const std::vector<Complex> orders{
        {center, -0.02}, {center + 0.1, 0.0}, {center, 6.0}, {center - 0.1, 0.0}};
    const SheetRule rule(sheet, orders, {-30.0, -30.0, -30.0, -30.0});
    ASSERT_TRUE(rule.works()) << pair.dimension << ' ' << pair.p;
    const double missed = *std::max_element(rule.errors().begin(), rule.errors().end());
    EXPECT_LT(missed, 1e-9);
    const SphericalMomentLine line(geometry, center, 5.0);
    for (const double y : {0.0, 0.7, 2.0, 5.0}) {
      const SheetSum::Value sum = rule.sum_at({center, y}, 1e-14);
      const ComplexBall other = line.at(Ball(y));
      const double error = missed + sum.rounding;
      EXPECT_TRUE(overlap(Ball(sum.value.real()).widened(Ball(error)), other.real())) << y;
      EXPECT_TRUE(overlap(Ball(sum.value.imag()).widened(Ball(error)), other.imaginary())) << y;
      EXPECT_LT(sum.rounding, 1e-10);
      EXPECT_GE(rule.size_at({center, y}, 1e-14) + missed, std::abs(sum.value)) << y;
    }
  }
}

TEST(SphericalRay, AgreesWithTheGaussianMember) {
  for (const double dimension : {1.0, 2.0, 3.0, 10.0})
    for (const double count : {2.0, 5.0}) {
      const double mu = 0.5;
      const auto ray =
          SphericalRay::make(pair_of(dimension, dimension - 1.0, 0.5 * mu * mu, 2.0), count, 3.0);
      ASSERT_TRUE(ray) << dimension << ' ' << count;
      EXPECT_LT(ray->width(), 2e-9);
      const PrivacyLoss one = PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0));
      for (const double shift : {3.0, 3.2}) {
        const Enclosure exact = profile(one.repeated(count), shift).delta();
        const Ball found = ray->at(shift);
        EXPECT_LE(found.lower(), exact.upper()) << dimension << ' ' << count;
        EXPECT_GE(found.upper(), exact.lower()) << dimension << ' ' << count;
      }
    }
}

// With a pole, and at other powers: a lattice knows the same, less well.
TEST(SphericalRay, AgreesWithTheLattice) {
  struct Case {
    double dimension, alpha, beta, p, count, shift;
  };
  for (const Case& each :
       {Case{1.0, -0.2, 1e-4, 4.0, 2.0, 2.5}, Case{1.0, -0.5, 0.04, 1.5, 2.0, 11.0},
        Case{1.0, 0.0, 0.06, 1.5, 3.0, 1.0}, Case{1.0, 0.0, 0.00015, 4.0, 2.0, 2.4},
        Case{2.0, 0.6, 0.06, 1.5, 2.0, 2.1}, Case{3.0, 0.5, 0.3, 1.5, 2.0, 12.0},
        Case{3.0, 2.0, 0.999, 1.002, 2.0, 1.8}, Case{20.0, 18.696, 0.9905, 1.068, 3.0, 1.0}}) {
    const SphericalPair pair = pair_of(each.dimension, each.alpha, each.beta, each.p);
    const auto ray = SphericalRay::make(pair, each.count, each.shift);
    ASSERT_TRUE(ray) << each.dimension << ' ' << each.alpha;
    EXPECT_LT(ray->width(), 1e-9);
    const auto law =
        spherical_law(each.dimension, each.alpha, Precise::exactly(each.beta), each.p, 1.0);
    DirectedLoss loss;
    loss.laws.push_back({law, each.count});
    const Ball lattice = DiscretizedProfile(loss, Accuracy::certified).at(each.shift).value;
    const Ball found = ray->at(each.shift);
    EXPECT_TRUE(overlap(found, lattice)) << each.dimension << ' ' << each.alpha << ' ' << each.p;
    EXPECT_LT(relative_width(lattice), 0.05);
  }
}

// Rays of other shifts, from other starts, say the same.
TEST(SphericalRay, ServesCloseShifts) {
  const SphericalPair pair = pair_of(2.0, 0.6, 0.0600024, 1.5);
  const auto one = SphericalRay::make(pair, 2.0, 2.1), other = SphericalRay::make(pair, 2.0, 2.4);
  ASSERT_TRUE(one && other);
  for (const double shift : {2.1, 2.2, 2.3, 2.4}) {
    EXPECT_TRUE(overlap(one->at(shift), other->at(shift))) << shift;
    EXPECT_LT(one->at(shift).lower(), 1.0);
  }
  EXPECT_LT(other->at(2.4).upper(), one->at(2.1).lower());
}

// Of a symmetric pair the trade-off function is its own inverse; large levels ask left of 0.
TEST(SphericalRay, TradeoffsHaveBothEnds) {
  const auto law = spherical_law(2.0, 0.6, Precise::exactly(0.3), 1.5, 1.0);
  const PrivacyLoss loss = PrivacyLoss::law(law, law).repeated(4.0);
  for (const double level : {0.01, 0.3}) {
    const Enclosure value = tradeoff(loss, level, Accuracy::certified).value;
    EXPECT_LT(value.upper() - value.lower(), 1e-7) << level;
    const Enclosure from_lower = tradeoff(loss, value.lower(), Accuracy::certified).value,
                    from_upper = tradeoff(loss, value.upper(), Accuracy::certified).value;
    EXPECT_GE(from_lower.upper(), level);
    EXPECT_LE(from_upper.lower(), level);
    EXPECT_NEAR(from_lower.lower(), level, 1e-6);
  }
  DirectedLoss directed;
  directed.laws.push_back({law, 4.0});
  const Enclosure left = profile(loss, -0.4, Accuracy::certified).delta();
  EXPECT_LT(left.relative_width(), 1e-9);
  EXPECT_TRUE(
      DiscretizedProfile(directed, Accuracy::certified).at(-0.4).value.enclosure().overlaps(left));
}

TEST(SphericalRay, ClaimsNothingWhereItFails) {
  EXPECT_FALSE(SphericalRay::make(pair_of(2.0, 0.6, 0.02, 1.5), 2.0, std::nan("")));
  // The loss is the same all along hyperbolas: it cannot be moved up.
  EXPECT_FALSE(SphericalRay::make(pair_of(2.0, 1.0, 0.3, 1.0), 3.0, 0.4));
  const SphericalGeometry geometry(pair_of(2.0, 0.6, 0.06, 1.5));
  const EllipticSheet sheet(geometry, 2.0, 2.0);
  ASSERT_TRUE(sheet.works());
  // Beyond the end of the moments, next to the real line.
  EXPECT_FALSE(SheetRule(sheet, {{4.2, 0.0}, {4.3, 0.01}}, {-30.0, -30.0}).works());
  EXPECT_TRUE(SheetRule(sheet, {{4.2, 1.0}, {4.3, 1.01}}, {-30.0, -30.0}).works());
  EXPECT_FALSE(SheetRule(sheet, {{1.0, std::nan("")}}, {-30.0}).works());
  EXPECT_FALSE(SheetRule(sheet, {{1.0, 1.0}, {std::nan(""), 1.0}}, {-30.0, -30.0}).works());
  EXPECT_FALSE(SheetRule(sheet, {{1.0, 1.0}}, {std::nan("")}).works());
}

}  // namespace
}  // namespace modicum::testing::spherical_ray_test
