// Gradients of regressions in whole numbers against ball arithmetic, and minimizers with a tilt
// against gradient descent in long double, for every loss.
#include "release/regression/linear_fit.h"

#include <gtest/gtest.h>

#include "numerics/ball.h"
#include "release/labeled_blocks.h"
#include "release/small_tables.h"
#include "support/refusals.h"

namespace modicum::testing::linear_fit_test {
namespace {

std::vector<PredictionLoss> all_losses() {
  return {PredictionLoss::logistic(), PredictionLoss::smoothed_hinge(0.5),
          PredictionLoss::huber(0.25), PredictionLoss::squared(1.0),
          PredictionLoss::log_cosh(0.25)};
}

LabeledBlock random_block(SeededRandom& random, const PredictionLoss& loss, long rows,
                          long features, double bound) {
  const Eigen::MatrixXd x = random_rows(random, rows, features, 0.7 * bound);
  Eigen::VectorXd y(rows);
  for (long i = 0; i < rows; ++i) {
    const double number = x(i, 0) / bound + 0.5 * random.normal();
    y[i] = loss.takes_labels() ? (number > 0.0 ? 1.0 : -1.0) : std::clamp(number, -1.0, 1.0);
  }
  return {clipped(x, IntegerClip(bound)), y};
}

// f' written once more, in balls. At a kink both sides have the same slope.
Ball slope_in_balls(const PredictionLoss& loss, const Ball& u, double y) {
  const Ball parameter(loss.parameter());
  const auto clamped = [](const Ball& value, const Ball& low, const Ball& high) {
    return value.middle() < low.middle() ? low : value.middle() > high.middle() ? high : value;
  };
  switch (loss.kind()) {
    case PredictionLossKind::logistic:
      return -Ball(y) / (Ball(1.0) + exp(Ball(y) * u));
    case PredictionLossKind::smoothed_hinge:
      return -Ball(y) *
             clamped((Ball(1.0) + parameter - Ball(y) * u) / (Ball(2.0) * parameter), 0.0, 1.0);
    case PredictionLossKind::huber:
      return clamped(u - Ball(y), -parameter, parameter);
    case PredictionLossKind::log_cosh: {
      const Ball doubled = exp(Ball(2.0) * (u - Ball(y)) / parameter);
      return parameter * (doubled - Ball(1.0)) / (doubled + Ball(1.0));
    }
    case PredictionLossKind::squared:
      break;
  }
  return clamped(u, -parameter, parameter) - Ball(y);
}

std::vector<Ball> gradient_in_balls(const LabeledBlock& block, const LinearObjective& objective,
                                    const LongVector& theta) {
  const auto ball = [](long double value) {
    const auto high = static_cast<double>(value);
    return Ball(high) + Ball(static_cast<double>(value - static_cast<long double>(high)));
  };
  std::vector<Ball> gradient;
  for (Eigen::Index j = 0; j < theta.size(); ++j)
    gradient.push_back(Ball(objective.ridge) * ball(theta[j]) + ball(objective.tilt[j]));
  for (Eigen::Index i = 0; i < block.features.rows(); ++i) {
    Ball u = 0.0;
    for (Eigen::Index j = 0; j < theta.size(); ++j)
      u += Ball(0x1p-20 * block.features(i, j)) * ball(theta[j]);
    const Ball slope = slope_in_balls(objective.loss, u, block.labels[i]);
    for (Eigen::Index j = 0; j < theta.size(); ++j)
      gradient[static_cast<std::size_t>(j)] += slope * Ball(0x1p-20 * block.features(i, j));
  }
  return gradient;
}

TEST(ObjectivePoint, BoundsTheRoundingOfItsGradient) {
  SeededRandom random(2);
  for (int trial = 0; trial < 15; ++trial)
    for (const PredictionLoss& loss : all_losses()) {
      const LabeledBlock block =
          random_block(random, loss, random.whole(1, 400), random.whole(1, 6), 1.0);
      const Eigen::Index d = block.features.cols();
      const LinearObjective objective{loss, random.log_uniform(1e-6, 1e3),
                                      random_vector(random, d, 3.0).cast<long double>()};
      const LongVector asked =
          random_vector(random, d, random.log_uniform(1e-3, 1e4)).cast<long double>();
      const ObjectivePoint point = objective_point(pass_over(block), objective, asked);
      EXPECT_LE((point.theta - asked).norm(), 1e-17L * asked.norm());
      const PrecisionScope scope(200);
      const std::vector<Ball> truth = gradient_in_balls(block, objective, point.theta);
      Ball square = 0.0, length = 0.0;
      for (std::size_t j = 0; j < truth.size(); ++j) {
        const long double found = point.gradient[static_cast<Eigen::Index>(j)];
        const auto high = static_cast<double>(found);
        const Ball off = truth[j] - Ball(high) -
                         Ball(static_cast<double>(found - static_cast<long double>(high)));
        square += off * off;
        length += truth[j] * truth[j];
      }
      EXPECT_LE(sqrt(square).upper(), point.gradient_error) << loss.name();
      EXPECT_LE(sqrt(length).upper(), point.gradient_bound());
      // Not so wide that nothing could be proved.
      EXPECT_LE(point.gradient_error,
                1e-17 * (static_cast<double>(block.labels.size()) +
                         (objective.ridge + 1.0) * static_cast<double>(asked.norm() + 10.0L)));
    }
}

TEST(ObjectivePoint, InDoublesItIsNearAndProvesNothing) {
  SeededRandom random(8);
  for (const PredictionLoss& loss : all_losses()) {
    const LabeledBlock block = random_block(random, loss, 300, 5, 1.0);
    const LinearObjective objective{loss, 0.5, random_vector(random, 5, 3.0).cast<long double>()};
    const LongVector theta = random_vector(random, 5, 2.0).cast<long double>();
    const ObjectivePoint whole = objective_point(pass_over(block), objective, theta);
    const ObjectivePoint quick =
        objective_point(pass_over(block), objective, theta, GradientDigits::doubles);
    EXPECT_LT((whole.gradient - quick.gradient).norm(), 1e-11L);
    EXPECT_LT((whole.hessian - quick.hessian).norm(), 1e-10);
    EXPECT_NEAR(static_cast<double>(whole.value / quick.value), 1.0, 1e-12);
    EXPECT_EQ(quick.gradient_bound(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(whole.rows, quick.rows);
  }
}

TEST(ObjectivePoint, HasTheSlopeAndTheCurvatureOfItsValue) {
  SeededRandom random(3);
  for (const PredictionLoss& loss : all_losses()) {
    const LabeledBlock block = random_block(random, loss, 300, 3, 1.0);
    const LinearObjective objective{loss, 0.7, random_vector(random, 3, 1.0).cast<long double>()};
    const LongVector theta = random_vector(random, 3, 1.0).cast<long double>();
    const LongVector way = random_vector(random, 3, 1.0).cast<long double>();
    const long double step = 1e-6L;
    const auto at = [&](long double t) {
      return objective_point(pass_over(block), objective, theta + t * way);
    };
    const ObjectivePoint here = at(0.0L), up = at(step), down = at(-step);
    EXPECT_NEAR(static_cast<double>((up.value - down.value) / (2.0L * step)),
                static_cast<double>(here.gradient.dot(way)), 1e-4);
    // No kink is passed in so short a step, with this seed.
    const Eigen::VectorXd turned = ((up.gradient - down.gradient) / (2.0L * step)).cast<double>();
    EXPECT_LT((turned - here.hessian * way.cast<double>()).norm(), 1e-6) << loss.name();
  }
}

// Steps of 1/L, L = lambda + c |X|^2, shrink the distance by 1 - lambda/L at least.
Eigen::VectorXd by_gradient_descent(const LabeledBlock& block, const IntegerClip& clip,
                                    const RegressionProblem& problem) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const LongMatrix x = block.features.cast<long double>() * static_cast<long double>(clip.grid());
  const long double lambda = problem.regularization;
  const long double steepest = lambda + problem.loss.largest_curvature() * x.squaredNorm();
  const auto steps = static_cast<long>(60.0L * steepest / lambda) + 10;
  LongVector theta = LongVector::Zero(x.cols());
  for (long step = 0; step < steps; ++step) {
    const LongVector u = x * theta;
    LongVector gradient = lambda * theta + problem.tilt;
    for (Eigen::Index i = 0; i < u.size(); ++i)
      gradient += problem.loss.at<long double>(u[i], block.labels[i]).slope * x.row(i).transpose();
    theta -= gradient / steepest;
  }
  return theta.cast<double>();
}

TEST(Minimize, EndsWhereGradientDescentDoes) {
  SeededRandom random(4);
  for (int trial = 0; trial < 8; ++trial)
    for (const PredictionLoss& loss : all_losses()) {
      const double bound = random.log_uniform(0.1, 10.0);
      const LabeledBlock block =
          random_block(random, loss, random.whole(1, 40), random.whole(1, 4), bound);
      const IntegerClip clip(bound);
      RegressionProblem problem{
          loss, random.log_uniform(0.5, 30.0) * bound * bound,
          random_vector(random, block.features.cols(), 4.0 * bound).cast<long double>()};
      const double tolerance = 0x1p-30 * bound / problem.regularization;
      const RegressionMinimizer found = minimize(pass_over(block), clip, problem, tolerance);
      EXPECT_LE(found.error, tolerance);
      const Eigen::VectorXd other = by_gradient_descent(block, clip, problem);
      EXPECT_LE((found.coefficients - other).norm(), found.error + 2e-16 * other.norm())
          << loss.name();
      EXPECT_EQ(found.rows, static_cast<double>(block.labels.size()));
      // A tilt that is known less well costs its part.
      problem.tilt_error = 0.5 * tolerance * problem.regularization;
      EXPECT_GE(minimize(pass_over(block), clip, problem, tolerance).error, 0.49 * tolerance);
      problem.tilt_error = 2.0 * tolerance * problem.regularization;
      EXPECT_THROW(minimize(pass_over(block), clip, problem, tolerance), Error);
    }
}

// So many rows that the first steps are taken in doubles: the same minimizer, proved as well.
TEST(Minimize, LargeTablesAreApproachedInDoubles) {
  SeededRandom random(9);
  const IntegerClip clip(1.0);
  for (const PredictionLoss& loss : all_losses()) {
    const LabeledBlock block = random_block(random, loss, 11000, 4, 1.0);
    const RegressionProblem problem{loss, 2.0, random_vector(random, 4, 5.0).cast<long double>()};
    const RegressionMinimizer found = minimize(pass_over(block), clip, problem, 0x1p-30);
    EXPECT_LE(found.error, 0x1p-30);
    const LongVector theta = found.coefficients.cast<long double>() * unit_of(clip);
    const LinearObjective objective{loss, 2.0 / unit_of(clip) / unit_of(clip),
                                    problem.tilt / static_cast<long double>(unit_of(clip))};
    EXPECT_LE(objective_point(pass_over(block), objective, theta).gradient_bound() /
                  objective.ridge / unit_of(clip),
              0x1p-29);
    EXPECT_LE(found.passes, 40.0);
  }
}

// Separable, contradictory, with columns of very different sizes, and pulled far away.
TEST(Minimize, HardTablesNeedFewPasses) {
  SeededRandom random(5);
  double most = 0.0;
  std::vector<PredictionLoss> losses = all_losses();
  losses.push_back(PredictionLoss::smoothed_hinge(0.01));
  losses.push_back(PredictionLoss::huber(0.01));
  for (int trial = 0; trial < 150; ++trial)
    for (const PredictionLoss& loss : losses) {
      const long d = random.whole(1, 6), n = random.whole(0, 300);
      Eigen::MatrixXd x = random_rows(random, n, d, random.log_uniform(0.01, 3.0));
      for (long j = 0; j < d; ++j) x.col(j) *= random.log_uniform(1e-3, 1.0);
      Eigen::VectorXd y = Eigen::VectorXd::Ones(n);
      for (long i = 0; i < n && trial % 3 == 1; ++i) y[i] = x(i, 0) > 0.0 ? 1.0 : -1.0;
      for (long i = 0; i < n && trial % 3 == 2; ++i) y[i] = random.sign();
      const LabeledBlock block{clipped(x, IntegerClip(1.0)), y};
      const double lambda = loss.largest_curvature() * random.log_uniform(1e-5, 1e2);
      const RegressionProblem problem{
          loss, lambda,
          random_vector(random, d, random.log_uniform(0.1, 100.0)).cast<long double>()};
      const RegressionMinimizer found =
          minimize(pass_over(block), IntegerClip(1.0), problem, 0x1p-30 / lambda);
      EXPECT_LE(found.error, 0x1p-30 / lambda);
      most = std::max(most, found.passes);
    }
  EXPECT_LE(most, 700.0);
}

TEST(Minimize, WithoutRowsItIsTheTiltOverTheRegularization) {
  for (const PredictionLoss& loss : all_losses()) {
    const LabeledBlock none{RowBlock(0, 2), Eigen::VectorXd(0)};
    const RegressionProblem problem{loss, 4.0, LongVector{{1.0L, -3.0L}}};
    const RegressionMinimizer found = minimize(pass_over(none), IntegerClip(2.0), problem, 1e-9);
    EXPECT_LE((found.coefficients - Eigen::Vector2d(-0.25, 0.75)).norm(), 1e-9);
  }
}

TEST(Minimize, RefusesWhatIsNoProblem) {
  SeededRandom random(6);
  const LabeledBlock block = random_block(random, PredictionLoss::huber(0.25), 20, 2, 1.0);
  const auto solve = [&](double regularization, const Eigen::VectorXd& tilt, double tolerance) {
    return minimize(pass_over(block), IntegerClip(1.0),
                    {PredictionLoss::huber(0.25), regularization, tilt.cast<long double>()},
                    tolerance);
  };
  for (const double bad : {0.0, -1.0, not_a_number, infinity, 1e-40}) {
    EXPECT_TRUE(refuses("regularization", [&] { return solve(bad, Eigen::Vector2d(1, 1), 1e-6); }));
    EXPECT_THROW(solve(1.0, Eigen::Vector2d(1.0, 1.0), bad), Error);
  }
  EXPECT_THROW(solve(1.0, Eigen::Vector2d(1.0, not_a_number), 1e-6), Error);
  EXPECT_THROW(solve(1.0, Eigen::Vector2d(1.0, infinity), 1e-6), Error);
}

}  // namespace
}  // namespace modicum::testing::linear_fit_test
