// Laws of released coefficients; a false alarm has probability at most 1e-9 each. And every
// neighbor of small tables, by the spectrum of the two laws.
#include "modicum/release/logistic_release.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "modicum/mechanisms/bayesian_logistic.h"
#include "modicum/privacy/gaussian_pair.h"
#include "numerics/dense.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"
#include "test_paths.h"

namespace modicum::testing::logistic_release_test {
namespace {

const PrivacyTarget target(1.0, 1e-5);
const LabelRule label{"y", 0.0};

PublicRows coordinates(long dimension, double bound) {
  std::vector<std::string> names;
  for (long i = 0; i < dimension; ++i) names.push_back("x" + std::to_string(i));
  return {names, bound};
}

LogisticRequest request_for(std::optional<double> regularization = {},
                            std::optional<double> largest_rows = {}) {
  return {label, regularization, largest_rows};
}

LogisticModel model_of(const LogisticPlan& plan, const LabeledBlock& rows) {
  LogisticModel model = fit_logistic(rows, IntegerClip(plan.rows.row_norm_bound),
                                     plan.regularization, plan.tolerance);
  model.label = plan.label;
  return model;
}

LabeledBlock random_block(SeededRandom& random, long rows, long features, double bound) {
  const Eigen::MatrixXd x = random_rows(random, rows, features, 0.7 * bound);
  const Eigen::VectorXd y = Eigen::VectorXd::NullaryExpr(
      rows, [&](Eigen::Index i) { return x(i, 0) + 0.3 * bound * random.normal() > 0 ? 1. : -1.; });
  return {clipped(x, IntegerClip(bound)), y};
}

GaussianDistribution law_of(const LogisticModel& model, double noise) {
  const Eigen::MatrixXd own = CholeskyFactor(model.precision).inverse();
  Eigen::MatrixXd covariance = 0.5 * (own + own.transpose());
  covariance.diagonal().array() += noise;
  return {model.minimizer, covariance};
}

TEST(ReleaseLogistic, IsADrawFromItsNormalLaw) {
  SeededRandom random(1);
  SeededSource source(2);
  // Little regularization and few rows, then much: either part of the covariance matters.
  for (const std::optional<double> rows : {std::optional<double>(), std::optional(300.0)}) {
    const LogisticPlan plan =
        plan_logistic(target, coordinates(3, 1.0), request_for(rows ? 60.0 : 3.0, rows));
    const LogisticModel model = model_of(plan, random_block(random, 200, 3, 1.0));
    const GaussianDistribution law = law_of(model, plan.noise_variance);
    const CholeskyFactor root(law.covariance);
    std::vector<double> entries;
    Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
    const int draws = 4000;
    for (int i = 0; i < draws; ++i) {
      const Released released = release_logistic(plan, model, source);
      const Eigen::VectorXd z = root.half_solve(released.values.col(1) - law.mean);
      products += z * z.transpose() / draws;
      entries.insert(entries.end(), z.begin(), z.end());
    }
    EXPECT_LT(largest_deviation(entries, normal_below), deviation_allowed(3.0 * draws));
    // A product of two has deviation 1; seven of them, 3 entries: below 1e-11.
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) EXPECT_LT(std::abs(products(i, j)), 7.0 / std::sqrt(draws));
  }
}

LabeledBlock with_row(const LabeledBlock& rows, const Eigen::VectorXd& x, double y, double bound) {
  LabeledBlock result{RowBlock(rows.features.rows() + 1, rows.features.cols()),
                      Eigen::VectorXd(rows.labels.size() + 1)};
  result.features << rows.features, clipped(x.transpose(), IntegerClip(bound));
  result.labels << rows.labels, y;
  return result;
}

LabeledBlock without_row(const LabeledBlock& rows, Eigen::Index dropped) {
  const Eigen::Index after = rows.labels.size() - dropped - 1;
  LabeledBlock result{RowBlock(rows.features.rows() - 1, rows.features.cols()),
                      Eigen::VectorXd(rows.labels.size() - 1)};
  result.features << rows.features.topRows(dropped), rows.features.bottomRows(after);
  result.labels << rows.labels.head(dropped), rows.labels.tail(after);
  return result;
}

double delta_between(const LogisticModel& one, const LogisticModel& other, double noise) {
  const std::optional<GaussianSpectrum> pair =
      reduce_pair(law_of(one, noise), law_of(other, noise), Accuracy::fast);
  return profile(PrivacyLoss::gaussian(pair.value()), target.epsilon, Accuracy::fast)
      .delta()
      .upper();
}

TEST(ReleaseLogistic, NoNeighborOfSmallTablesIsWorseThanPromised) {
  SeededRandom random(3);
  for (int trial = 0; trial < 12; ++trial) {
    const long d = random.whole(1, 3), n = random.whole(1, 12);
    const double bound = random.log_uniform(0.1, 10.0);
    const bool promised = trial % 2 == 0;
    const LogisticPlan plan = plan_logistic(
        target, coordinates(d, bound),
        request_for(random.log_uniform(0.1, 30.0) * bound * bound,
                    promised ? std::optional(static_cast<double>(n + 1)) : std::nullopt));
    const LabeledBlock rows = random_block(random, n, d, bound);
    const LogisticModel here = model_of(plan, rows);
    for (Eigen::Index i = 0; i < n; ++i)
      EXPECT_LE(delta_between(here, model_of(plan, without_row(rows, i)), plan.noise_variance),
                target.delta);
    for (int added = 0; added < 20; ++added) {
      const Eigen::VectorXd x = bound * random_vector(random, d, 1.0).normalized();
      EXPECT_LE(delta_between(model_of(plan, with_row(rows, x, random.sign(), bound)), here,
                              plan.noise_variance),
                target.delta);
    }
  }
}

// Rows that saturate: theta_2 is held far below 0, the others pull at theta_1 with all their force.
TEST(ReleaseLogistic, ATableBuiltToBreakItDoesNotButBreaksTooLittleNoise) {
  const long many = 100000;
  LabeledBlock rows;
  Eigen::MatrixXd x(many + 40, 2);
  x.topRows(many).rowwise() = Eigen::RowVector2d(0.0, 1.0);
  x.middleRows(many, 10).rowwise() = Eigen::RowVector2d(0.6, 0.8);
  x.bottomRows(30).rowwise() = Eigen::RowVector2d(0.6, -0.8);
  rows.features = clipped(x, IntegerClip(1.0));
  rows.labels = Eigen::VectorXd::Ones(many + 40);
  rows.labels.head(many).setConstant(-1.0);
  const LogisticPlan plan = plan_logistic(target, coordinates(2, 1.0), request_for(1.0));
  const LogisticModel before = model_of(plan, rows);
  const LogisticModel after = model_of(plan, with_row(rows, Eigen::Vector2d(1.0, 0.0), -1.0, 1.0));
  EXPECT_LE(delta_between(after, before, plan.noise_variance), target.delta);
  EXPECT_GT(delta_between(after, before, 0.49 * plan.noise_variance), target.delta);
}

// Each row of the project's own table taken out.
TEST(ReleaseLogistic, NoRowOfTheWagesIsWorseThanPromised) {
  const auto path =
      std::filesystem::path(MODICUM_REFERENCE_DIR) / ".." / ".." / "examples" / "wages.csv";
  const Table table({{path.string()}, true, ','});
  const std::map<std::string, Range> ranges{
      {"age", {18.0, 70.0}}, {"schooling", {0.0, 20.0}}, {"hours", {0.0, 80.0}}};
  const RowRule rule(table, {"age", "schooling", "hours"}, ranges, true);
  const LabeledRows rows(table, rule, LabelRule{"wage", 20.0}, rule.natural_norm_bound());
  LogisticRequest request = request_for();
  request.label = std::get<LabelRule>(rows.response());
  const LogisticPlan plan =
      plan_logistic(target, PublicRows(rule, rule.natural_norm_bound(), BadRows::dropped), request);
  LabeledBlock all;
  rows.for_each_block({}, [&](const LabeledBlock& block) {
    return [&all, block] { all = block; };  // one block
  });
  const LogisticModel here = fit(plan, rows);
  ASSERT_EQ(here.rows, static_cast<double>(all.labels.size()));
  double worst = 0.0;
  for (Eigen::Index i = 0; i < all.labels.size(); ++i)
    worst = std::max(worst,
                     delta_between(here, model_of(plan, without_row(all, i)), plan.noise_variance));
  EXPECT_LE(worst, target.delta);
  EXPECT_GT(worst, 0.0);
}

TEST(ReleaseLogistic, CoefficientsAreInTheUnitsOfTheFile) {
  // log-odds = 0.2 (age - 45), with so many rows that noise does not matter.
  const TemporaryFolder folder;
  SeededRandom random(5);
  std::string text = "age,label\n";
  for (int i = 0; i < 200000; ++i) {
    const double age = random.uniform(20.0, 70.0);
    text += std::to_string(age) + "," +
            (random.unit() < 1.0 / (1.0 + std::exp(-0.2 * (age - 45.0))) ? "1\n" : "-1\n");
  }
  const Table table({{folder.write("x.csv", text)}, true, ','});
  SeededSource source(6);
  for (const bool intercept : {true, false}) {
    // The center of the range is 45 without an intercept, so that none is needed.
    const RowRule rule(table, {"age"}, {{"age", {20.0, intercept ? 80.0 : 70.0}}}, intercept);
    const double bound = rule.natural_norm_bound();
    const LabeledRows rows(table, rule, LabelRule{"label", 0.0}, bound);
    LogisticRequest request = request_for(bound * bound * 20.0);
    request.label = std::get<LabelRule>(rows.response());
    const LogisticPlan plan =
        plan_logistic({5.0, 1e-5}, PublicRows(rule, bound, BadRows::dropped), request);
    const Released released = release_logistic(plan, fit(plan, rows), source);
    ASSERT_EQ(released.row_names, (std::vector<std::string>{"intercept", "age"}));
    ASSERT_EQ(released.column_names, (std::vector<std::string>{"coefficient", "standardized"}));
    // The noise on the standardized coefficient of age is about 0.05 beside 5 or 6.
    EXPECT_NEAR(released.values(1, 0), 0.2, 0.02);
    EXPECT_NEAR(released.values(0, 0) + 45.0 * released.values(1, 0), 0.0, 0.5);
    if (!intercept) {
      EXPECT_EQ(released.values(0, 1), 0.0);
    }
    EXPECT_EQ(std::remainder(released.values(1, 1), plan.grid), 0.0);
  }
}

TEST(ReleaseLogistic, RefusesAModelThatIsNotThatOfThePlan) {
  SeededRandom random(7);
  SeededSource source(8);
  const LogisticPlan plan = plan_logistic(target, coordinates(2, 1.0), request_for(1.0, 20.0));
  const LabeledBlock rows = random_block(random, 20, 2, 1.0);
  const LogisticModel good = model_of(plan, rows);
  EXPECT_NO_THROW(release_logistic(plan, good, source));
  const auto changed = [&](auto change) {
    LogisticModel model = good;
    change(model);
    return [&plan, model, &source] { return release_logistic(plan, model, source).values; };
  };
  using Model = LogisticModel;
  EXPECT_TRUE(refuses("row_norm_bound", changed([](Model& m) { m.row_norm_bound = 2.0; })));
  EXPECT_TRUE(refuses("regularization", changed([](Model& m) { m.regularization = 0.5; })));
  EXPECT_TRUE(refuses("label", changed([](Model& m) { m.label.threshold = 0.5; })));
  EXPECT_TRUE(refuses("coordinates", changed([](Model& m) { m.minimizer.resize(1); })));
  EXPECT_TRUE(refuses("coordinates", changed([](Model& m) { m.precision.resize(3, 3); })));
  for (const double bad : {1.0, not_a_number})
    EXPECT_TRUE(refuses("minimizer_error", changed([&](Model& m) { m.minimizer_error = bad; })));
  const LogisticModel more = model_of(plan, with_row(rows, Eigen::Vector2d(1.0, 0.0), 1.0, 1.0));
  EXPECT_THROW(release_logistic(plan, more, source), Error);
}

TEST(PlanLogistic, SaysWhatItPromises) {
  const LogisticPlan plan = plan_logistic(target, coordinates(2, 2.0), request_for(8.0, 1000.0));
  const Certificate& certificate = plan.certificate;
  EXPECT_EQ(certificate.mechanism, "bayesian_logistic_regression");
  EXPECT_EQ(certificate.guarantee, Guarantee::proved);
  EXPECT_EQ(certificate.arithmetic, Exactness::mitigated);
  EXPECT_LE(certificate.achieved.delta().upper(), target.delta);
  const auto number = [&](const char* name) { return std::get<double>(*certificate.find(name)); };
  EXPECT_EQ(number("regularization"), 8.0);
  EXPECT_EQ(number("row_norm_bound"), 2.0);
  EXPECT_EQ(number("largest_rows"), 1000.0);
  EXPECT_EQ(number("noise_variance"), plan.noise_variance);
  EXPECT_EQ(number("minimizer_error"), 0x1p-16 * 2.0 / 8.0);
  EXPECT_LE(number("worst_pair_found"), target.delta);
  // The sensitivity holds the error of the minimizer.
  const OutputSensitivity sensitivity = bayesian_logistic_sensitivity(
      LogisticShape(8.0, 2.0, number("minimizer_error"), 1000.0), plan.noise_variance);
  EXPECT_EQ(number("mean_shift"), sensitivity.mean_shift);
  EXPECT_EQ(number("variance_excess"), sensitivity.variance_excess);
  EXPECT_EQ(certificate.loss.at("mechanism").text(), "lifted_release");
  const auto assumed = [&](const std::string& words) {
    for (const std::string& each : certificate.assumptions)
      if (each.find(words) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(assumed("at most 1000 rows"));
  EXPECT_TRUE(assumed("the solver reaches"));
}

TEST(PlanLogistic, TheDefaultRegularizationIsPublic) {
  const LogisticPlan plan = plan_logistic(target, coordinates(2, 3.0), request_for());
  EXPECT_EQ(plan.regularization, default_logistic_regularization(target, 3.0));
  EXPECT_EQ(plan.certificate.find("largest_rows"), nullptr);
}

TEST(PlanLogistic, RefusesWhatItCannotPromise) {
  const auto plan = [](const LogisticRequest& request) {
    return [request] { return plan_logistic(target, coordinates(2, 1.0), request).grid; };
  };
  for (const double bad : {0.0, -1.0, not_a_number, infinity, 1e-9, 1e13})
    EXPECT_TRUE(refuses("regularization", plan(request_for(bad))));
  for (const double bad : {0.0, -1.0, 1.5, not_a_number, infinity})
    EXPECT_TRUE(refuses("largest_rows", plan(request_for(1.0, bad))));
  LogisticRequest request = request_for();
  request.label.threshold = not_a_number;
  EXPECT_TRUE(refuses("threshold", plan(request)));
  EXPECT_TRUE(refuses("coordinates", [] {
    return plan_logistic(target, PublicRows(std::vector<std::string>{}, 1.0), {}).grid;
  }));
  EXPECT_THROW(plan_logistic({1.0, 0.0}, coordinates(2, 1.0), request_for(1.0)), CalibrationFailed);
  EXPECT_THROW(plan_logistic({1.0, 0.0}, coordinates(2, 1.0), request_for()), CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::logistic_release_test
