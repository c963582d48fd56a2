// Regression that looks first. Seeds are fixed; where a test could fail by chance, how likely that
// would be is said.
#include "modicum/release/preconditioned_regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/release/description.h"
#include "release/memory_table.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::preconditioned_regression_test {
namespace {

ReadOptions one_thread() {
  ReadOptions options;
  options.threads = 1;
  return options;
}

struct Fit {
  Released released;
  double at(const std::string& name, Eigen::Index column = 0) const {
    for (std::size_t i = 0; i < released.row_names.size(); ++i)
      if (released.row_names[i] == name)
        return released.values(static_cast<Eigen::Index>(i), column);
    throw Error("no such row");
  }
};

Fit fitted(const MemoryTable& table, const RowRule& rule, double bound, const PrivacyTarget& target,
           std::uint64_t seed) {
  SeededSource source(seed);
  const PreconditionedPlan plan =
      plan_preconditioned(target, PublicRows(rule, bound, BadRows::refused));
  return {release_preconditioned(plan, table.table(), rule, one_thread, source)};
}

Fit fitted(const Eigen::MatrixXd& rows, double range, const PrivacyTarget& target,
           std::uint64_t seed) {
  const MemoryTable table(rows);
  const RowRule rule = table.ranged(-range, range);
  return fitted(table, rule, rule.natural_norm_bound(), target, seed);
}

// y = 2 + 3 x0 - x1 + noise; x1 nearly follows x0, and both lie far from 0.
Eigen::MatrixXd line(SeededRandom& random, long rows) {
  Eigen::MatrixXd result = random_rows(random, rows, 3, 1.0);
  result.col(0).array() += 4.0;
  result.col(1) = result.col(0) + 0.2 * result.col(1);
  result.col(2) =
      (2.0 + 3.0 * result.col(0).array() - result.col(1).array() + 0.5 * result.col(2).array())
          .matrix();
  return result;
}

double mean_square_error(const Eigen::MatrixXd& rows, const Fit& fit) {
  return (rows.col(2).array() - fit.at("intercept") - fit.at("x0") * rows.col(0).array() -
          fit.at("x1") * rows.col(1).array())
      .square()
      .mean();
}

TEST(PreconditionedRegression, FindsTheLine) {
  SeededRandom random(1);
  const Eigen::MatrixXd rows = line(random, 4000);
  const Fit fit = fitted(rows, 100.0, {100.0, 1e-6}, 5);
  EXPECT_NEAR(fit.at("x0"), 3.0, 0.2);
  EXPECT_NEAR(fit.at("x1"), -1.0, 0.2);
  EXPECT_LT(mean_square_error(rows, fit), 0.25 * 1.05);
  EXPECT_FALSE(fell_back(fit.released));
}

// Ranges a hundred times too wide: at epsilon 1 noise on plain moments drowns all of it (standard
// deviation of some 4 ranges squared over 4000 rows, against variances of 1e-4).
TEST(PreconditionedRegression, WideRangesHardlyMatter) {
  SeededRandom random(2);
  const Eigen::MatrixXd rows = line(random, 4000);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5})
    EXPECT_LT(mean_square_error(rows, fitted(rows, 100.0, {1.0, 1e-6}, seed)), 0.25 * 1.6);
}

TEST(PreconditionedRegression, FewRowsGiveTheMean) {
  SeededRandom random(3);
  const Eigen::MatrixXd rows = line(random, 300);
  const Fit fit = fitted(rows, 20.0, {0.3, 1e-6}, 1);
  ASSERT_TRUE(fell_back(fit.released));
  EXPECT_EQ(fit.at("x0"), 0.0);
  EXPECT_TRUE(std::isnan(fit.at("x0", 2)));
  EXPECT_TRUE(fit.released.has_gaps);
  EXPECT_NEAR(fit.at("intercept"), rows.col(2).mean(), 5.0 * fit.at("intercept", 2));
}

// Twenty features, all alike useful: too many for second moments, few enough for descent.
TEST(PreconditionedRegression, DescentFindsMoreThanTheMean) {
  SeededRandom random(12);
  constexpr Eigen::Index d = 20;
  Eigen::MatrixXd rows = random_rows(random, 4000, d + 1, 1.0);
  rows.col(d) = rows.leftCols(d).rowwise().sum() / std::sqrt(20.0) + 0.5 * rows.col(d);
  const MemoryTable table(rows);
  const RowRule rule = table.ranged(-8.0, 8.0, true);
  double ratio = 0.0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Fit fit = fitted(table, rule, rule.natural_norm_bound(), {0.1, 1e-6}, seed);
    ASSERT_TRUE(descended(fit.released));
    EXPECT_FALSE(fell_back(fit.released));
    EXPECT_TRUE(std::isnan(fit.at("x0", 2)));
    Eigen::VectorXd left = rows.col(d).array() - fit.at("intercept");
    for (Eigen::Index j = 0; j < d; ++j) left -= fit.at("x" + std::to_string(j)) * rows.col(j);
    ratio += left.squaredNorm() / rows.col(d).squaredNorm() / 3.0;
  }
  // The variance is 1.25, of which 0.25 is noise; the mean leaves all of it.
  EXPECT_LT(ratio, 0.65);
}

