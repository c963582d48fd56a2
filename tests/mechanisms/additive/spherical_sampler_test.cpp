#include "modicum/mechanisms/spherical_sampler.h"

#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/ball.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::spherical_sampler_test {
namespace {

constexpr double grid = 0x1p-20;

double radius(const std::vector<double>& noise) {
  double sum = 0.0;
  for (const double x : noise) sum += x * x;
  return std::sqrt(sum);
}

// The radius has the generalized gamma law and the direction of the first axis is as it should be;
// a false alarm has probability at most 1e-9 each.
TEST(SphericalSampler, DrawsTheLawOfTheNoise) {
  SeededSource source(5);
  for (const SphericalNoise& noise :
       {SphericalNoise(1.0, 0.0, 1.0, 1.0), SphericalNoise(2.0, 1.0, 0.5, 2.0),
        SphericalNoise(3.0, -0.5, 2.0, 0.7), SphericalNoise(10.0, 7.5, 1.5, 1.4)}) {
    std::vector<double> radii, cosines;
    const int draws = 4000;
    for (int i = 0; i < draws; ++i) {
      const std::vector<double> x = draw_spherical_noise(noise, grid, source);
      ASSERT_EQ(x.size(), static_cast<std::size_t>(noise.dimension));
      radii.push_back(radius(x));
      cosines.push_back(x[0] / radii.back());
    }
    const auto radial = [&](double r) {
      Ball result;
      const Ball shape = (noise.alpha + 1.0) / noise.p, z = noise.beta * std::pow(r, noise.p);
      arb_hypgeom_gamma_lower(result.raw(), shape.raw(), z.raw(), 1, 64);
      return result.middle();
    };
    EXPECT_LT(largest_deviation(radii, radial), deviation_allowed(draws)) << noise.dimension;
    if (noise.dimension == 1.0) continue;
    const auto angular = [&](double w) {
      Ball result;
      const Ball half = 0.5 * (noise.dimension - 1.0), x = 0.5 * (w + 1.0);
      arb_hypgeom_beta_lower(result.raw(), half.raw(), half.raw(), x.raw(), 1, 64);
      return result.middle();
    };
    EXPECT_LT(largest_deviation(cosines, angular), deviation_allowed(draws)) << noise.dimension;
  }
}

TEST(SphericalSampler, StaysOnTheGrid) {
  SecureSource source;
  const SphericalNoise noise = SphericalNoise::l2(5.0, 3.0);
  const std::vector<double> answer{0.1, -7.3, 1e6, 0.0, 3.14159};
  for (const double x : release_with_spherical_noise(answer, noise, grid, source))
    EXPECT_EQ(std::remainder(x, grid), 0.0);
  EXPECT_NE(release_with_spherical_noise(answer, noise, grid, source),
            release_with_spherical_noise(answer, noise, grid, source));
}

TEST(SphericalSampler, RefusesWhatItCannotKeep) {
  SecureSource source;
  const SphericalNoise noise = SphericalNoise::l2(2.0, 1.0);
  EXPECT_TRUE(refuses("grid", [&] { return draw_spherical_noise(noise, 0.3, source); }));
  EXPECT_TRUE(refuses("grid", [&] { return draw_spherical_noise(noise, NAN, source); }));
  EXPECT_TRUE(
      refuses("answer", [&] { return release_with_spherical_noise({1.0}, noise, grid, source); }));
  EXPECT_TRUE(refuses("grid", [&] {
    return release_with_spherical_noise({1e300, 0.0}, noise, grid, source);
  }));
  EXPECT_THROW(draw_spherical_noise(noise, 0x1p-80, source), Error);
}

TEST(SphericalSampler, SensitivityGrowsByTheRounding) {
  EXPECT_GE(sensitivity_on_grid(1.0, 9.0, 0x1p-10), 1.0 + 3.0 * 0x1p-10);
  EXPECT_NEAR(sensitivity_on_grid(1.0, 9.0, 0x1p-10), 1.0 + 3.0 * 0x1p-10, 1e-15);
}

}  // namespace
}  // namespace modicum::testing::spherical_sampler_test
