// Adaptive quadrature against integrals in closed form, its error estimate included.
#include "numerics/adaptive_quadrature.h"

#include <gtest/gtest.h>

#include <cmath>

namespace modicum::testing::adaptive_quadrature_test {
namespace {

QuadratureEstimate integral(double (*f)(double), const std::vector<double>& breakpoints) {
  return integrate_adaptively(
      [&](double x) {
        return Sample{f(x), 0.0};
      },
      [](double, double) { return HUGE_VAL; }, breakpoints);
}

void expect_near(const QuadratureEstimate& found, double truth) {
  EXPECT_LE(std::abs(found.value - truth), found.error + 4e-16 * truth);
  EXPECT_LT(found.error, 1e-13 * truth);
}

TEST(AdaptiveQuadrature, IntegratesSmoothFunctions) {
  expect_near(integral([](double x) { return std::exp(x); }, {0.0, 1.0}), std::expm1(1.0));
  expect_near(integral([](double x) { return std::exp(-x * x); }, {-9.0, 0.0, 9.0}),
              std::sqrt(M_PI));
}

TEST(AdaptiveQuadrature, TakesSquareRootsAtBreakpoints) {
  expect_near(integral([](double x) { return std::sqrt(x * (1.0 - x)); }, {0.0, 1.0}), M_PI / 8.0);
}

TEST(AdaptiveQuadrature, FindsASharpStep) {
  expect_near(
      integral([](double x) { return 1.0 / (1.0 + std::exp(1e4 * (x - 0.3))); }, {0.0, 1.0}), 0.3);
}

TEST(AdaptiveQuadrature, CountsWhatItLeavesOut) {
  const auto found = integrate_adaptively(
      [](double x) {
        return Sample{x < 1.0 ? 1.0 : 1e-30, 0.0};
      },
      [](double low, double) { return low < 1.0 ? 1.0 : 1e-30; }, {0.0, 1.0, 3.0});
  EXPECT_EQ(found.panels.size(), 1u);
  EXPECT_NEAR(found.value, 1.0, 1e-15);
}

}  // namespace
}  // namespace modicum::testing::adaptive_quadrature_test
