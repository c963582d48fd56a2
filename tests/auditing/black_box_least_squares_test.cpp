// Private least squares from its samples, against its exact curve: the experiment of
// [LuWei2024, Figure 5] with bounds in place of estimates.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/auditing/black_box.h"
#include "modicum/mechanisms/least_squares.h"
#include "numerics/dense.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"

namespace modicum::testing::black_box_least_squares_test {
namespace {

constexpr double columns = 100.0;

// The answer N(x_opt, |e|^2 (B^T B)^-1 / r) to the table [B, b], from its definition.
Samples answers(const Eigen::MatrixXd& table, int count, SeededRandom& random) {
  const Eigen::Index features = table.cols() - 1;
  const Eigen::MatrixXd design = table.leftCols(features);
  const Eigen::VectorXd target = table.col(features);
  const CholeskyFactor gram(design.transpose() * design);
  const Eigen::VectorXd solution = gram.solve(design.transpose() * target);
  const double residual = (target - design * solution).norm();
  Samples samples;
  std::vector<double> answer(static_cast<std::size_t>(features));
  for (int i = 0; i < count; ++i) {
    // (B^T B)^-1 = L^-T L^-1.
    const Eigen::VectorXd noise = gram.other_half_solve(random_vector(random, features, 1.0));
    Eigen::Map<Eigen::VectorXd>(answer.data(), features) =
        solution + residual / std::sqrt(columns) * noise;
    samples.add(answer);
  }
  return samples;
}

double leverage(const Eigen::MatrixXd& rows, const Eigen::VectorXd& row) {
  return row.dot(CholeskyFactor(rows.transpose() * rows).solve(row).col(0));
}

// Eight bounds at 99.99 % each: one of them is above the truth in fewer than one of 1000 runs.
TEST(BlackBoxLeastSquares, FollowsTheExactCurve) {
  SeededRandom random(2401);
  SeededSource source(2402);
  Eigen::MatrixXd table = Eigen::MatrixXd::NullaryExpr(40, 4, [&] { return random.normal(); });
  table.row(0) *= 2.0;  // the record
  const Eigen::VectorXd record = table.row(0).transpose();
  const double p = leverage(table.leftCols(3), record.head(3)), q = leverage(table, record);
  const PrivacyLoss exact = least_squares(columns, 3.0, p, q);
  const Samples with = answers(table, 20000, random),
                without = answers(table.bottomRows(39), 20000, random);
  struct Point {
    double epsilon, least_share;
  };
  // The bound is lower by 3.7 standard deviations of the guesses, which weigh more the smaller
  // delta is: 0.20, 0.11, 0.056 and 0.008 here.
  for (const auto [epsilon, least_share] :
       {Point{0.0, 0.75}, Point{0.25, 0.75}, Point{0.5, 0.75}, Point{1.0, 0.2}}) {
    const ProfilePoint truth = profile(exact, epsilon, Accuracy::fast);
    const double mean = 0.5 * (truth.forward.lower() + truth.reverse.lower());
    const BlackBoxAudit found = audit_samples(with, without, {epsilon, 1e-6}, 0.9999, source);
    EXPECT_LE(found.delta_lower_bound, truth.delta().upper()) << epsilon;
    EXPECT_LE(found.epsilon_lower_bound, epsilon_at(exact, 1e-6, Accuracy::fast).value.upper());
    // The game sees the mean of both directions.
    EXPECT_GE(found.delta_lower_bound, least_share * mean) << epsilon;
    EXPECT_EQ(found.verdict, BlackBoxVerdict::violated);
  }
}

}  // namespace
}  // namespace modicum::testing::black_box_least_squares_test
