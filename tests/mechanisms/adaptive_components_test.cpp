#include "modicum/mechanisms/adaptive_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing {
namespace {

ComponentSpectrum problem(double dimension = 200.0) {
  std::vector<double> values;
  for (int i = 0; i < static_cast<int>(dimension); ++i) values.push_back(0.5 * i / dimension);
  values[0] = 4.0, values[1] = 2.5;
  return {values, std::floor(3.0 * std::pow(dimension, 1.5)), 2.0};
}

// The statistics with the eigenvalue lambda_k moved by p/n, what a row sqrt(p) u_k does to it,
// differ by eta/sqrt 6, eta/sqrt 3, eta/sqrt 3 deviations, up to p/n.
TEST(AdaptiveStatistics, MoveByTheirShareOfTheBudget) {
  for (const double p : {200.0, 2000.0}) {
    const ComponentSpectrum before = problem(p);
    std::vector<double> values = before.eigenvalues();
    const double step = static_cast<double>(values.size()) / before.rows();
    values[1] += step;
    const ComponentSpectrum after(values, before.rows(), 2.0);
    const AdaptiveStatistics a = adaptive_statistics(before, 0.3),
                             b = adaptive_statistics(after, 0.3);
    const double slack = 4.0 * step;
    EXPECT_NEAR((b.gap - a.gap) / a.gap_deviation, 0.3 / std::sqrt(6.0), slack);
    EXPECT_NEAR((a.transform - b.transform) / a.transform_deviation, 0.3 / std::sqrt(3.0), slack);
    EXPECT_NEAR((a.least - b.least) / a.least_deviation, 0.3 / std::sqrt(3.0), slack);
  }
}

TEST(AdaptiveStatistics, AreThoseOfTheFormulas) {
  const ComponentSpectrum spectrum = problem();
  const double n = spectrum.rows(), p = 200.0, eta = 0.25;
  const AdaptiveStatistics found = adaptive_statistics(spectrum, eta);
  EXPECT_DOUBLE_EQ(found.gap, n * n * spectrum.gap() / std::pow(p, 3));
  EXPECT_DOUBLE_EQ(found.least, std::pow(privacy_plateau(spectrum)->mu, 2));
  EXPECT_DOUBLE_EQ(found.gap_deviation * std::sqrt(p),
                   std::sqrt(6.0) * n / (eta * std::pow(p, 1.5)));
  EXPECT_DOUBLE_EQ(found.transform_deviation * std::sqrt(p),
                   -std::sqrt(3.0) * std::pow(p, 1.5) * spectrum.slope() / (eta * n));
  EXPECT_DOUBLE_EQ(
      found.least_deviation * std::sqrt(p),
      std::sqrt(3.0) * std::pow(p, 4.5) * spectrum.curvature() / (2.0 * eta * n * n * n));
}

// The mean of 2000 draws is within 6 standard errors, and a bias of the overestimate, of what the
// eigenvalues themselves would give (a false alarm has probability 2e-9).
TEST(DrawAdaptiveBeta, IsNearTheOneOfTheEigenvalues) {
  SeededSource source(1);
  const ComponentSpectrum spectrum = problem(2000.0);
  const AdaptiveBudget budget(0.5, 1.0);
  EXPECT_DOUBLE_EQ(budget.total_mu(), std::sqrt(1.25));
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const std::optional<double> beta = draw_adaptive_beta(spectrum, budget, source);
    ASSERT_TRUE(beta.has_value());
    sum += *beta, squares += *beta * *beta;
  }
  const double mean = sum / 2000.0, error = std::sqrt((squares / 2000.0 - mean * mean) / 2000.0);
  const AdaptiveStatistics s = adaptive_statistics(spectrum, 0.5);
  const double shifted =
      2.0 * s.gap * (1.0 + std::sqrt(1.0 - s.least - 3.0 * s.least_deviation)) + s.transform;
  EXPECT_NEAR(mean, shifted, 6.0 * error + 1e-3 * shifted);
  EXPECT_LT(mean, largest_beta(spectrum, 1.0) + 6.0 * error);
  EXPECT_NEAR(mean, largest_beta(spectrum, 1.0), 0.05 * mean);
}

// Below the plateau by ten deviations and more, a draw is given with probability below 1e-20.
TEST(DrawAdaptiveBeta, GivesNoneBelowThePlateau) {
  SeededSource source(2);
  const ComponentSpectrum spectrum = problem(2000.0);
  const double mu = 0.5 * privacy_plateau(spectrum)->mu;
  ASSERT_GT(adaptive_statistics(spectrum, 0.5).least - mu * mu,
            7.0 * adaptive_statistics(spectrum, 0.5).least_deviation);
  for (int i = 0; i < 200; ++i)
    EXPECT_FALSE(draw_adaptive_beta(spectrum, {0.5, mu}, source).has_value());
  const ComponentSpectrum tied({1.0, 0.5, 0.5, 0.1}, 16.0, 2.0);
  EXPECT_FALSE(draw_adaptive_beta(tied, {0.5, 1.0}, source).has_value());
}

// A gap whose inverse cube is beyond doubles: infinite noise must not make a beta.
TEST(DrawAdaptiveBeta, GivesNoneWhereTheStatisticsOverflow) {
  SeededSource source(3);
  for (const double gap : {1e-60, 1e-120, 1e-200, 5e-324}) {
    const ComponentSpectrum spectrum({gap, 0.0, 0.0}, 16.0, 1.0);
    for (int i = 0; i < 2000; ++i) {
      const std::optional<double> beta = draw_adaptive_beta(spectrum, {0.5, 1.0}, source);
      EXPECT_TRUE(!beta || std::isfinite(*beta)) << gap;
    }
  }
}

TEST(AdaptiveBudget, RefusesWhatIsNoBudget) {
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("calibration_mu", [=] { return AdaptiveBudget(bad, 1.0).total_mu(); }));
    EXPECT_TRUE(refuses("components_mu", [=] { return AdaptiveBudget(1.0, bad).total_mu(); }));
  }
  const ComponentSpectrum whole({1.0, 0.5}, 16.0, 2.0);
  EXPECT_TRUE(refuses("components", [&] { return adaptive_statistics(whole, 1.0).gap; }));
}

}  // namespace
}  // namespace modicum::testing
