// Releases by objective perturbation: the plan, the law of what is drawn, what neighbors can tell.
#include "modicum/release/objective_release.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "release/labeled_blocks.h"
#include "release/regression/linear_objective.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::objective_release_test {
namespace {

const LabelRule label{"y", 0.0};
const TargetRule number{"y", {-2.0, 4.0}};

struct Case {
  PredictionLoss loss;
  ResponseRule response;
};

std::vector<Case> all_cases() {
  return {{PredictionLoss::logistic(), label},
          {PredictionLoss::smoothed_hinge(0.5), label},
          {PredictionLoss::huber(0.25), number},
          {PredictionLoss::squared(1.0), number}};
}

PublicRows features(long count, double bound) {
  std::vector<std::string> names;
  for (long j = 0; j < count; ++j) names.push_back("x" + std::to_string(j));
  return {names, bound};
}

LabeledBlock random_block(SeededRandom& random, const PredictionLoss& loss, long rows, long columns,
                          double bound) {
  const Eigen::MatrixXd x = random_rows(random, rows, columns, 0.6 * bound);
  Eigen::VectorXd y(rows);
  for (long i = 0; i < rows; ++i)
    y[i] = loss.takes_labels() ? random.sign() : random.uniform(-1.0, 1.0);
  return {clipped(x, IntegerClip(bound)), y};
}

// The derivative of J for one feature, in doubles.
double slope_of_objective(const LabeledBlock& block, double grid, const ObjectivePlan& plan,
                          double theta) {
  double sum = plan.regularization * theta;
  for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
    const double x = grid * block.features(i, 0);
    sum += plan.loss.at(x * theta, block.labels[i]).slope * x;
  }
  return sum;
}

TEST(PlanObjective, TheSolverCostsLittle) {
  const PrivacyTarget target(1.0, 1e-6);
  for (const Case& one : all_cases()) {
    const ObjectivePlan plan =
        plan_objective(target, features(3, 2.0), {one.loss, one.response, 30.0});
    const double exact =
        calibrate_objective_perturbation(target, one.loss.bounds(2.0, 30.0)).parameter;
    EXPECT_GE(plan.noise.standard_deviation, exact);
    EXPECT_LE(plan.noise.standard_deviation, 1.003 * exact) << one.loss.name();
    EXPECT_LE(plan.certificate.achieved.delta().upper(), 1e-6);
    // Next to nothing beside what the noise in the objective does to the coefficients.
    EXPECT_LE(plan.noise.output_standard_deviation, 1e-6 * plan.noise.standard_deviation / 30.0);
    const ProfilePoint composed =
        profile(solved_objective_perturbation(plan.bounds(), plan.noise), 1.0, Accuracy::certified);
    EXPECT_LE(composed.delta().upper(), 1e-6 * (1.0 + 1e-9));
    EXPECT_GE(composed.delta().upper(), 0.999e-6);
  }
}

TEST(PlanObjective, TheCertificateDescribesTheLossForCompositions) {
  for (const Case& one : all_cases()) {
    const ObjectivePlan plan =
        plan_objective({1.0, 1e-6}, features(2, 1.0), {one.loss, one.response, {}});
    const Value& loss = plan.certificate.loss;
    EXPECT_EQ(loss.at("mechanism").text(), "objective_release") << one.loss.name();
    for (const char* key : {"standard_deviation", "lipschitz", "smoothness", "regularization",
                            "minimizer_error", "output_standard_deviation"})
      EXPECT_EQ(loss.at(key).number(), std::get<double>(*plan.certificate.find(key))) << key;
    EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
    EXPECT_EQ(plan.certificate.arithmetic, Exactness::exact);
  }
}

TEST(PlanObjective, ATenthOfEpsilonGoesToTheRegularization) {
  const PredictionLoss loss = PredictionLoss::smoothed_hinge(0.5);
  const double lambda = default_objective_regularization({2.0, 1e-6}, loss, 3.0);
  EXPECT_NEAR(std::log1p(loss.bounds(3.0, lambda).smoothness / lambda), 0.2, 1e-12);
  // Whatever epsilon is, there is some.
  EXPECT_GT(default_objective_regularization({1e4, 1e-6}, loss, 3.0), 1e-6);
}

