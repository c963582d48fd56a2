#include "privacy/spherical/loss_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "support/seeded_random.h"

namespace modicum::testing::loss_cells_test {
namespace {

std::complex<double> transform(const std::vector<double>& losses,
                               const std::vector<double>& log_weights, std::complex<double> z) {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) sum += std::exp(log_weights[i] + z * losses[i]);
  return sum;
}

// Fewer nodes, the same transform up to the height.
TEST(LossCells, KeepTheTransform) {
  SeededRandom random(21);
  WeightedLosses rule;
  for (int i = 0; i < 20000; ++i) {
    rule.losses.push_back(0.3 * random.normal());
    rule.log_weights.push_back(std::log(random.unit() / 10000.0));
  }
  for (const double center : {-0.4, 0.0, 3.0})
    for (const double height : {0.0, 5.0, 40.0}) {
      const LossNodes few = gathered(rule, center, height);
      EXPECT_LT(few.losses.size(), 2000U);
      for (const double share : {0.0, 0.3, 1.0}) {
        const std::complex<double> z{center, share * height};
        const auto exact = transform(rule.losses, rule.log_weights, z);
        const double size = std::abs(transform(rule.losses, rule.log_weights, {center, 0.0}));
        EXPECT_LT(std::abs(transform(few.losses, few.log_weights, z) - exact), 1e-12 * size)
            << center << ' ' << height << ' ' << share;
      }
    }
}

TEST(LossCells, FewLossesStayAsTheyAre) {
  const WeightedLosses rule{{-1.0, 0.5, 2.0}, {-1.0, -1.5, -2.0}};
  EXPECT_EQ(gathered(rule, 1.0, 3.0).losses, rule.losses);
  EXPECT_EQ(gathered({{1.0, 1.0}, {-1.0, -1.0}}, 1.0, 3.0).losses.size(), 2U);
}

// Layers are disjoint parts of a probability law, as wide as it is.
TEST(LossCells, LayersOfANormalLaw) {
  SeededRandom random(22);
  WeightedLosses rule;
  for (int i = 0; i < 50000; ++i) {
    rule.losses.push_back(random.normal());
    rule.log_weights.push_back(-std::log(50000.0));
  }
  double mass = 0.0, widest = 0.0;
  for (const UniformPart& part : layers_of(rule, 0.0)) {
    mass += part.mass;
    widest = std::max(widest, part.width);
  }
  EXPECT_GT(mass, 0.6);
  EXPECT_LT(mass, 0.96);
  EXPECT_GT(widest, 3.0);
}

}  // namespace
}  // namespace modicum::testing::loss_cells_test
