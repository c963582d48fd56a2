#include "modicum/release/gradient_release.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/release/description.h"
#include "release/classification/gradient_sums.h"
#include "release/classification/standardized_rows.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::testing::gradient_release_test {
namespace {

const LabelRule positive{"y", 0.0};

PassOverRows pass_over(const LabeledBlock& block) {
  return [&block](const LabeledWork& work) {
    if (const std::function<void()> finish = work(block)) finish();
  };
}

LabeledBlock block_of(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double bound) {
  return {clipped(x, IntegerClip(bound)), y};
}

PublicRows ranged_rows(long features, double bound) {
  std::vector<std::string> names{"intercept"};
  for (long i = 0; i < features; ++i) names.push_back("x" + std::to_string(i));
  PublicRows rows(names, bound);
  rows.intercept = true;
  for (long i = 0; i < features; ++i) rows.ranges.emplace(names[i + 1], Range(-1.0, 1.0));
  return rows;
}

double norm_of(const std::vector<Integer128>& difference, double grid) {
  double sum = 0.0;
  for (const Integer128 each : difference) {
    const double value = static_cast<double>(each) * grid;
    sum += value * value;
  }
  return std::sqrt(sum);
}

// Rows of every length, coefficients of every size, the record added and removed.
TEST(GradientSum, OneRecordMovesItByTheBoundAtMost) {
  SeededRandom random(3);
  double closest = 0.0, longest_unclipped = 0.0;
  for (int trial = 0; trial < 300; ++trial) {
    const double bound = random.log_uniform(0.1, 10.0), longest = bound * random.uniform(0.05, 1.0);
    const long d = random.whole(1, 6);
    Eigen::MatrixXd x = random_rows(random, 5, d, bound * random.log_uniform(0.01, 100.0));
    const Eigen::VectorXd y =
        Eigen::VectorXd::NullaryExpr(5, [&](Eigen::Index) { return random.sign(); });
    const Eigen::VectorXd theta = random_rows(random, 1, d, random.log_uniform(0.01, 1e6)).row(0);
    const IntegerClip clip(bound);
    const auto sum_over = [&](long first, double limit) {
      const LabeledBlock block = block_of(x.bottomRows(5 - first), y.tail(5 - first), bound);
      return gradient_sum(pass_over(block), clip, theta, limit);
    };
    const auto moved = [&](double limit) {
      GradientSum all = sum_over(0, limit);
      const GradientSum rest = sum_over(1, limit);
      for (std::size_t j = 0; j < all.values.size(); ++j) all.values[j] -= rest.values[j];
      return norm_of(all.values, all.grid);
    };
    const double found = moved(longest);
    EXPECT_LE(found, longest * (1.0 + 1e-15));
    closest = std::max(closest, found / longest);
    longest_unclipped = std::max(longest_unclipped, moved(bound) / longest);
  }
  EXPECT_GT(closest, 0.999);
  EXPECT_GT(longest_unclipped, 1.5);  // what clips by less is caught
}

TEST(GradientSum, IsTheGradientWhereNothingIsClipped) {
  SeededRandom random(4);
  const Eigen::MatrixXd x = random_rows(random, 40, 3, 0.2);
  const Eigen::VectorXd y =
      Eigen::VectorXd::NullaryExpr(40, [&](Eigen::Index) { return random.sign(); });
  const LabeledBlock block = block_of(x, y, 1.0);
  const Eigen::VectorXd theta = Eigen::Vector3d(0.5, -2.0, 1.0);
  const GradientSum found = gradient_sum(pass_over(block), IntegerClip(1.0), theta, 1.0);
  const RowBlock rows = IntegerClip(1.0).grid() * block.features;
  Eigen::VectorXd direct = Eigen::VectorXd::Zero(3);
  for (long i = 0; i < 40; ++i)
    direct -= y[i] / (1.0 + std::exp(y[i] * rows.row(i).dot(theta))) * rows.row(i).transpose();
  for (long j = 0; j < 3; ++j)
    EXPECT_NEAR(static_cast<double>(found.values[static_cast<std::size_t>(j)]) * found.grid,
                direct[j], 1e-6);
}

// With hardly any noise: means and spreads, whatever the ranges.
TEST(Standardization, CentersAndScales) {
  SeededRandom random(5);
  SeededSource source(6);
  Eigen::MatrixXd x(4000, 3);
  for (long i = 0; i < x.rows(); ++i)
    x.row(i) << 1.0, 0.8 + 0.05 * random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0);
  const LabeledBlock block = block_of(x, Eigen::VectorXd::Ones(4000), 2.0);
  const Standardization look(ranged_rows(2, 2.0), pass_over(block), 1e4, source);
  EXPECT_NEAR(look.count(), 4000.0, 1.0);
  const PublicRows rows = look.rows(ranged_rows(2, 2.0));
  EXPECT_NEAR(rows.centers[1], 0.8, 0.002);
  EXPECT_NEAR(rows.scales[1], 0.05 / std::sqrt(3.0), 0.001);
  EXPECT_NEAR(rows.centers[2], 0.0, 0.03);
  EXPECT_NEAR(rows.scales[2], 1.0 / std::sqrt(3.0), 0.01);
}