// l^2/epsilon: hardly more noise than with as much regularization as one likes.
TEST(PlanObjective, OfTheLogisticLossSomeRegularizationIsFree) {
  const PrivacyTarget target(2.0, 1e-6);
  const PredictionLoss loss = PredictionLoss::logistic();
  EXPECT_DOUBLE_EQ(default_objective_regularization(target, loss, 3.0), 4.5);
  EXPECT_GT(default_objective_regularization({1e4, 1e-6}, loss, 3.0), 1e-6);
  const double usual = calibrate_solved_objective(target, loss.bounds(3.0, 4.5)).parameter;
  const double much = calibrate_solved_objective(target, loss.bounds(3.0, 1e3)).parameter;
  EXPECT_GE(usual, much * (1.0 - 1e-7));
  EXPECT_LT(usual, much * 1.01);
}

TEST(PlanObjective, RefusesWhatDoesNotFit) {
  const PrivacyTarget target(1.0, 1e-6);
  EXPECT_TRUE(refuses("loss", [&] {
    return plan_objective(target, features(1, 1.0), {PredictionLoss::logistic(), number, {}});
  }));
  EXPECT_TRUE(refuses("loss", [&] {
    return plan_objective(target, features(1, 1.0), {PredictionLoss::huber(1.0), label, {}});
  }));
  for (const double bad : {0.0, -1.0, not_a_number, infinity, 1e-9, 1e13})
    EXPECT_TRUE(refuses("regularization", [&] {
      return plan_objective(target, features(1, 1.0), {PredictionLoss::logistic(), label, bad});
    })) << bad;
  // log(1 + 0.25/0.1) > 1.
  EXPECT_THROW(plan_objective(target, features(1, 1.0), {PredictionLoss::logistic(), label, 0.1}),
               CalibrationFailed);
  EXPECT_THROW(
      plan_objective({1.0, 0.0}, features(1, 1.0), {PredictionLoss::logistic(), label, 10.0}),
      CalibrationFailed);
}

// theta <= t exactly where J'(t) + b >= 0, so J'(theta)/sigma is standard normal. The Kolmogorov
// distance of 4000 draws exceeds 1.95/sqrt(4000) with probability 0.001.
TEST(DrawObjective, HasTheLawOfTheMinimizer) {
  SeededRandom random(1);
  SeededSource source(2);
  for (const Case& one : all_cases()) {
    const double bound = 1.5;
    const LabeledBlock block = random_block(random, one.loss, 12, 1, bound);
    const IntegerClip clip(bound);
    const ObjectivePlan plan =
        plan_objective({2.0, 1e-3}, features(1, bound), {one.loss, one.response, {}});
    std::vector<double> scores;
    for (int draw = 0; draw < 4000; ++draw) {
      const double theta = draw_objective(plan, pass_over(block), clip, source)[0];
      scores.push_back(slope_of_objective(block, clip.grid(), plan, theta) /
                       plan.noise.standard_deviation);
    }
    std::sort(scores.begin(), scores.end());
    double distance = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double cdf = 0.5 * std::erfc(-scores[i] / std::sqrt(2.0));
      distance = std::max({distance, std::abs(cdf - static_cast<double>(i) / 4000.0),
                           std::abs(cdf - static_cast<double>(i + 1) / 4000.0)});
    }
    EXPECT_LE(distance, 1.95 / std::sqrt(4000.0)) << one.loss.name();
  }
}

// In several dimensions: the components of grad J(theta) are independent normals. Their sum of
// squares over 500 draws in 4 dimensions is within 5 deviations of 2000 but once in a million.
TEST(DrawObjective, TheGradientIsTheNoise) {
  SeededRandom random(3);
  SeededSource source(4);
  for (const Case& one : all_cases()) {
    const LabeledBlock block = random_block(random, one.loss, 60, 4, 1.0);
    const IntegerClip clip(1.0);
    const ObjectivePlan plan =
        plan_objective({1.0, 1e-5}, features(4, 1.0), {one.loss, one.response, {}});
    const double unit = unit_of(clip);
    const LinearObjective objective{one.loss, plan.regularization / unit / unit,
                                    LongVector::Zero(4)};
    double squares = 0.0;
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(4, 4);
    for (int draw = 0; draw < 500; ++draw) {
      const Eigen::VectorXd theta = draw_objective(plan, pass_over(block), clip, source);
      const ObjectivePoint point =
          objective_point(pass_over(block), objective, (unit * theta).cast<long double>());
      const Eigen::VectorXd score =
          unit * point.gradient.cast<double>() / plan.noise.standard_deviation;
      squares += score.squaredNorm();
      products += score * score.transpose() / 500.0;
    }
    EXPECT_NEAR(squares, 2000.0, 5.0 * std::sqrt(4000.0)) << one.loss.name();
    // Six products, each of deviation 1/sqrt(500): 5 of them once in a hundred thousand.
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j)
        EXPECT_LE(std::abs(products(i, j)), 5.0 / std::sqrt(500.0)) << one.loss.name();
  }
}

