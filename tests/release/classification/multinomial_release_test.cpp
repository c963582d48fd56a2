#include "modicum/release/multinomial_release.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "release/classification/softmax_sums.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::multinomial_release_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);

PassOverRows pass_over(const LabeledBlock& block) {
  return [block](const LabeledWork& work) { work(block)(); };
}

LabeledBlock block_of(const Eigen::MatrixXd& rows, const Eigen::VectorXd& labels,
                      const IntegerClip& clip) {
  return {clipped(rows, clip), labels};
}

Eigen::MatrixXd in_doubles(const GradientSum& sum, Eigen::Index classes) {
  const auto d = static_cast<Eigen::Index>(sum.values.size()) / classes;
  Eigen::MatrixXd result(classes, d);
  for (Eigen::Index k = 0; k < classes; ++k)
    for (Eigen::Index j = 0; j < d; ++j)
      result(k, j) =
          static_cast<double>(sum.values[static_cast<std::size_t>(k * d + j)]) * sum.grid;
  return result;
}

Eigen::VectorXd softmax(const Eigen::VectorXd& scores) {
  const Eigen::VectorXd e = (scores.array() - scores.maxCoeff()).exp();
  return e / e.sum();
}

TEST(SoftmaxGradient, IsTheDerivativeOfTheLoss) {
  SeededRandom random(31);
  const IntegerClip clip(2.0);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Index classes = random.whole(2, 6), d = random.whole(1, 5), n = 7;
    const Eigen::MatrixXd rows = random_rows(random, n, d, 0.4);
    Eigen::VectorXd labels(n);
    for (double& label : labels) label = random.whole(0, static_cast<int>(classes) - 1);
    const Eigen::MatrixXd theta = random_rows(random, classes, d, 1.0);
    const LabeledBlock block = block_of(rows, labels, clip);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(classes, d);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::VectorXd x = clip.grid() * block.features.row(i).transpose();
      Eigen::VectorXd slopes = softmax(theta * x);
      slopes[static_cast<Eigen::Index>(labels[i])] -= 1.0;
      expected += slopes * x.transpose();
    }
    const GradientSum sum = softmax_gradient_sum(pass_over(block), clip, theta, 4.0);
    EXPECT_LT((in_doubles(sum, classes) - expected).norm(), 1e-7);
  }
}

// What a row adds, squared, in whole numbers of the grid, against the bound: both directions of
// neighbors are this one matrix, added or removed.
bool within(const GradientSum& with, const GradientSum& without, double longest) {
  const double limit = std::floor(longest / with.grid);
  Integer128 square = 0;
  for (std::size_t i = 0; i < with.values.size(); ++i) {
    const Integer128 change = with.values[i] - without.values[i];
    square += change * change;
  }
  return square <= static_cast<Integer128>(limit) * static_cast<Integer128>(limit);
}

TEST(SoftmaxGradient, NoRowAddsMoreThanItMay) {
  SeededRandom random(32);
  const IntegerClip clip(1.5);
  double closest = 0.0;
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Index classes = random.whole(2, 8), d = random.whole(1, 6);
    const double longest = random.log_uniform(0.01, 2.5);
    const Eigen::MatrixXd theta = random_rows(random, classes, d, random.log_uniform(1e-2, 1e3));
    Eigen::MatrixXd rows = random_rows(random, 3, d, random.log_uniform(1e-3, 1e3));
    Eigen::VectorXd labels(3);
    for (double& label : labels) label = random.whole(0, static_cast<int>(classes) - 1);
    const GradientSum with =
        softmax_gradient_sum(pass_over(block_of(rows, labels, clip)), clip, theta, longest);
    const GradientSum without = softmax_gradient_sum(
        pass_over(block_of(rows.topRows(2), labels.head(2), clip)), clip, theta, longest);
    EXPECT_TRUE(within(with, without, longest));
    closest = std::max(closest,
                       (in_doubles(with, classes) - in_doubles(without, classes)).norm() / longest);
  }
  EXPECT_GT(closest, 0.999);  // and it is attained
}

// Sums of many rows are exact wherever rows are that add nothing: 2^15 rows of one direction exceed
// 63 bits.
TEST(SoftmaxGradient, RowsOfZerosLeaveTheSumsExact) {
  const IntegerClip clip(1.0);
  const Eigen::Index n = 40000;
  Eigen::MatrixXd rows = Eigen::MatrixXd::Ones(n, 1);
  for (Eigen::Index i = 2047; i < n; i += 2048) rows(i, 0) = 0.0;
  const Eigen::VectorXd labels = Eigen::VectorXd::Zero(n);
  const Eigen::MatrixXd theta = Eigen::MatrixXd::Zero(2, 1);
  const GradientSum one = softmax_gradient_sum(
      pass_over(block_of(rows.topRows(1), labels.head(1), clip)), clip, theta, 2.0);
  const GradientSum all =
      softmax_gradient_sum(pass_over(block_of(rows, labels, clip)), clip, theta, 2.0);
  ASSERT_GT(one.values[1], 0);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_TRUE(all.values[j] == one.values[j] * (n - n / 2048)) << j;
}

// The twin bounds the slope of each class by itself, as one would for two classes.
TEST(SoftmaxGradient, ATwinThatClipsEachClassByItselfIsCaught) {
  const double longest = 0.5;
  const Eigen::VectorXd x = Eigen::VectorXd::Unit(2, 0);
  Eigen::VectorXd slopes(3);
  slopes << 0.9, 0.1, -1.0;  // sure of a wrong class
  Eigen::MatrixXd twin(3, 2);
  for (Eigen::Index k = 0; k < 3; ++k)
    twin.row(k) = std::clamp(slopes[k], -longest, longest) * x.transpose();
  EXPECT_GT(twin.norm(), 1.3 * longest);
}

