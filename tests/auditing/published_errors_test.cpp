// Errors of the papers that are no claim of `audit claim`, each by the number that shows it
// (docs/errata.md). The others are in claims_test.cpp, tests/privacy/errata_test.cpp and
// tests/documentation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/random_projection.h"
#include "modicum/numerics/bracketing.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "numerics/dense.h"
#include "support/seeded_random.h"

namespace modicum::testing {
namespace {

// 4. The published Delta of Bayesian logistic regression depends on n: neighbors differ in it.
TEST(PublishedErrors, TheLiftedNoiseTellsTheNumberOfRecords) {
  const auto delta = [](double n) { return 1.0 / std::sqrt(0.1 + 1.0 / (1.0 + n / 4.0)); };
  EXPECT_NEAR(delta(10.0), 1.610, 5e-4);
  EXPECT_NEAR(delta(11.0), 1.651, 5e-4);
}

// 7. The ridge of the published tables from the paper's own formula, sigma/l = 1/sqrt(p*).
TEST(PublishedErrors, TheTablesOfRidgesFollowFromTheFormula) {
  const auto ridge = [](double columns, double delta) {
    const auto excess = [&](double inverse) {
      return profile(random_projection(columns, 1.0 / inverse), 1.0, Accuracy::fast)
                 .delta()
                 .upper() -
             delta;
    };
    return std::sqrt(narrow_bracket(excess, {1.0001, 1e6}, 1e-10).high);
  };
  EXPECT_NEAR(ridge(300.0, 1.0 / 2809.0), 6.1855, 1e-4);
  EXPECT_NEAR(ridge(1270.0, 1.0 / 327346.0), 10.3163, 1e-4);
  // p* < 1, so that no noise can be below the row norm, as the entry 0.224 is for rows of norm 1.
  EXPECT_GT(ridge(1.0, 0.5), 1.0);
}

// 8. tau = 12 as the 1 - 4e-6 quantile at d = 50, by sampling: nearly every largest eigenvalue of
// (Z
// + Z^T)/sqrt 2 exceeds it. P[lambda_1 <= 12] = 0.009, so that 10 of 100 would be seen once in 2e7
// runs. The probability itself is in tests/auditing/claims_test.cpp.
TEST(PublishedErrors, TheEigenvalueQuantileIsInAnotherNormalization) {
  SeededRandom random(812);
  int below = 0;
  for (int run = 0; run < 100; ++run) {
    const Eigen::MatrixXd z = Eigen::MatrixXd::NullaryExpr(50, 50, [&] { return random.normal(); });
    const Eigen::MatrixXd goe = (z + z.transpose()) / std::sqrt(2.0);
    if (symmetric_eigen(goe).values.maxCoeff() <= 12.0) ++below;
  }
  EXPECT_LT(below, 10);
}

// 8. The margin inside the absolute value: |x| <= |x + s N + s q| is no 90 % bound for x < 0.
// For x = -s it holds when N <= -q or N >= 2 - q, q = 1.645: 41 %.
TEST(PublishedErrors, AMarginInsideTheAbsoluteValueDoesNotCover) {
  const auto above = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  const double quantile = 1.6448536269514722;
  EXPECT_NEAR(above(quantile) + above(2.0 - quantile), 0.411, 1e-3);
}

// 9. H' is negative, so that the plateau ends at H - Delta H' > H, and below it the published
// weight of the worst neighbor is no weight: min(1, t) keeps a negative t.
TEST(PublishedErrors, TheWorstNeighborNeedsTwoCases) {
  const double values[] = {1.0, 0.5, 0.2, 0.1};  // of the covariance, p = 4, k = 1
  double h = 0.0, slope = 0.0;
  for (int i = 1; i < 4; ++i) {
    h += 0.25 / (values[0] - values[i]);
    slope -= 0.25 / ((values[0] - values[i]) * (values[0] - values[i]));
  }
  const double gap = values[0] - values[1], beta = h - 0.25 * gap * slope;
  EXPECT_GT(h - gap * slope, h);
  const double published = std::min(1.0, (beta - h) / (2.0 * (beta - h) + gap * slope));
  EXPECT_LT(published, 0.0);
}

// 10. Gaussian-process regression at ten equal query points, l = 1, sigma_n = 0.1, lifted by sigma
// = 1: with l^2 in place of the largest eigenvalue kappa = 10 of their prior covariance,
// Proposition 8 allows tau = 1.98, and the true pair has 10.01.
TEST(PublishedErrors, SeveralQueryPointsNeedTheirLargestEigenvalue) {
  const auto claimed = [](double kappa) { return kappa / (kappa * 0.01 + 1.01); };
  const Eigen::MatrixXd prior = Eigen::MatrixXd::Ones(10, 10);
  const Eigen::MatrixXd lift = Eigen::MatrixXd::Identity(10, 10);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(10);
  const auto spectrum =
      reduce_pair({none, prior + lift}, {none, prior * (0.01 / 1.01) + lift}, Accuracy::certified);
  ASSERT_TRUE(spectrum.has_value());
  double largest = 0.0;
  for (const SpectrumComponent& component : spectrum->components())
    largest = std::max(largest, component.excess.high);
  EXPECT_GT(largest, 9.0 * claimed(1.0));
  EXPECT_NEAR(largest, claimed(10.0), 1e-9);
}

// 11. Algorithm 2 starts at r_L = 0. For alpha < T - 1 the noise has density |x|^(alpha - T + 1)
// exp(-beta |x|^p), with a pole at 0: the loss on the first bin has no bound.
TEST(PublishedErrors, TheFirstRadialBinHasNoFiniteBound) {
  const double dimension = 3.0, alpha = 1.0, shift = 1.0;
  const auto log_density = [&](double r) { return (alpha - dimension + 1.0) * std::log(r) - r; };
  const auto largest_loss = [&](double r) { return log_density(r) - log_density(shift + r); };
  EXPECT_GT(largest_loss(1e-300), 690.0);
  EXPECT_NEAR(largest_loss(1e-200) - largest_loss(1e-100), 100.0 * std::log(10.0), 1e-9);
}

}  // namespace
}  // namespace modicum::testing
