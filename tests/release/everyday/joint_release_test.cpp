#include "modicum/release/joint_release.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::joint_release_test {
namespace {

const PrivacyTarget target{1.0, 1e-6};

StatisticRequest count_of(const std::string& column, double weight = 1.0) {
  return {Everyday::count, {{{column}, {Bins::of_categories({"a", "b"})}}, {}, {}}, weight};
}
StatisticRequest mean_wage(double weight = 1.0) {
  return {Everyday::mean, {{}, {"wage"}, {Range(0, 60)}}, weight};
}
QuantileRequest median_wage(double weight = 1.0) {
  return {{{}, {"wage"}, {Range(0, 60)}}, {0.25, 0.5}, weight};
}

double deviation(const JointPlan& plan, std::size_t part) {
  return std::get<EverydayPlan>(plan.parts[part]).noise.standard_deviation.value();
}

void expect_target_back(const JointPlan& plan, const PrivacyTarget& asked) {
  const PrivacyLoss loss = describe(plan.certificate.loss).loss;
  EXPECT_LE(profile(loss, asked.epsilon).delta().upper(), asked.delta);
  EXPECT_NEAR(epsilon_at(loss, asked.delta).value.upper(), asked.epsilon, 1e-6 * asked.epsilon);
}

TEST(JointRelease, TwelveCountsAreComposedExactly) {
  const JointPlan plan = plan_joint(target, std::vector<ReleaseRequest>(12, count_of("x")));
  EXPECT_NEAR(deviation(plan, 0), 14.63, 0.01);
  EXPECT_NEAR(deviation(plan, 0), std::sqrt(12.0) * calibrate_gaussian(target, 1.0).parameter,
              1e-6);
  expect_target_back(plan, target);
  EXPECT_EQ(plan.names[0], "count by x");
  EXPECT_EQ(plan.names[11], "count by x (12)");
}

TEST(JointRelease, OneAloneIsWhatItIsByItself) {
  const JointPlan plan = plan_joint(target, {mean_wage(7.0)});
  const EverydayPlan alone = plan_everyday(target, Everyday::mean, mean_wage().question);
  EXPECT_NEAR(deviation(plan, 0), *alone.noise.standard_deviation, 1e-9);
}

TEST(JointRelease, WeightsShareTheVariance) {
  const JointPlan plan = plan_joint(target, {count_of("x", 4.0), count_of("y"), mean_wage()});
  EXPECT_NEAR(deviation(plan, 1) / deviation(plan, 0), 2.0, 1e-9);
  expect_target_back(plan, target);
}

TEST(JointRelease, QuantilesAndSumsShareOneBudget) {
  const JointPlan plan = plan_joint(target, {count_of("x"), median_wage(), mean_wage(2.0)});
  expect_target_back(plan, target);
  // Better than half of epsilon and delta for two of them.
  const JointPlan two = plan_joint(target, {count_of("x"), median_wage()});
  const PrivacyTarget half{0.5, 5e-7};
  EXPECT_LT(deviation(two, 0), 0.8 * calibrate_gaussian(half, 1.0).parameter);
}

TEST(JointRelease, PureQuantilesSplitEpsilon) {
  const PrivacyTarget pure{1.0, 0.0};
  const JointPlan plan = plan_joint(pure, {median_wage(), median_wage()});
  EXPECT_NEAR(std::get<QuantilePlan>(plan.parts[0]).range, 0.25, 1e-9);
  EXPECT_LE(std::get<QuantilePlan>(plan.parts[0]).range, 0.25);
  EXPECT_EQ(plan.certificate.loss.at("mechanism").text(), "pure");
  EXPECT_THROW(plan_joint(pure, {median_wage(), mean_wage()}), CalibrationFailed);
  EXPECT_THROW(plan_joint({0.0, 0.0}, {median_wage()}), CalibrationFailed);
}

TEST(JointRelease, RefusesWhatMakesNoSense) {
  EXPECT_THROW(plan_joint(target, {}), InvalidParameter);
  for (const double weight : {0.0, -1.0, HUGE_VAL, std::nan("")})
    EXPECT_THROW(plan_joint(target, {mean_wage(), mean_wage(weight)}), InvalidParameter) << weight;
  StatisticRequest replaced = count_of("x");
  replaced.question.neighbors = Adjacency::replace_one;
  EXPECT_THROW(plan_joint(target, {mean_wage(), replaced}), InvalidParameter);
}

TEST(JointRelease, NamesTellTheLevelWhereRowsDoNot) {
  QuantileRequest request = median_wage();
  EXPECT_EQ(name_of(request), "quantile of wage");
  request.levels = {0.5};
  EXPECT_EQ(name_of(request), "median of wage");
  request.levels = {0.01};
  EXPECT_EQ(name_of(request), "0.01-quantile of wage");
}

TEST(JointRelease, RowsHaveTheNamesOfTheirParts) {
  const testing::TemporaryFolder folder;
  TableFiles files;
  files.paths = {folder.write("rows.csv", "x,wage\na,10\nb,20\na,30\n")};
  const Table table(files);
  const JointPlan plan = plan_joint(target, {count_of("x"), mean_wage(), median_wage()});
  const JointSums sums = accumulate_joint(table, plan);
  testing::SeededSource source(1);
  const Released released = release_joint(plan, sums, source);
  EXPECT_EQ(released.row_names,
            (std::vector<std::string>{"count by x: a", "count by x: b", "mean of wage",
                                      "quantile of wage: 0.25", "quantile of wage: 0.5"}));
  EXPECT_TRUE(released.has_gaps);
  EXPECT_NE(released.certificate.find("release_2_released_counts"), nullptr);
  const Eigen::VectorXd truth = joint_truth(plan, sums);
  EXPECT_EQ(truth[0], 2.0);
  EXPECT_NEAR(truth[2], 20.0, 1e-6);
}

// 1000 draws of noise: their mean square is beyond 5 of its deviations, sqrt(2/1000), once in 10^6.
TEST(JointRelease, NoiseOfEachPartIsThatOfTheCertificate) {
  const JointPlan plan = plan_joint(target, {count_of("x", 3.0), count_of("y")});
  const JointSums sums{EverydaySums{1.0, {500, 700}}, EverydaySums{1.0, {600, 600}}};
  testing::SeededSource source(3);
  Eigen::Vector2d squares = Eigen::Vector2d::Zero();
  for (int i = 0; i < 1000; ++i) {
    const Eigen::MatrixXd values = release_joint(plan, sums, source).values;
    squares[0] += std::pow(values(0, 0) - 500, 2.0);
    squares[1] += std::pow(values(2, 0) - 600, 2.0);
  }
  for (std::size_t part : {0U, 1U}) {
    // 1/12 is for the rounding to whole numbers.
    const double variance = std::pow(deviation(plan, part), 2.0) + 1.0 / 12.0;
    EXPECT_NEAR(squares[static_cast<Eigen::Index>(part)] / 1000.0 / variance, 1.0,
                5.0 * std::sqrt(2.0 / 1000.0));
  }
}

}  // namespace
}  // namespace modicum::joint_release_test
