// The moved plane of two centers: derivatives by differences, bounds of changes and of cells at
// random places, and the lemma that the loss lies above the real axis.
#include "privacy/spherical_rays/elliptic_sheet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "privacy/spherical_rays/sheet_cell.h"
#include "privacy/spherical_rays/sheet_sum.h"
#include "privacy/spherical_rays/tilted_plane.h"
#include "support/seeded_random.h"

namespace modicum::testing::elliptic_sheet_test {
namespace {

using Complex = std::complex<double>;
using Point = SheetPatch::Point;

SphericalPair pair_of(double dimension, double alpha, double beta, double p) {
  return {dimension, alpha, Precise::exactly(beta), p, 1.0};
}

SphericalPair random_pair(SeededRandom& random) {
  const double dimension = 1.0 + std::floor(random.log_uniform(1e-1, 12.0));
  const double alpha =
      random.uniform(0.0, 1.0) < 0.5 ? dimension - 1.0 : random.uniform(-0.9, dimension - 1.0);
  return pair_of(dimension, alpha, random.log_uniform(1e-3, 3.0), random.log_uniform(0.4, 6.0));
}

Point random_place(SeededRandom& random) {
  const double mu = random.log_uniform(1e-2, 3.0), nu = random.log_uniform(1e-2, 1.5);
  return {Complex(mu, random.uniform(-0.3, 0.3) * mu), Complex(nu, random.uniform(-0.3, 0.3) * nu)};
}

TEST(EllipticPlane, KnowsTheRadiiAndTheDensity) {
  SeededRandom random(6101);
  for (int i = 0; i < 300; ++i) {
    const SphericalPair pair = random_pair(random);
    const SphericalGeometry geometry(pair);
    const EllipticPlane plane(geometry);
    const double mu = random.log_uniform(1e-2, 4.0), nu = random.uniform(0.01, 1.55);
    const auto at = plane.place_at(mu, nu);
    const double r1 = 0.5 * geometry.step * (std::cosh(mu) - std::cos(nu)),
                 r2 = 0.5 * geometry.step * (std::cosh(mu) + std::cos(nu));
    const double loss = geometry.loss_at(std::log(r1), std::log(r2 / r1));
    EXPECT_NEAR(at.loss.real(), loss, 1e-11 * (1.0 + std::abs(loss) + std::abs(at.near)));
    EXPECT_EQ(at.loss.imag(), 0.0);
    if (plane.flat()) continue;
    // Of log radius and angle: its density, and r1 r2/r1^2 for the area.
    const double distance = 0.5 * geometry.step * std::sinh(mu) * std::sin(nu);
    const double expected = geometry.log_density_at(std::log(r1)) - geometry.log_angle_scale +
                            (geometry.dimension - 2.0) * std::log(distance / r1) +
                            std::log(r2 / r1);
    const auto [sinh, sin] = plane.powers(PlanePart::whole);
    const double found =
        plane.log_weight(at).real() + sinh * std::log(std::sinh(mu)) + sin * std::log(std::sin(nu));
    EXPECT_NEAR(found, expected, 1e-10 * (1.0 + std::abs(expected) + std::abs(at.near)));
  }
}

TEST(EllipticPlane, DerivativesAgreeWithDifferences) {
  SeededRandom random(6102);
  for (int i = 0; i < 300; ++i) {
    const SphericalPair pair = random_pair(random);
    const SphericalGeometry geometry(pair);
    const EllipticPlane plane(geometry);
    const auto [mu, nu] = random_place(random);
    const double h = 1e-4 * std::min(std::abs(mu), std::abs(nu));
    const auto jets = plane.jets_at(plane.place_at(mu, nu));
    const auto check = [&](const PlaneJet& jet, const auto& f) {
      const Complex center = f(mu, nu);
      const double size = std::abs(center) + h * (std::abs(jet.x) + std::abs(jet.y)) + 1.0;
      const auto near = [&](const Complex& found, const Complex& expected, double order) {
        const double scale =
            std::abs(expected) + (std::abs(jet.xx) + std::abs(jet.yy)) * (order == 1.0 ? h : 1.0);
        EXPECT_LT(std::abs(found - expected), 1e-3 * scale + 1e-11 * size / std::pow(h, order));
      };
      near((f(mu + h, nu) - f(mu - h, nu)) / (2.0 * h), jet.x, 1.0);
      near((f(mu, nu + h) - f(mu, nu - h)) / (2.0 * h), jet.y, 1.0);
      near((f(mu + h, nu) + f(mu - h, nu) - 2.0 * center) / (h * h), jet.xx, 2.0);
      near((f(mu, nu + h) + f(mu, nu - h) - 2.0 * center) / (h * h), jet.yy, 2.0);
      near((f(mu + h, nu + h) - f(mu + h, nu - h) - f(mu - h, nu + h) + f(mu - h, nu - h)) /
               (4.0 * h * h),
           jet.xy, 2.0);
    };
    check(jets.loss, [&](const Complex& x, const Complex& y) { return plane.place_at(x, y).loss; });
    check(jets.log_weight, [&](const Complex& x, const Complex& y) {
      return plane.log_weight(plane.place_at(x, y));
    });
  }
}

TEST(EllipticPlane, BoundsHowMuchThingsChange) {
  SeededRandom random(6103);
  int finite = 0;
  double closest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const SphericalPair pair = random_pair(random);
    const SphericalGeometry geometry(pair);
    const EllipticPlane plane(geometry);
    const auto [mu, nu] = random_place(random);
    const double by_mu = std::abs(mu) * random.log_uniform(1e-3, 2.0),
                 by_nu = std::abs(nu) * random.log_uniform(1e-3, 2.0);
    const auto at = plane.place_at(mu, nu);
    const auto change = plane.change_within(at, by_mu, by_nu);
    if (!(change.loss < INFINITY && change.log_weight < INFINITY)) continue;
    ++finite;
    for (int j = 0; j < 20; ++j) {
      const auto turned = [&](double by) {
        return std::polar(by, random.uniform(0.0, 2.0 * M_PI));
      };
      const auto other = plane.place_at(mu + turned(by_mu), nu + turned(by_nu));
      const double noise = 1e-12 * (1.0 + std::abs(at.near) + std::abs(at.far));
      EXPECT_LE(std::abs(other.loss - at.loss), change.loss + noise);
      EXPECT_LE(std::abs(other.sinh - at.sinh), change.sinh * (1.0 + 1e-12));
      EXPECT_LE(std::abs(other.sin - at.sin), change.sin * (1.0 + 1e-12));
      // Of the same branch.
      Complex moved = plane.log_weight(other) - plane.log_weight(at);
      EXPECT_LE(std::abs(moved.real()), change.log_weight + 20.0 * noise);
      closest = std::max(closest, std::abs(other.loss - at.loss) / (change.loss + noise));
    }
  }
  EXPECT_GT(finite, 1000);
  EXPECT_GT(closest, 0.5);
}

// Within 19.1 of 19 is i pi/2, where the radius vanishes, although tanh 19 is 1 in doubles.
TEST(EllipticPlane, KnowsThatARadiusMayVanishFarFromHere) {
  const EllipticPlane plane(
      SphericalGeometry(SphericalPair(3.0, 1.5, Precise::exactly(0.3), 1.5, 1.0)));
  const auto at = plane.place_at(19.0, EllipticPlane::right_angle);
  EXPECT_TRUE(plane.change_within(at, 10.0, 0.01).loss < INFINITY);
  EXPECT_EQ(plane.change_within(at, 19.1, 0.01).loss, INFINITY);
}

// At random places of all patches, and how many of them are moved.
std::size_t places_above(const SphericalPair& pair, const EllipticSheet& sheet,
                         SeededRandom& random) {
  std::size_t moved = 0;
  const auto check = [&](const SheetPatch& patch, double s, double t) {
    const auto map = patch.map_at(s, t);
    const auto at = sheet.plane().place_at(map.at.mu, map.at.nu, map.place_units, map.turned);
    const double units = 0x1p-51 * at.loss_rounding;
    moved += at.loss.imag() > units;
    EXPECT_GE(at.loss.imag(), -units) << pair.dimension << ' ' << pair.alpha << ' ' << pair.p << ' '
                                      << patch.is_cone() << ' ' << s << ' ' << t;
  };
  for (const SheetPatch& patch : sheet.patches())
    for (int i = 0; i < 10; ++i) check(patch, random.uniform(0.0, 1.0), random.uniform(0.0, 1.0));
  for (const SheetPatch& cone : sheet.cones())
    for (int i = 0; i < 50; ++i) check(cone, random.uniform(-3.0, 0.0), random.uniform(0.0, 1.0));
  return moved;
}

// What the ends of rays rest on.
TEST(EllipticSheet, LossesLieAboveTheRealAxis) {
  SeededRandom random(6104);
  std::size_t moved = 0, works = 0;
  constexpr int pairs = 400;
  for (int i = 0; i < pairs; ++i) {
    const SphericalPair pair = random_pair(random);
    const SphericalGeometry geometry(pair);
    const EllipticSheet sheet(geometry, random.log_uniform(0.1, 20.0), 2.0 + i % 30);
    if (!sheet.works()) continue;
    ++works;
    moved += places_above(pair, sheet, random);
  }
  EXPECT_GT(works, 300U);
  EXPECT_GT(moved, 100000U);
}

// Sides of patches meet: nothing of the plane is left out or counted twice. The corner is real or
// made of cones, the sides at Y and on the axes stay on them.
TEST(EllipticSheet, HasNoGaps) {
  SeededRandom random(6105);
  for (int i = 0; i < 100; ++i) {
    const SphericalPair pair = random_pair(random);
    if (pair.dimension == 1.0) continue;
    const SphericalGeometry geometry(pair);
    const EllipticSheet sheet(geometry, 2.0, 3.0);
    double area = 0.0;
    for (const SheetPatch& patch : sheet.patches()) {
      const auto& corners = patch.corners();
      area += (corners[1].mu - corners[0].mu).real() * (corners[2].nu - corners[0].nu).real();
      for (const Point& corner : corners) {
        EXPECT_TRUE(corner.mu.real() != 0.0 || corner.mu.imag() == 0.0);
        EXPECT_TRUE(corner.nu.real() != 0.0 || corner.nu.imag() == 0.0);
        EXPECT_TRUE(corner.nu.real() != EllipticPlane::right_angle || corner.mu.imag() == 0.0);
      }
    }
    if (!sheet.cones().empty()) {
      const Point side = sheet.cones()[0].corners()[1];  // turned
      area += std::norm(side.mu);
      EXPECT_EQ(sheet.cones().size(), 2U);
    }
    // Sides of the corner are turned: the patches next to it have other real parts there.
    const double whole = sheet.last() * EllipticPlane::right_angle;
    EXPECT_NEAR(area, whole, (sheet.cones().empty() ? 1e-9 : 0.1) * whole);
  }
}

TEST(SheetCell, BoundsTheIntegrand) {
  SeededRandom random(6106);
  int bounded = 0;
  double closest = -INFINITY;
  for (int i = 0; i < 300; ++i) {
    const SphericalPair pair = random_pair(random);
    const SphericalGeometry geometry(pair);
    const EllipticSheet sheet(geometry, 1.0, 2.0);
    if (!sheet.works()) continue;
    std::vector<SheetPatch> patches = sheet.patches();
    patches.insert(patches.end(), sheet.cones().begin(), sheet.cones().end());
    for (int j = 0; j < 20; ++j) {
      const SheetPatch& patch = patches[static_cast<std::size_t>(
          random.uniform(0.0, static_cast<double>(patches.size()) - 1e-9))];
      const bool flat = sheet.plane().flat();
      const double half_s = patch.is_cone() ? random.log_uniform(0.05, 3.0) : 0.125,
                   half_t = flat ? 0.0 : 0.125;
      const double s = patch.is_cone()
                           ? -half_s * (1.0 + std::floor(random.uniform(0.0, 5.0)))
                           : (2.0 * std::floor(random.uniform(0.0, 4.0)) + 1.0) * half_s;
      const double t = flat ? 0.0 : (2.0 * std::floor(random.uniform(0.0, 4.0)) + 1.0) * half_t;
      const std::vector<Complex> orders{
          {random.uniform(-0.5, 5.0), random.log_uniform(0.01, 50.0)},
          {-random.uniform(1.0, 5.0), random.log_uniform(0.01, 50.0)}};
      const SheetCell cell(sheet.plane(), {&patch, s, half_s, t, half_t}, orders);
      const double spread = 1.0 + 0.8 * std::floor(random.uniform(0.0, 2.0));
      std::vector<double> logs(2);
      const bool along = flat || j % 2 == 0;
      if (!(along ? cell.bounds_along(spread, logs) : cell.bounds_across(spread, logs))) continue;
      ++bounded;
      for (int n = 0; n < 20; ++n) {
        // The real places of the ellipse, where they are on the patch.
        const double at_s = s + half_s * random.uniform(-1.0, 1.0) * (along ? spread : 1.0),
                     at_t = t + half_t * random.uniform(-1.0, 1.0) * (along ? 1.0 : spread);
        if (!patch.is_cone() && !(at_s > 0.0 && at_t >= 0.0)) continue;
        if (!flat && !(at_t > 0.0 && at_t < 1.0)) continue;
        const auto node = sheet_node(sheet.plane(), patch, at_s, at_t, 1.0);
        for (std::size_t k = 0; k < 2; ++k) {
          const double log_size = (node.log_weight + orders[k] * node.loss).real();
          EXPECT_LE(log_size, logs[k] + 1e-9 * (1.0 + std::abs(log_size)))
              << pair.dimension << ' ' << pair.alpha << ' ' << pair.p << ' ' << patch.is_cone();
          closest = std::max(closest, log_size - logs[k]);
        }
      }
    }
  }
  EXPECT_GT(bounded, 1000);
  EXPECT_GT(closest, -0.2);
}

// What is left out against sums over the real plane.
TEST(EllipticPlane, BoundsWhatIsFarOut) {
  SeededRandom random(6107);
  int known = 0;
  for (int i = 0; i < 60; ++i) {
    const SphericalPair pair = random_pair(random);
    if (pair.dimension > 4.0) continue;
    const SphericalGeometry geometry(pair);
    const EllipticPlane plane(geometry);
    const double order = random.uniform(0.0, 3.0);
    for (const double first : {2.0, 3.5, 5.0}) {
      const double most = std::exp(plane.log_mass_beyond(first, order));
      if (!(most < 10.0)) continue;
      ++known;
      double sum = 0.0;
      const auto [sinh_power, sin_power] =
          plane.powers(plane.flat() ? PlanePart::beyond : PlanePart::whole);
      const int across = plane.flat() ? 1 : 40;
      for (int a = 0; a < 400; ++a)
        for (int b = 0; b < across; ++b) {
          const double step = 0.01, side = plane.flat() ? 1.0 : EllipticPlane::right_angle / across;
          const double mu = first + (a + 0.5) * step, nu = plane.flat() ? 0.0 : (b + 0.5) * side;
          const auto at = plane.place_at(mu, nu);
          double log_weight = plane.log_weight(at).real() + std::log(step * side);
          log_weight += sinh_power * std::log(std::sinh(mu));
          if (sin_power > 0.0) log_weight += sin_power * std::log(std::sin(nu));
          sum += std::exp(log_weight + order * at.loss.real()) +
                 std::exp(log_weight - (1.0 + order) * at.loss.real());
        }
      EXPECT_LE(sum * 0.999, most) << pair.dimension << ' ' << pair.p << ' ' << order;
    }
  }
  EXPECT_GT(known, 20);
}

}  // namespace
}  // namespace modicum::testing::elliptic_sheet_test