// The noise of the count and of both sums over what one row can do, for the worst of them: one that
// is added moves the released numbers by mu, in units of the noise. Of 2000 looks; a false alarm
// has probability 1e-9.
TEST(Standardization, TheCountHasTheNoiseThatIsPaidFor) {
  SeededSource source(7);
  const LabeledBlock block =
      block_of(Eigen::MatrixXd::Ones(1000, 5), Eigen::VectorXd::Ones(1000), 3.0);
  const double mu = 0.5, deviation = std::sqrt(1.0 + 1.25 * 4.0) / mu;
  double squares = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const double off =
        Standardization(ranged_rows(4, 3.0), pass_over(block), mu, source).count() - 1000.0;
    squares += off * off;
  }
  EXPECT_NEAR(std::sqrt(squares / 2000.0) / deviation, 1.0, 6.5 / std::sqrt(4000.0));
}

// Whatever else is in the table, to the last bit.
TEST(Standardization, MapsEachRowByItself) {
  SeededRandom random(8);
  SeededSource source(9);
  const Eigen::MatrixXd x = random_rows(random, 30, 4, 0.8);
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(30);
  const LabeledBlock all = block_of(x, y, 2.0);
  const Standardization look(ranged_rows(3, 2.0), pass_over(all), 10.0, source);
  const auto mapped = [&](const LabeledBlock& block) {
    RowBlock found;
    look.pass(pass_over(block))([&](const LabeledBlock& each) -> std::function<void()> {
      found = each.features;
      return {};
    });
    return found;
  };
  const RowBlock whole = mapped(all);
  const double limit = look.clip().row_norm_bound() / look.clip().grid();
  for (long i = 0; i < 30; ++i) {
    EXPECT_EQ(mapped(block_of(x.row(i), y.head(1), 2.0)), whole.row(i));
    EXPECT_LE(whole.row(i).squaredNorm(), limit * limit);
  }
}

TEST(Standardization, HoldsWithoutRowsAndWithoutRanges) {
  SeededSource source(10);
  PublicRows plain({"a", "b"}, 2.0);
  for (const long rows : {0L, 1L}) {
    const LabeledBlock block =
        block_of(Eigen::MatrixXd::Constant(rows, 2, 5.0), Eigen::VectorXd::Ones(rows), 2.0);
    const Standardization look(plain, pass_over(block), 0.3, source);
    EXPECT_GT(look.count(), 0.0);
    for (const double scale : look.rows(plain).scales) EXPECT_GT(scale, 0.0);
    EXPECT_EQ(look.rows(plain).centers, (std::vector<double>{0.0, 0.0}));  // no column of ones
  }
}

