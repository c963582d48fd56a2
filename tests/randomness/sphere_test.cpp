// The seeds are fixed; over all seeds, each comparison fails a true law with probability 1e-9.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::sphere_test {
namespace {

TEST(UniformOnSphere, HasLengthOne) {
  SeededSource source(31);
  for (const Eigen::Index dimension : {1, 2, 7, 1000})
    for (int i = 0; i < 50; ++i) {
      const Eigen::VectorXd point = uniform_on_sphere(dimension, source);
      ASSERT_EQ(point.size(), dimension);
      EXPECT_NEAR(point.norm(), 1.0, 1e-15 * std::sqrt(static_cast<double>(dimension)));
    }
}

TEST(UniformOnSphere, OfDimensionOneIsASign) {
  SeededSource source(32);
  double positive = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double x = uniform_on_sphere(1, source)(0);
    ASSERT_EQ(std::abs(x), 1.0);
    if (x > 0.0) ++positive;
  }
  EXPECT_GT(pearson_probability({{0.5, positive}, {0.5, 100000.0 - positive}}), 1e-9);
}

// Any coordinate, and the projection on any direction: x^2 has the law Beta(1/2, (d - 1)/2), and x
// has either sign.
TEST(UniformOnSphere, HasTheRightCoordinates) {
  SeededSource source(33);
  const int count = 100000;
  for (const Eigen::Index dimension : {2, 3, 12}) {
    const Eigen::VectorXd oblique = Eigen::VectorXd::LinSpaced(dimension, 1.0, 2.0).normalized();
    std::vector<double> first, last, projections;
    for (int i = 0; i < count; ++i) {
      const Eigen::VectorXd point = uniform_on_sphere(dimension, source);
      first.push_back(point(0));
      last.push_back(point(dimension - 1));
      projections.push_back(point.dot(oblique));
    }
    const double other = static_cast<double>(dimension - 1) / 2.0;
    const auto law = [other](double x) {
      const double inside = beta_below(0.5, other, std::min(x * x, 1.0));
      return x < 0.0 ? 0.5 - 0.5 * inside : 0.5 + 0.5 * inside;
    };
    for (const auto& draws : {first, last, projections})
      EXPECT_LT(deviation_found(draws, law), deviation_allowed(count)) << dimension;
  }
}

// In the plane the angle is uniform.
TEST(UniformOnSphere, HasAUniformAngle) {
  SeededSource source(34);
  std::vector<double> turns;
  for (int i = 0; i < 200000; ++i) {
    const Eigen::VectorXd point = uniform_on_sphere(2, source);
    turns.push_back(std::atan2(point(1), point(0)) / (2.0 * M_PI) + 0.5);
  }
  EXPECT_LT(largest_deviation(turns, [](double x) { return x; }), deviation_allowed(2e5));
}

TEST(UniformOnSphere, RefusesDimensionsBelowOne) {
  SeededSource source(35);
  for (const Eigen::Index bad : {0, -1})
    EXPECT_TRUE(refuses("dimension", [&] { return uniform_on_sphere(bad, source); }));
}

}  // namespace
}  // namespace modicum::testing::sphere_test