// delta between two neighbors, by integrating the densities |J''| phi(J'/sigma)/sigma.
double exact_delta(const LabeledBlock& x, const LabeledBlock& y, double grid,
                   const ObjectivePlan& plan, double epsilon) {
  const auto density = [&](const LabeledBlock& block, double theta) {
    double bend = plan.regularization;
    for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
      const double value = grid * block.features(i, 0);
      bend += plan.loss.at(value * theta, block.labels[i]).curvature * value * value;
    }
    const double score =
        slope_of_objective(block, grid, plan, theta) / plan.noise.standard_deviation;
    return bend * std::exp(-0.5 * score * score) /
           (plan.noise.standard_deviation * std::sqrt(2.0 * M_PI));
  };
  const double reach =
      (12.0 * plan.noise.standard_deviation + 40.0 * plan.bounds().lipschitz) / plan.regularization;
  const int steps = 20000;
  double sum = 0.0, mass = 0.0;
  for (int k = 0; k < steps; ++k) {
    const double theta = -reach + 2.0 * reach * (k + 0.5) / steps;
    const double p = density(x, theta), q = density(y, theta);
    sum += std::max(0.0, p - std::exp(epsilon) * q);
    mass += p;
  }
  EXPECT_NEAR(mass * 2.0 * reach / steps, 1.0, 1e-3);
  return sum * 2.0 * reach / steps;
}

TEST(DrawObjective, NeighborsAreNoEasierToTellApartThanCertified) {
  SeededRandom random(5);
  double closest = 0.0;
  for (const Case& one : all_cases()) {
    const IntegerClip clip(1.0);
    const ObjectivePlan plan =
        plan_objective({1.0, 1e-4}, features(1, 1.0), {one.loss, one.response, {}});
    for (int trial = 0; trial < 12; ++trial) {
      LabeledBlock with = random_block(random, one.loss, random.whole(1, 8), 1, 1.0);
      with.features(0, 0) = 0x1p20;  // the longest row
      if (trial % 2 == 0) with.features.col(0).setConstant(random.sign() * 0x1p20);
      const long rest = with.labels.size() - 1;
      const LabeledBlock without{with.features.bottomRows(rest), with.labels.tail(rest)};
      const double removal = exact_delta(with, without, clip.grid(), plan, 1.0);
      const double addition = exact_delta(without, with, clip.grid(), plan, 1.0);
      EXPECT_LE(removal, plan.certificate.achieved.forward.upper()) << one.loss.name();
      EXPECT_LE(addition, plan.certificate.achieved.reverse.upper()) << one.loss.name();
      closest = std::max(closest, removal / plan.certificate.achieved.forward.upper());
    }
  }
  // The bound is not idle.
  EXPECT_GE(closest, 0.2);
}

class ObjectiveTable : public ::testing::Test {
 protected:
  Table table(const std::string& text) {
    return Table({{folder.write("x" + std::to_string(++count) + ".csv", text)}, true, ','});
  }
  TemporaryFolder folder;
  SeededSource source{6};
  int count = 0;
};