class GradientTable : public ::testing::Test {
 protected:
  // y follows b; a and b crowd in corners of their ranges.
  Table table(long rows) {
    SeededRandom random(11);
    std::string text = "a,b,y\n";
    for (long i = 0; i < rows; ++i) {
      const double b = random.normal();
      text += std::to_string(10.0 + random.normal()) + "," + std::to_string(500.0 + b) + "," +
              (b + 0.5 * random.normal() > 0.0 ? "1" : "-1") + "\n";
    }
    return Table({{folder.write("x.csv", text)}, true, ','});
  }
  static double right(const Released& found) {
    SeededRandom random(12);
    int right = 0;
    for (int i = 0; i < 2000; ++i) {
      const double a = 10.0 + random.normal(), b = random.normal();
      const double margin =
          found.values(0, 0) + found.values(1, 0) * a + found.values(2, 0) * (500.0 + b);
      right += (margin > 0.0) == (b > 0.0) ? 1 : 0;
    }
    return right / 2000.0;
  }
  TemporaryFolder folder;
  SeededSource source{13};
};

TEST_F(GradientTable, FindsWhatRangesHide) {
  const Table from = table(3000);
  const RowRule rule(from, {"a", "b"}, {{"a", {0.0, 40.0}}, {"b", {490.0, 520.0}}}, true);
  const double bound = rule.natural_norm_bound();
  const LabeledRows rows(from, rule, positive, bound);
  const PublicRows known(rule, rows.clip().row_norm_bound(), BadRows::dropped);
  const PrivacyTarget target(3.0, 1e-5);
  const Released descent = release_gradient(plan_gradient(target, known, positive), rows, source);
  EXPECT_GT(right(descent), 0.85);
  EXPECT_EQ(descent.row_names, (std::vector<std::string>{"intercept", "a", "b"}));
  const Released minimum = release_standardized(
      plan_standardized(target, known, {PredictionLoss::logistic(), positive}), rows, source);
  EXPECT_GT(right(minimum), 0.85);
  // Without a look the columns are constants, nearly.
  const Released plain = release_objective(
      plan_objective(target, known, {PredictionLoss::logistic(), positive}), rows, source);
  EXPECT_LT(right(plain), right(minimum));
}

// The loss of the certificate meets the target, and hardly less would do.
TEST_F(GradientTable, TheLossOfTheCertificateMeetsTheTarget) {
  const PublicRows known = ranged_rows(5, std::sqrt(6.0));
  for (const PrivacyTarget& target : {PrivacyTarget(0.5, 1e-6)}) {
    const Certificate descent = plan_gradient(target, known, positive).certificate;
    const Certificate minimum =
        plan_standardized(target, known, {PredictionLoss::logistic(), positive})
            .objective.certificate;
    for (const Certificate* each : {&descent, &minimum}) {
      const PrivacyLoss loss = describe(each->loss, Accuracy::certified).loss;
      const double delta = profile(loss, target.epsilon, Accuracy::certified).delta().upper();
      EXPECT_LE(delta, target.delta);
      EXPECT_GT(delta, target.delta * 0.9999);
      EXPECT_LE(each->achieved.delta().upper(), target.delta);
      EXPECT_EQ(each->arithmetic, Exactness::exact);
    }
  }
}

