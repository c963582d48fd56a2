#include "privacy/laws/sampled_contour.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/ball_integral.h"
#include "support/seeded_random.h"

namespace modicum::testing::sampled_contour_test {
namespace {

using Complex = std::complex<double>;

// The integral on the real line, to so many bits that what cancels leaves enough of them.
ComplexBall exact_moment(double mu, double q, Complex a) {
  const PrecisionScope scope(420);
  const ComplexBall exponent{Ball(a.real()), Ball(a.imag())};
  const auto integrand = [&](const ComplexBall& t, bool analytic) {
    const ComplexBall u = t * Ball(mu) - ComplexBall(Ball(mu) * Ball(mu) / 2.0);
    const ComplexBall base = ComplexBall(Ball(1.0) - Ball(q)) + exp(u) * Ball(q);
    return exp(-(t * t) * Ball(0.5)) * power(base, exponent, analytic);
  };
  const double reach = 22.0 + std::abs(a.real()) * mu;
  return integrate(integrand, ComplexBall(Ball(-reach)), ComplexBall(Ball(reach)),
                   {0x1p-140, 300}) *
         (Ball(1.0) / sqrt(Ball::pi() * 2.0));
}

ContourTask task_around(Complex a) {
  return {{a.real(), 0.0, 0.0},
          {a + Complex(-0.2, 0.0), a + Complex(0.2, 0.0), a + Complex(-0.2, 0.5),
           a + Complex(0.2, 0.5)}};
}

struct Case {
  double mu, q;
  Complex a;
};
const std::vector<Case> cases{{1.0, 0.01, {9.8, 0.0}},  {1.0, 0.01, {11.0, 4.0}},
                              {1.0, 0.01, {15.0, 9.0}}, {3.0, 0.1, {2.0, 1.5}},
                              {0.2, 0.9, {3.0, 20.0}},  {1.0, 0.3, {-12.0, 5.0}},
                              {0.5, 0.5, {-3.0, 0.0}},  {2.0, 1e-4, {4.0, 6.0}}};

TEST(SampledContour, ContainsTheIntegralOnTheRealLine) {
  for (const Case& c : cases) {
    const auto contour =
        SampledContour::make({Precise::exactly(c.mu), c.q}, task_around(c.a), 40.0);
    ASSERT_TRUE(contour) << c.mu << ", " << c.q << ", " << c.a;
    const PrecisionScope scope(128);
    const Complex inside = c.a + Complex(0.05, 0.125);
    const ComplexBall value = contour->at(inside), truth = exact_moment(c.mu, c.q, inside);
    EXPECT_TRUE(acb_overlaps(value.raw(), truth.raw())) << c.mu << ", " << c.q << ", " << c.a;
    // To rounding of the largest it could be.
    const double size = std::exp(*std::ranges::max_element(contour->log_bounds()));
    const double radius = mag_get_d(arb_radref(acb_realref(value.raw())));
    EXPECT_LT(radius, 1e-13 * std::max(1.0, size)) << c.mu << ", " << c.q << ", " << c.a;
    EXPECT_LE(abs(truth).lower(), size) << c.mu << ", " << c.q << ", " << c.a;
  }
}

// What many copies of rare samples need: the error is that of M - 1.
TEST(SampledContour, KnowsHowFarRareSamplesAreFromOne) {
  for (const Case& c :
       {Case{1.0, 1e-4, {15.0, 100.0}}, Case{1.0, 1e-5, {12.0, 300.0}},
        Case{0.5, 1e-3, {20.0, 30.0}}, Case{2.0, 1e-5, {3.0, 40.0}}, Case{1.0, 0.01, {6.0, 5.0}}}) {
    const auto contour =
        SampledContour::make({Precise::exactly(c.mu), c.q}, task_around(c.a), 48.0, true);
    ASSERT_TRUE(contour) << c.mu << ", " << c.q << ", " << c.a;
    const PrecisionScope scope(128);
    const Complex inside = c.a + Complex(0.05, 0.125);
    const ComplexBall value = contour->at(inside), truth = exact_moment(c.mu, c.q, inside);
    EXPECT_TRUE(acb_overlaps(value.raw(), truth.raw())) << c.mu << ", " << c.q << ", " << c.a;
    const double distance = abs(truth - ComplexBall(Ball(1.0))).middle();
    const double radius = mag_get_d(arb_radref(acb_realref(value.raw())));
    EXPECT_LT(radius, 1e-13 * distance + 1e-20) << c.mu << ", " << c.q << ", " << c.a;
  }
}

// On the ray and between it and the vertical one, at random points.
TEST(SampledContour, BoundsTheRay) {
  SeededRandom random(821);
  const double mu = 1.0, q = 0.05, rise = 2.0, drift = 0.02;
  const Complex from{6.0, 8.0};
  const RealTangent tangent{6.0, 0.0, drift};
  const double bound = log_bound_on_ray({Precise::exactly(mu), q}, tangent, from, rise, drift);
  ASSERT_LT(bound, infinity);
  for (int trial = 0; trial < 6; ++trial) {
    const double r = random.uniform(0.0, 3.0), steeper = random.uniform(0.0, 10.0);
    const Complex a = from + Complex(r, rise * r + steeper);
    const double size = std::log(abs(exact_moment(mu, q, a)).upper());
    EXPECT_LE(size - drift * (a.real() - 6.0), bound) << a;
  }
  // No contour can prove a fall that is faster than that of (1 - q)^a.
  EXPECT_EQ(log_bound_on_ray({Precise::exactly(mu), q}, tangent, from, rise, std::log1p(-q) - 0.01),
            infinity);
}

TEST(SampledContour, KnowsHowFarRaysAreToBeHad) {
  const SampledShift pair{Precise::exactly(1.0), 0.01};
  const double rise = 8.0, far = farthest_ray(pair);
  const auto bound_at = [&](double size) {
    const Complex from{size / rise, size};
    return log_bound_on_ray(pair, {from.real(), 0.0, 0.01}, from, rise, 0.01);
  };
  EXPECT_LT(bound_at(0.1 * far), infinity);
  EXPECT_EQ(bound_at(4.0 * far), infinity);
}

// Bounds of pieces and of what lies outside them, against sums on a hundred times as many points.
TEST(SampledContour, BoundsPiecesAndTheRest) {
  for (const Case& c : cases)
    for (const double turn : {-0.5, 0.0, 0.5}) {
      const SampledShift pair{Precise::exactly(c.mu), c.q};
      const ContourBend bend = choose_bend(pair, task_around(c.a));
      const BentContour contour = bent_contour(pair, bend, turn / std::max(1.0, c.mu));
      if (!contour.passes_below_branch_points()) continue;
      const auto sum_between = [&](double from, double to) {
        const double width = 0.001 / std::max(1.0, c.mu);
        double sum = 0.0;
        for (double v = from + 0.5 * width; v < to; v += width) {
          const auto s = contour_sample<double>(contour, v);
          sum += width * size_of(s.turned) *
                 std::exp(times(c.a, s.log_base).real() - 0.5 * times(s.t, s.t).real());
        }
        return sum / std::sqrt(2.0 * std::numbers::pi);
      };
      const ContourEnds ends = first_ends(contour, task_around(c.a));
      const double width = 0.05 / std::max(1.0, c.mu);
      const auto count = static_cast<long>((ends.to - ends.from) / width);
      const double to = ends.from + static_cast<double>(count) * width;
      const double inside = sum_between(ends.from, to);
      const double bound = ContourPieces(contour, ends.from, width, count).sum(c.a, 0.0);
      EXPECT_GE(bound, inside * (1.0 - 1e-7)) << c.mu << ", " << c.q << ", " << c.a;
      EXPECT_LE(bound, inside * 1.5) << c.mu << ", " << c.q << ", " << c.a;
      const double outside = outside_of(contour, ends.from, to, c.a, 0.0);
      EXPECT_GE(outside, sum_between(ends.from - 8.0, ends.from) + sum_between(to, to + 8.0));
    }
}

TEST(SampledContour, KnowsWhereItWouldPassABranchPoint) {
  const SampledShift pair{Precise::exactly(1.0), 0.01};
  const double middle = bent_contour(pair, {0.0, 0.0}, 0.0).middle();
  EXPECT_TRUE(bent_contour(pair, {0.6, middle}, 0.0).passes_below_branch_points());
  EXPECT_FALSE(bent_contour(pair, {0.6, middle - 6.0}, 0.0).passes_below_branch_points());
  EXPECT_FALSE(bent_contour(pair, {0.0, middle}, 1.6).passes_below_branch_points());
}

}  // namespace
}  // namespace modicum::testing::sampled_contour_test