TEST_F(ObjectiveTable, CoefficientsAreInTheUnitsOfTheFile) {
  const Table from = table("a,y\n10,1\n20,3\n15,2\n12,-9\n");
  const RowRule rule(from, {"a"}, {{"a", {10.0, 20.0}}}, true);
  const LabeledRows rows(from, rule, number, 1.5);
  const ObjectivePlan plan = plan_objective({5.0, 1e-3}, PublicRows(rule, 1.5, BadRows::dropped),
                                            {PredictionLoss::huber(0.25), number, {}});
  const Released released = release_objective(plan, rows, source);
  EXPECT_EQ(released.row_names, (std::vector<std::string>{"intercept", "a"}));
  // y = 1 + 3 (t0 + t1 (a - 15)/5).
  const double t0 = released.values(0, 1), t1 = released.values(1, 1);
  EXPECT_NEAR(released.values(1, 0), 3.0 * t1 / 5.0, 1e-12 * (1.0 + std::abs(t1)));
  EXPECT_NEAR(released.values(0, 0), 1.0 + 3.0 * (t0 - 3.0 * t1),
              1e-12 * (1.0 + std::abs(t0) + std::abs(t1)));
}

TEST_F(ObjectiveTable, RowsOfAnotherPlanAreRefused) {
  const Table from = table("a,b,y\n1,2,1\n");
  const RowRule one(from, {"a"}), two(from, {"a", "b"});
  const ObjectivePlan plan = plan_objective({1.0, 1e-4}, PublicRows(one, 1.0, BadRows::dropped),
                                            {PredictionLoss::logistic(), label, {}});
  const auto release = [&](const RowRule& rule, const ResponseRule& response, double bound) {
    return release_objective(plan, LabeledRows(from, rule, response, bound), source);
  };
  EXPECT_NO_THROW(release(one, label, 1.0));
  EXPECT_TRUE(refuses("row_norm_bound", [&] { return release(one, label, 2.0); }));
  EXPECT_TRUE(refuses("coordinates", [&] { return release(two, label, 1.0); }));
  EXPECT_TRUE(refuses("response", [&] { return release(one, LabelRule{"y", 1.0}, 1.0); }));
  EXPECT_TRUE(refuses("response", [&] { return release(one, number, 1.0); }));
}

// No rows, one class, equal rows, separable ones, huge values: an answer of finite size.
TEST_F(ObjectiveTable, OddTablesHaveAnswers) {
  const std::string equal = "1,1\n1,1\n1,1\n1,1\n", separable = "-1,0\n-2,0\n1,1\n2,1\n";
  for (const Case& one : all_cases()) {
    const ObjectivePlan plan =
        plan_objective({1.0, 1e-5}, PublicRows({"a"}, 1.0), {one.loss, one.response, {}});
    for (const std::string& text : {std::string(), std::string("1,1\n2,1\n"), equal, separable,
                                    std::string("1e300,1\n-1e300,0\n"),
                                    std::string("nan,1\n,0\nx,y\n"), std::string("0,0\n0,1\n")}) {
      const Table from = table("a,y\n" + text);
      const LabeledRows rows(from, RowRule(from, {"a"}), one.response, 1.0);
      const Released released = release_objective(plan, rows, source);
      EXPECT_TRUE(released.values.allFinite()) << text;
      EXPECT_LE(std::abs(released.values(0, 1)),
                (10.0 * plan.noise.standard_deviation + 4.0 * plan.bounds().lipschitz) /
                    plan.regularization);
    }
  }
}

TEST_F(ObjectiveTable, DiagnosticsCompareWithTheMinimizerWithoutNoise) {
  const Table from = table("a,y\n-1,0\n-0.5,0\n0.5,1\n1,1\n,1\n3,1\n");
  const RowRule rule(from, {"a"});
  const LabeledRows rows(from, rule, label, 1.0);
  const ObjectivePlan plan = plan_objective({10.0, 1e-3}, PublicRows(rule, 1.0, BadRows::dropped),
                                            {PredictionLoss::logistic(), label, 0.1});
  const Released released = release_objective(plan, rows, source);
  std::map<std::string, double> found;
  for (const Diagnostic& each : diagnose_objective(released, plan, from, rows))
    found[each.name] = each.value;
  EXPECT_EQ(found.at("rows_used"), 5.0);
  EXPECT_EQ(found.at("rows_with_unreadable_numbers"), 1.0);
  EXPECT_EQ(found.at("rows_clipped"), 1.0);
  EXPECT_EQ(found.at("accuracy_of_the_minimizer"), 1.0);
  EXPECT_LE(found.at("mean_loss_of_the_minimizer"), found.at("mean_loss_of_the_release") + 0.2);
}

}  // namespace
}  // namespace modicum::testing::objective_release_test
