// A few copies of spherical noise along a ray: the lemmas, moments by two routes, and profiles
// against closed forms and lattices.
#include "privacy/spherical/spherical_ray.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "modicum/privacy/profile.h"
#include "privacy/engines/discretized.h"
#include "privacy/spherical/sheet_rule.h"
#include "privacy/spherical/spherical_law.h"
#include "privacy/spherical/spherical_moment_line.h"
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

// Whether the loss has no negative imaginary part at random places of the paths; how many moved it.
std::size_t moved_up(const SphericalPair& pair, double high, SeededRandom& random) {
  const SphericalGeometry geometry(pair);
  const SphericalSheet sheet(geometry);
  std::size_t moved = 0;
  for (const auto& band : sheet.bands({pair.alpha < pair.dimension - 1.0 ? 30.0 : -30.0, high}))
    for (const auto& piece : band.pieces)
      for (int j = 0; j < 20; ++j) {
        const double t = random.uniform(piece.from, piece.to),
                     angle = random.uniform(band.from, band.to);
        const auto at = sheet.place_at(piece.start + piece.direction * t,
                                       sheet.flat() ? band.from : angle, 0.0, 0.0);
        const double units = 4.0 * ulp * (at.loss_rounding + std::abs(at.loss));
        moved += at.loss.imag() > units;
        EXPECT_GE(at.loss.imag(), -units)
            << pair.dimension << ' ' << pair.alpha << ' ' << pair.p << ' ' << t << ' ' << angle;
      }
  return moved;
}

// What the ends of rays rest on.
TEST(SphericalRay, LossesOnTheSheetLieAboveTheRealAxis) {
  SeededRandom random(4021);
  std::size_t moved = 0;
  for (int i = 0; i < 2000; ++i) {
    const double dimension = 1.0 + std::floor(random.log_uniform(1e-1, 12.0));
    const double alpha = i % 2 == 0 ? dimension - 1.0 : random.uniform(-0.9, dimension - 1.0);
    const double beta = random.log_uniform(1e-4, 3.0), p = random.log_uniform(0.4, 8.0);
    moved += moved_up(pair_of(dimension, alpha, beta, p), 6.0, random);
  }
  EXPECT_GT(moved, 50000U);
  // Poles so strong that no place is found to bend at.
  for (const double weight : {1e-9, 1e-10, 1e-11})
    for (const double p : {1.02, 1.05, 1.5})
      moved_up(pair_of(1.0, weight - 1.0, random.log_uniform(0.01, 1.0), p), 30.0, random);
}

// The bounds of cells hold for orders without a negative real part alone.
TEST(SphericalRay, HasNoOrdersWithANegativeRealPart) {
  const SphericalGeometry geometry(pair_of(1.0, 0.0, 0.1, 2.0));
  const SphericalSheet sheet(geometry);
  const std::vector<double> tolerances(3, -25.0);
  EXPECT_TRUE(SheetRule(sheet, {{0.0, 1.0}, {1.0, 0.0}, {1.0, 1.0}}, tolerances).works());
  EXPECT_FALSE(SheetRule(sheet, {{-1e-9, 1.0}, {1.0, 0.0}, {1.0, 1.0}}, tolerances).works());
  EXPECT_FALSE(SheetRule(sheet, {{std::nan(""), 1.0}, {1.0, 0.0}, {1.0, 1.0}}, tolerances).works());
  // Long rays from small orders, where the Gaussian member is known.
  for (const auto& [beta, count, shift] :
       {std::array{0.009178197505270142, 3.0, 0.04782816805069115},
        std::array{0.14400572427854214, 2.0, 0.38935742209403534},
        std::array{0.06998477729011748, 2.0, 0.2}}) {
    const auto ray = SphericalRay::make(pair_of(1.0, 0.0, beta, 2.0), count, shift);
    if (!ray) continue;
    const PrivacyLoss gaussian =
        PrivacyLoss::gaussian(GaussianSpectrum::shift(std::sqrt(2.0 * beta * count), 1.0));
    const Enclosure truth = profile(gaussian, shift, Accuracy::certified).delta();
    EXPECT_TRUE(
        overlap(ray->at(shift).widened(Ball(1e-16)), Ball::between(truth.lower(), truth.upper())));
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
    const SphericalSheet sheet(geometry);
    const double center = std::min(1.5, 0.5 * sheet.end());
    const std::vector<Complex> orders{
        {center, -0.1}, {center + 0.1, 0.0}, {center, 6.0}, {center - 0.1, 0.0}};
    const SheetRule rule(sheet, orders, {-30.0, -30.0, -30.0, -30.0});
    ASSERT_TRUE(rule.works()) << pair.dimension << ' ' << pair.p;
    const double missed = *std::max_element(rule.errors().begin(), rule.errors().end());
    EXPECT_LT(missed, 1e-10);
    const SphericalMomentLine line(geometry, center, 5.0);
    for (const double y : {0.0, 0.7, 2.0, 5.0}) {
      const SheetRule::Sum sum = rule.sum_at({center, y}, 1e-14);
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
        Case{2.0, 0.6, 0.06, 1.5, 2.0, 2.1}, Case{3.0, 0.5, 0.3, 1.5, 2.0, 12.0}}) {
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

TEST(SphericalRay, ClaimsNothingWhereItFails) {
  EXPECT_FALSE(SphericalRay::make(pair_of(2.0, 0.6, 0.02, 1.5), 30.0, 1e-3));
  EXPECT_FALSE(SphericalRay::make(pair_of(2.0, 0.6, 0.02, 1.5), 2.0, std::nan("")));
  const SphericalGeometry geometry(pair_of(2.0, 0.6, 0.06, 1.5));
  const SphericalSheet sheet(geometry);
  // Beyond the end of the moments next to the real line.
  EXPECT_FALSE(SheetRule(sheet, {{4.2, 0.0}, {4.3, 0.01}}, {-30.0, -30.0}).works());
  EXPECT_FALSE(SheetRule(sheet, {{1.0, std::nan("")}}, {-30.0}).works());
}

}  // namespace
}  // namespace modicum::testing::spherical_ray_test