// Never far worse than the constant, whatever the number of rows: features that tell nothing.
TEST(PreconditionedRegression, UselessFeaturesCostLittle) {
  SeededRandom random(4);
  for (const long count : {400, 1000, 3000, 10000}) {
    const Eigen::MatrixXd rows = random_rows(random, count, 9, 1.0);
    const MemoryTable table(rows);
    const RowRule rule = table.ranged(-10.0, 10.0);
    std::vector<double> ratios;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const Fit fit = fitted(table, rule, rule.natural_norm_bound(), {1.0, 1e-6}, seed);
      Eigen::ArrayXd left = rows.col(8).array() - fit.at("intercept");
      for (Eigen::Index j = 0; j < 8; ++j)
        left -= fit.at("x" + std::to_string(j)) * rows.col(j).array();
      ratios.push_back(std::sqrt(left.square().mean() / rows.col(8).array().square().mean()));
    }
    std::sort(ratios.begin(), ratios.end());
    EXPECT_LT(ratios[2], 1.05) << count;
  }
}

// 200 coefficients with their 95 % intervals: fewer than 170 covered would have a probability below
// 1e-6 were they exact; they are meant to be a little wide.
TEST(PreconditionedRegression, IntervalsCover) {
  SeededRandom random(5);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Fit fit = fitted(line(random, 2000), 20.0, {1.0, 1e-6}, seed);
    covered += fit.at("x0", 3) <= 3.0 && 3.0 <= fit.at("x0", 4);
    covered += fit.at("x1", 3) <= -1.0 && -1.0 <= fit.at("x1", 4);
  }
  EXPECT_GE(covered, 170);
}

TEST(PreconditionedRegression, ThroughTheOrigin) {
  SeededRandom random(6);
  Eigen::MatrixXd rows = random_rows(random, 5000, 3, 1.0);
  rows.col(2) = 2.0 * rows.col(0) - rows.col(1) + 0.1 * rows.col(2);
  const MemoryTable table(rows);
  const RowRule rule = table.rule();
  const Fit fit = fitted(table, rule, 30.0, {2.0, 1e-6}, 1);
  EXPECT_EQ(fit.released.row_names, (std::vector<std::string>{"x0", "x1"}));
  EXPECT_NEAR(fit.at("x0"), 2.0, 0.05);
  EXPECT_NEAR(fit.at("x1"), -1.0, 0.05);
}

TEST(PreconditionedRegression, TheLossGivesBackTheTarget) {
  const MemoryTable table(Eigen::MatrixXd::Zero(1, 3));
  const RowRule rule = table.rule(true);
  const PreconditionedPlan plan =
      plan_preconditioned({0.7, 1e-7}, PublicRows(rule, 3.0, BadRows::dropped));
  const PrivacyLoss loss = describe(plan.certificate.loss, Accuracy::certified).loss;
  EXPECT_LE(profile(loss, 0.7, Accuracy::certified).delta().upper(), 1e-7);
  EXPECT_NEAR(epsilon_at(loss, 1e-7, Accuracy::certified).value.upper(), 0.7, 0.7e-6);
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
  EXPECT_EQ(plan.certificate.arithmetic, Exactness::exact);
}

// Tables that leave nothing to divide by, and numbers beyond all bounds: finite answers.
TEST(PreconditionedRegression, AnyTableHasAnAnswer) {
  SeededRandom random(7);
  std::vector<Eigen::MatrixXd> tables{
      Eigen::MatrixXd::Zero(0, 3), Eigen::MatrixXd::Zero(1, 3), Eigen::MatrixXd::Zero(3000, 3),
      Eigen::MatrixXd::Constant(3000, 3, 1.7e308), Eigen::MatrixXd::Constant(3000, 3, 4.9e-324)};
  tables.push_back(random_rows(random, 3000, 3, 1e305));
  for (const Eigen::MatrixXd& rows : tables)
    for (const double epsilon : {0.1, 1e3})
      for (const double bound : {1e-20, 1.0, 1e20})
        for (const bool intercept : {false, true}) {
          const MemoryTable table(rows);
          const RowRule rule = table.rule(intercept);
          const Fit fit = fitted(table, rule, bound, {epsilon, 1e-6}, 1);
          EXPECT_TRUE(fit.released.values.leftCols(2).allFinite());
        }
}

TEST(PreconditionedRegression, RefusesWhatItCannotDo) {
  EXPECT_THROW(plan_preconditioned({1.0, 1e-6}, PublicRows({"y"}, 1.0)), InvalidParameter);
  EXPECT_THROW(plan_preconditioned({1.0, 0.0}, PublicRows({"x", "y"}, 1.0)), CalibrationFailed);
}

TEST(PreconditionedRegression, TheOutlookNeedsNoData) {
  const PrivacyTarget target(1.0, 1e-6);
  const PreconditionedOutlook many = preconditioned_outlook(target, 10.0, 1e5);
  const PreconditionedOutlook few = preconditioned_outlook(target, 10.0, 100.0);
  EXPECT_FALSE(many.falls_back || many.descends);
  EXPECT_TRUE(few.falls_back && !few.descends);
  const PreconditionedOutlook some = preconditioned_outlook(target, 90.0, 800.0);
  EXPECT_TRUE(some.descends && !some.falls_back);
  EXPECT_GT(few.error_ratio, many.error_ratio);
  EXPECT_NEAR(many.error_ratio, 1.0, 1e-3);
  EXPECT_THROW(preconditioned_outlook(target, 10.0, 0.0), InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::preconditioned_regression_test
