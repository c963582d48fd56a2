// What is expected of components about private means is what comes out. Seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/release/centered_components.h"
#include "release/look/look_budget.h"
#include "release/memory_table.h"
#include "release/small_tables.h"
#include "support/seeded_source.h"

namespace modicum::testing::component_outlook_test {
namespace {

TEST(ComponentOutlook, IsWhatReleasesDo) {
  SeededRandom random(5);
  constexpr Eigen::Index p = 12;
  constexpr long n = 3000;
  const PrivacyTarget target(1.0, 1e-6);
  std::vector<double> eigenvalues(p, 0.05);
  eigenvalues[0] = 1.0;
  eigenvalues[1] = 0.6;
  Eigen::MatrixXd values = random_rows(random, n, p, 1.0);
  for (Eigen::Index i = 0; i < p; ++i)
    values.col(i) *= std::sqrt(eigenvalues[static_cast<std::size_t>(i)]);
  values.rowwise() += Eigen::RowVectorXd::Constant(p, 3.0);
  const MemoryTable table(values);
  const RowRule rule = table.ranged(-10.0, 10.0, false);
  const PublicRows rows(rule, rule.natural_norm_bound(), BadRows::refused);
  const CenteredPlan plan = plan_centered_components(target, rows, 2.0);
  double error = 0.0, captured = 0.0;
  constexpr int runs = 20;
  SeededSource source(6);
  for (int run = 0; run < runs; ++run) {
    const auto begin = [] { return ReadOptions{}; };
    const Released found = release_centered_components(plan, table.table(), rule, begin, source);
    const Diagnostics told = diagnose_centered_components(plan, found, table.table(), rule, {});
    error += told[1].value / runs;
    captured += told[2].value / runs;
  }
  const ComponentOutlook outlook = centered_outlook(LookBudget(target).mu(), n, eigenvalues, 2.0);
  // The errors of 20 runs vary by a tenth of their mean; radius and clipping are a model.
  EXPECT_GT(outlook.frobenius_error, 0.5 * error);
  EXPECT_LT(outlook.frobenius_error, 2.0 * error);
  EXPECT_NEAR(1.0 - outlook.captured, 1.0 - captured, 0.6 * (1.0 - captured));
}

TEST(ComponentOutlook, FromNothingToAll) {
  const std::vector<double> eigenvalues{1.0, 0.5, 0.1, 0.1, 0.1};
  double before = 4.0;
  for (const double rows : {1.0, 1e2, 1e3, 1e4, 1e6}) {
    const ComponentOutlook at = centered_outlook(0.2, rows, eigenvalues, 2.0);
    EXPECT_LE(at.frobenius_error, before);
    EXPECT_GE(at.captured, 0.0);
    EXPECT_LE(at.captured, 1.0 + 1e-12);
    before = at.frobenius_error;
  }
  EXPECT_LT(before, 1e-4);
  EXPECT_EQ(centered_outlook(0.2, 1.0, eigenvalues, 2.0).overlaps, (std::vector<double>{0.0, 0.0}));
  // In any unit; all components are found whole; equal variances are not told apart.
  EXPECT_NEAR(centered_outlook(1.0, 1e3, {1e6, 5e5, 1e5}, 1.0).frobenius_error,
              centered_outlook(1.0, 1e3, {1.0, 0.5, 0.1}, 1.0).frobenius_error, 1e-9);
  EXPECT_EQ(centered_outlook(1.0, 10.0, {1.0, 0.5}, 2.0).frobenius_error, 0.0);
  EXPECT_EQ(centered_outlook(1.0, 1e9, {1.0, 1.0}, 1.0).overlaps[0], 0.0);
  EXPECT_EQ(centered_outlook(1.0, 10.0, {0.0, 0.0}, 1.0).captured, 1.0);
  for (const auto& [mu, rows, values, count] : {std::tuple{0.0, 10.0, eigenvalues, 1.0},
                                                {1.0, NAN, eigenvalues, 1.0},
                                                {1.0, 10.0, eigenvalues, 6.0},
                                                {1.0, 10.0, {0.5, 1.0}, 1.0},
                                                {1.0, 10.0, {1.0, NAN}, 1.0}})
    EXPECT_THROW(centered_outlook(mu, rows, values, count), InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::component_outlook_test
