#include "privacy/gaussian/gaussian_moment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_moment_test {
namespace {

// log E[exp(z L)] from the densities: -1/2 sum (z log tau + log(1 - z (tau - 1))) and the means.
double by_definition(const std::vector<Coordinate>& coordinates, double z) {
  double sum = 0.0;
  for (const auto& [mean, tau, multiplicity] : coordinates) {
    const double w = 1.0 - z * (tau - 1.0);
    sum -= 0.5 * multiplicity * (z * std::log(tau) + std::log(w));
    sum += multiplicity * mean * mean * z * (1.0 + z) / (2.0 * w);
  }
  return sum;
}

double inside(const GaussianMoment& moment, double share) {
  const double low = std::max(moment.lower_end(), -4.0), high = std::min(moment.upper_end(), 3.0);
  return low + share * (high - low);
}

TEST(GaussianMoment, IsThatOfItsDefinition) {
  const std::vector<Coordinate> coordinates{{0.5, 1.0, 1.0}, {0.0, 1.5, 3.0}, {-1.0, 0.25, 1.0}};
  const GaussianMoment moment(spectrum_of(coordinates));
  // 1 - z t stays positive between 1/(0.25 - 1) and 1/(1.5 - 1).
  EXPECT_NEAR(moment.lower_end(), -4.0 / 3.0, 1e-12);
  EXPECT_NEAR(moment.upper_end(), 2.0, 1e-12);
  for (const double z : {-1.2, -1.0, -0.3, 0.0, 0.6, 1.9})
    EXPECT_NEAR(static_cast<double>(moment.jet(z).value), by_definition(coordinates, z), 1e-13);
}

TEST(GaussianMoment, HasOneValueInEveryArithmetic) {
  SeededRandom random(71);
  const PrecisionScope scope(128);
  for (int i = 0; i < 200; ++i) {
    const GaussianMoment moment(random_spectrum(random));
    const double center = inside(moment, random.uniform(0.05, 0.95));
    const Jet jet = moment.jet(center);
    const auto ball = moment.expand_ball(center);
    const auto scale = static_cast<double>(1 + jet.magnitude);
    EXPECT_NEAR(static_cast<double>(jet.value), ball->value().middle(), 1e-15 * scale);
    EXPECT_NEAR(static_cast<double>(jet.first), ball->slope().middle(),
                1e-14 * static_cast<double>(1 + jet.first_magnitude));
    const auto expansion = moment.expand(center);
    for (const double x : {0.0, 0.1})
      for (const double y : {0.3, 5.0}) {
        const std::complex<double> d{x * (moment.upper_end() < 1e6 ? -1.0 : 1.0), y};
        const std::complex<double> found = expansion->at(d, 0.0L);
        const ComplexBall proved = ball->at(ComplexBall(Ball(d.real()), Ball(y)), Ball(0.0));
        const double size = 1e-12 * (1.0 + std::abs(found));
        EXPECT_NEAR(found.real(), proved.real().middle(), size) << i;
        EXPECT_NEAR(found.imag(), proved.imaginary().middle(), size) << i;
      }
  }
}

TEST(GaussianMoment, StaysBelowItsBoundFurtherUp) {
  SeededRandom random(72);
  for (int i = 0; i < 100; ++i) {
    const GaussianMoment moment(random_spectrum(random));
    const auto expansion = moment.expand(inside(moment, random.uniform(0.1, 0.9)));
    for (const double height : {0.2, 3.0}) {
      const VerticalBound bound = expansion->above({0.0, height});
      for (const double factor : {1.0, 1.5, 4.0, 50.0})
        EXPECT_LE(expansion->at({0.0, factor * height}, 0.0L).real(),
                  bound.bound - bound.power * std::log(factor) + 1e-9 * (1 + std::abs(bound.bound)))
            << i << " at " << factor * height;
    }
  }
}

// sup L = sum of -1/2 log tau + m^2 / (2 (1 - tau)) where every tau < 1.
TEST(GaussianMoment, KnowsTheLargestLoss) {
  const GaussianMoment bounded(spectrum_of({{0.5, 0.5, 1.0}, {0.0, 0.25, 2.0}}));
  const double truth = -0.5 * std::log(0.5) + 0.25 - std::log(0.25);
  EXPECT_NEAR(bounded.supremum().upper(), truth, 1e-14);
  EXPECT_LE(bounded.supremum().lower(), truth);
  EXPECT_TRUE(std::isinf(GaussianMoment(spectrum_of({{0.5, 1.0, 1.0}})).supremum().lower()));
  EXPECT_TRUE(std::isinf(GaussianMoment(spectrum_of({{0.0, 1.5, 1.0}})).supremum().lower()));
}

}  // namespace
}  // namespace modicum::testing::gaussian_moment_test