// (coefficient - truth) / standard error over releases of fresh tables: the truth is that of the
// logistic model that made them, here with hardly any regularization. The sum of 30 squares lies
// outside the limits with probability 1e-6 where errors are right.
TEST_F(GradientTable, StandardErrorsCountSamplingAndNoise) {
  double squares = 0.0;
  constexpr int releases = 15;
  ObjectiveRequest request{PredictionLoss::logistic(), positive};
  request.regularization = 2.0;
  PublicRows known({"intercept", "a"}, 1.5);
  known.intercept = true;
  known.ranges.emplace("a", Range(-1.0, 1.0));
  const StandardizedPlan plan = plan_standardized({2.0, 1e-5}, known, request, true);
  EXPECT_LE(plan.objective.certificate.achieved.delta().upper(), 1e-5);
  for (int trial = 0; trial < releases; ++trial) {
    SeededRandom random(100 + static_cast<unsigned>(trial));
    std::string text = "a,y\n";
    for (int i = 0; i < 4000; ++i) {
      const double a = random.uniform(-1.0, 1.0);
      const bool high = random.unit() < 1.0 / (1.0 + std::exp(-0.5 - 1.5 * a));
      text += std::to_string(a) + (high ? ",1\n" : ",-1\n");
    }
    const Table from({{folder.write("e" + std::to_string(trial) + ".csv", text)}, true, ','});
    const RowRule rule(from, {"a"}, {{"a", {-1.0, 1.0}}}, true);
    const LabeledRows rows(from, rule, positive, 1.5);
    const Released found = release_standardized(plan, rows, source);
    ASSERT_EQ(found.column_names.back(), "upper");
    const double truths[] = {0.5, 1.5};
    for (long j = 0; j < 2; ++j) {
      const double error = found.values(j, 2);
      squares += std::pow((found.values(j, 0) - truths[j]) / error, 2);
      EXPECT_GT(error, 0.02);
      EXPECT_LT(error, 0.5);
    }
  }
  EXPECT_GT(squares, 7.0);
  EXPECT_LT(squares, 80.0);
}

TEST_F(GradientTable, StepsAndLookSpendOneBudget) {
  for (const double steps : {1.0, 20.0, 500.0}) {
    const GradientPlan plan = plan_gradient({1.0, 1e-6}, ranged_rows(3, 2.0), positive, steps);
    const double spent = plan.look_mu * plan.look_mu + steps * plan.step_mu * plan.step_mu;
    const double whole = 1.0 / calibrate_gaussian({1.0, 1e-6}, 1.0).parameter;
    EXPECT_LE(spent, whole * whole);
    EXPECT_NEAR(spent, whole * whole, 1e-9);
  }
}

TEST_F(GradientTable, RefusesWhatIsOutOfBounds) {
  const PublicRows known = ranged_rows(2, 2.0);
  for (const double bad : {0.0, -1.0, 1.5, 1e5, not_a_number, infinity})
    EXPECT_TRUE(refuses("steps", [&] { return plan_gradient({1.0, 1e-6}, known, positive, bad); }));
  for (const double bad : {0.0, -1.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("expected_rows", [&] {
      return gradient_does_better({1.0, 1e-6}, 3, bad);
    }));
  EXPECT_THROW(plan_gradient({1.0, 0.0}, known, positive), CalibrationFailed);
  const Table from = table(5);
  const RowRule rule(from, {"a", "b"}, {{"a", {0.0, 40.0}}, {"b", {490.0, 520.0}}}, true);
  const GradientPlan plan =
      plan_gradient({1.0, 1e-6}, PublicRows(rule, 2.0, BadRows::dropped), positive);
  // Rows that are not clamped reach further than the look believes.
  const RowRule wide(from, {"a", "b"}, {{"a", {0.0, 400.0}}, {"b", {490.0, 520.0}}}, true);
  const RowRule open(from, {"a", "b"}, {}, true);
  for (const RowRule& other : {wide, open})
    EXPECT_TRUE(refuses("the rule of the rows", [&] {
      return release_gradient(plan, LabeledRows(from, other, positive, 2.0), source);
    }));
  EXPECT_TRUE(refuses("row_norm_bound", [&] {
    return release_gradient(plan, LabeledRows(from, rule, positive, 3.0), source);
  }));
  EXPECT_TRUE(refuses("response", [&] {
    return release_gradient(plan, LabeledRows(from, rule, LabelRule{"y", 0.5}, 2.0), source);
  }));
}

TEST_F(GradientTable, SmallStepsWhereNoiseWillDrownMuch) {
  EXPECT_TRUE(gradient_does_better({0.1, 1e-6}, 109, 26000));
  EXPECT_FALSE(gradient_does_better({1.0, 1e-6}, 109, 26000));
  EXPECT_FALSE(gradient_does_better({0.1, 1e-6}, 24, 24000));
  EXPECT_TRUE(gradient_does_better({0.1, 1e-6}, 24, 1000));
}

}  // namespace
}  // namespace modicum::testing::gradient_release_test