TEST(SoftmaxGradient, ASureMistakeComesToRootTwo) {
  const IntegerClip clip(1.0);
  Eigen::MatrixXd theta(3, 1);
  theta << 50.0, 0.0, -50.0;
  const LabeledBlock block =
      block_of(Eigen::MatrixXd::Constant(1, 1, 0.999), Eigen::VectorXd::Constant(1, 2.0), clip);
  const Eigen::MatrixXd found =
      in_doubles(softmax_gradient_sum(pass_over(block), clip, theta, 1.5), 3);
  EXPECT_NEAR(found.norm(), std::sqrt(2.0) * 0.999, 1e-5);
}

// Three clouds, told apart by two of three features.
struct Clouds {
  explicit Clouds(long count, std::uint64_t seed = 33) {
    SeededRandom random(seed);
    std::string text = "u,v,w,kind\n";
    const char* names[] = {"red", "green", "blue"};
    for (long i = 0; i < count; ++i) {
      const int k = random.whole(0, 2);
      const double angle = 2.0 * M_PI * k / 3.0;
      text += fmt::format("{},{},{},{}\n", 20.0 + 3.0 * std::cos(angle) + random.normal(),
                          -5.0 + 3.0 * std::sin(angle) + random.normal(), random.normal(),
                          i % 50 == 0 ? "other" : names[k]);
    }
    TableFiles files;
    files.paths = {folder.write("clouds.csv", text)};
    table.emplace(files);
    rule.emplace(*table, std::vector<std::string>{"u", "v", "w"},
                 std::map<std::string, Range>{
                     {"u", Range(0, 60)}, {"v", Range(-30, 30)}, {"w", Range(-9, 9)}},
                 true);
  }
  PublicRows rows() const { return {*rule, bound, BadRows::dropped}; }
  ClassedRows classed(std::vector<std::string> classes) const {
    return {*table, *rule, {"kind", std::move(classes)}, bound};
  }
  TemporaryFolder folder;
  std::optional<Table> table;
  std::optional<RowRule> rule;
  double bound = 2.0;
};

TEST(Multinomial, LearnsClassesAndKeepsItsPromise) {
  const Clouds clouds(3000);
  const ClassedRows rows = clouds.classed({"red", "green", "blue"});
  const MultinomialPlan plan = plan_multinomial(target, clouds.rows(), rows.rule());
  SeededSource source(5);
  const Released released = release_multinomial(plan, rows, source);
  EXPECT_EQ(released.column_names, (std::vector<std::string>{"red", "green", "blue"}));
  EXPECT_EQ(released.row_names, (std::vector<std::string>{"intercept", "u", "v", "w"}));
  EXPECT_LT(released.values.rowwise().sum().norm(), 1e-9 * released.values.norm());
  const Diagnostics found = diagnose_multinomial(released, clouds.rows(), rows);
  EXPECT_EQ(found[0].value, 3000.0 - 60.0);  // others are dropped
  EXPECT_GT(found[1].value, 0.9);
  // Look and steps together are one Gaussian of the target.
  const double mu = std::hypot(plan.look_mu, plan.step_mu * std::sqrt(plan.steps));
  EXPECT_LE(mu, 1.0 / calibrate_gaussian(target, 1.0).parameter);
  EXPECT_GT(mu, 0.999999 / calibrate_gaussian(target, 1.0).parameter);
  EXPECT_LE(released.certificate.achieved.delta().upper(), target.delta);
}

TEST(Multinomial, TheOrderOfLabelsIsThatOfTheColumns) {
  const Clouds clouds(1500);
  const auto drawn = [&](std::vector<std::string> classes) {
    const ClassedRows rows = clouds.classed(std::move(classes));
    SeededSource source(6);
    const PrivacyTarget generous(1e4, 1e-6);
    return release_multinomial(plan_multinomial(generous, clouds.rows(), rows.rule()), rows, source)
        .values;
  };
  const Eigen::MatrixXd one = drawn({"red", "green", "blue"}),
                        other = drawn({"blue", "red", "green"});
  EXPECT_LT((one.col(0) - other.col(1)).norm(), 0.02 * one.norm());
  EXPECT_LT((one.col(2) - other.col(0)).norm(), 0.02 * one.norm());
}

TEST(Multinomial, RefusesWhatDoesNotFit) {
  const Clouds clouds(20);
  EXPECT_TRUE(refuses("labels", [&] { return clouds.classed({"red"}); }));
  EXPECT_TRUE(refuses("labels", [&] { return clouds.classed({"red", "red"}); }));
  EXPECT_TRUE(refuses("target", [&] {
    return ClassedRows(*clouds.table, *clouds.rule, {"u", {"1", "2"}}, 2.0);
  }));
  const ClassedRows rows = clouds.classed({"red", "blue"});
  for (const double bad : {0.0, -1.0, 2.5, 1e9, not_a_number})
    EXPECT_TRUE(refuses("steps",
                        [&] { return plan_multinomial(target, clouds.rows(), rows.rule(), bad); }));
  SeededSource source(7);
  EXPECT_TRUE(refuses("labels", [&] {
    return release_multinomial(plan_multinomial(target, clouds.rows(), {"kind", {"a", "b"}}), rows,
                               source);
  }));
}

}  // namespace
}  // namespace modicum::testing::multinomial_release_test
