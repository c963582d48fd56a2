// Components about private means. Seeds are fixed.
#include "modicum/release/centered_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/release/component_release.h"
#include "modicum/release/description.h"
#include "release/memory_table.h"
#include "release/small_tables.h"
#include "support/seeded_source.h"

namespace modicum::testing::centered_components_test {
namespace {

ReadOptions usual() { return {}; }

struct Made {
  explicit Made(const Eigen::MatrixXd& values, double range)
      : table(values),
        rule(table.ranged(-range, range, false)),
        rows(rule, rule.natural_norm_bound(), BadRows::refused) {}
  Released components(const PrivacyTarget& target, double count, std::uint64_t seed,
                      const std::optional<std::vector<double>>& centers = {}) const {
    SeededSource source(seed);
    return release_centered_components(plan_centered_components(target, rows, count, centers),
                                       table.table(), rule, usual, source);
  }
  MemoryTable table;
  RowRule rule;
  PublicRows rows;
};

std::vector<double> list_of(const Released& released, const char* name) {
  return std::get<std::vector<double>>(*released.certificate.find(name));
}

// Far from the origin, one direction of variance 4, the others of 1/4.
Eigen::MatrixXd cigar(SeededRandom& random, long count) {
  Eigen::MatrixXd rows = random_rows(random, count, 4, 0.5);
  rows.col(2) *= 4.0;
  rows.rowwise() += Eigen::RowVector4d(20.0, -10.0, 5.0, 30.0);
  return rows;
}

TEST(CenteredComponents, FindWhatVariesNotWhereRowsAre) {
  SeededRandom random(1);
  const Made made(cigar(random, 4000), 50.0);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Released found = made.components({1.0, 1e-6}, 1.0, seed);
    EXPECT_GT(found.values(2, 0), 0.98);
    const std::vector<double> mean = list_of(found, "mean");
    EXPECT_NEAR(mean[0], 20.0, 0.5);
    EXPECT_NEAR(mean[3], 30.0, 0.5);
    // In coordinates, of 50 to 1.
    EXPECT_NEAR(list_of(found, "explained_variance")[0] * 2500.0, 4.0, 1.5);
    EXPECT_NEAR(list_of(found, "explained_variance_ratio")[0], 4.0 / 4.75, 0.15);
    // Five standard errors, and what clipping takes of the longest rows.
    const double error = list_of(found, "explained_variance_error")[0] * 2500.0;
    EXPECT_GT(error, 3.0 * std::sqrt(2.0 / 4000.0));
    EXPECT_NEAR(list_of(found, "explained_variance")[0] * 2500.0, 4.0, 5.0 * error + 0.4);
  }
}

TEST(CenteredComponents, AboutGivenCenters) {
  SeededRandom random(2);
  const Made made(cigar(random, 4000), 50.0);
  const std::vector<double> centers{20.0, -10.0, 5.0, 30.0};
  const Released near = made.components({1.0, 1e-6}, 1.0, 1, centers);
  EXPECT_GT(near.values(2, 0), 0.98);
  EXPECT_EQ(list_of(near, "mean"), centers);
  // About another point, most is how far that is: along (1, 0, 0, 0) here.
  const Released far = made.components({1.0, 1e-6}, 1.0, 1, {{0.0, -10.0, 5.0, 30.0}});
  EXPECT_GT(far.values(0, 0), 0.98);
  EXPECT_THROW(made.components({1.0, 1e-6}, 1.0, 1, {{1.0}}), InvalidParameter);
  EXPECT_THROW(made.components({1.0, 1e-6}, 1.0, 1, {{NAN, 0.0, 0.0, 0.0}}), InvalidParameter);
}

TEST(CenteredComponents, TheLossGivesBackTheTarget) {
  const Made made(Eigen::MatrixXd::Zero(1, 3), 1.0);
  for (const CenteredPlan& plan :
       {plan_centered_components({0.7, 1e-7}, made.rows, 2.0),
        plan_centered_covariance({0.7, 1e-7}, made.rows), plan_scales({0.7, 1e-7}, made.rows)}) {
    const PrivacyLoss loss = describe(plan.certificate.loss, Accuracy::certified).loss;
    EXPECT_LE(profile(loss, 0.7, Accuracy::certified).delta().upper(), 1e-7);
    EXPECT_NEAR(epsilon_at(loss, 1e-7, Accuracy::certified).value.upper(), 0.7, 0.7e-6);
    EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
  }
  EXPECT_THROW(plan_centered_components({1.0, 0.0}, made.rows, 1.0), CalibrationFailed);
  EXPECT_THROW(plan_centered_components({1.0, 1e-6}, made.rows, 4.0), InvalidParameter);
}

TEST(CenteredComponents, AnyTableHasAnAnswer) {
  for (const Eigen::MatrixXd& rows :
       {Eigen::MatrixXd(Eigen::MatrixXd::Zero(0, 3)), Eigen::MatrixXd(Eigen::MatrixXd::Zero(2, 3)),
        Eigen::MatrixXd(Eigen::MatrixXd::Constant(2000, 3, 1.7e308))})
    for (const double epsilon : {0.01, 1e3}) {
      const Made made(rows, 1.0);
      const Released found = made.components({epsilon, 1e-6}, 2.0, 1);
      EXPECT_TRUE(found.values.allFinite());
      EXPECT_NEAR(found.values.col(0).norm(), 1.0, 1e-9);
    }
}

TEST(ReleaseScales, MeansAndDeviationsInUnitsOfTheFile) {
  SeededRandom random(3);
  const Made made(cigar(random, 4000), 100.0);
  SeededSource source(1);
  const Released found = release_scales(plan_scales({2.0, 1e-6}, made.rows), made.table.table(),
                                        made.rule, usual, source);
  EXPECT_EQ(found.column_names, (std::vector<std::string>{"mean", "standard_deviation"}));
  EXPECT_NEAR(found.values(0, 0), 20.0, 0.5);
  EXPECT_NEAR(found.values(2, 1), 2.0, 0.4);
  EXPECT_TRUE((found.values.col(1).array() > 0.0).all());
}

// What is confidential is about the same mean: exact without noise to speak of.
TEST(CenteredComponents, ErrorsAreAboutTheMean) {
  SeededRandom random(4);
  const Made made(cigar(random, 3000), 50.0);
  const CenteredPlan plan = plan_centered_components({1e4, 1e-6}, made.rows, 1.0);
  SeededSource source(1);
  const Released found =
      release_centered_components(plan, made.table.table(), made.rule, usual, source);
  const Diagnostics errors =
      diagnose_centered_components(plan, found, made.table.table(), made.rule, {});
  EXPECT_EQ(errors[0].name, "spectral_error");
  EXPECT_LT(errors[0].value, 1e-3);
  EXPECT_GT(errors[2].value, 0.999);
}

TEST(CenteredCovariance, IsInTheUnitsOfTheFile) {
  SeededRandom random(7);
  const Eigen::MatrixXd values = cigar(random, 4000);
  const Made made(values, 50.0);
  const Eigen::MatrixXd about = values.rowwise() - values.colwise().mean();
  const Eigen::MatrixXd truth = about.transpose() * about / 4000.0;
  const CenteredPlan plan = plan_centered_covariance({1.0, 1e-6}, made.rows);
  SeededSource source(1);
  const Released found =
      release_centered_covariance(plan, made.table.table(), made.rule, usual, source);
  EXPECT_EQ(found.row_names, found.column_names);
  EXPECT_EQ(found.values, found.values.transpose());
  // Six standard deviations of the noise, and what clipping takes of the longest rows.
  const double noise = std::get<double>(*found.certificate.find("covariance_noise")) * 2500.0;
  EXPECT_LT((found.values - truth).cwiseAbs().maxCoeff(), 6.0 * std::sqrt(2.0) * noise + 0.4);
  EXPECT_LT(noise, 0.2);  // second moments about the middle of the ranges would have 5
  EXPECT_NEAR(list_of(found, "mean")[3], 30.0, 0.5);
  const Diagnostics told =
      diagnose_centered_covariance(plan, found, made.table.table(), made.rule, {});
  EXPECT_NEAR(told[0].value, (found.values - truth).norm() / truth.norm(), 1e-3);
  // About centers that are given nothing is spent on means.
  const Released given = release_centered_covariance(
      plan_centered_covariance({1.0, 1e-6}, made.rows, {{20.0, -10.0, 5.0, 30.0}}),
      made.table.table(), made.rule, usual, source);
  EXPECT_NEAR(given.values(2, 2), 4.0, 1.0);
  EXPECT_THROW(plan_centered_covariance({1.0, 1e-6}, made.rows, {{1.0}}), InvalidParameter);
  EXPECT_THROW(plan_centered_covariance({1.0, 0.0}, made.rows), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::centered_components_test
