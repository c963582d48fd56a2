// Bounds on what one row does to a normal posterior, against minimizers found by another route: in
// long double, from weighted rows, which stand for many equal ones.
#include "modicum/mechanisms/bayesian_logistic.h"

#include <gtest/gtest.h>

#include "modicum/privacy/gaussian_pair.h"
#include "numerics/dense.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::bayesian_logistic_test {
namespace {

using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct WeightedRow {
  Vector x;
  long double y, count;
};
using WeightedRows = std::vector<WeightedRow>;

Vector vector_of(std::initializer_list<long double> values) {
  Vector result(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

long double objective(const WeightedRows& rows, const Vector& theta, long double lambda) {
  long double value = lambda / 2 * theta.squaredNorm();
  for (const WeightedRow& row : rows) {
    const long double m = row.y * row.x.dot(theta);
    value += row.count * (m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m);
  }
  return value;
}

// Newton's method with a line search on the objective, until the gradient is 1e-14 of the sum of
// the pulls: its length over lambda bounds the error.
Vector minimizer(const WeightedRows& rows, Eigen::Index dimension, long double lambda) {
  Vector theta = Vector::Zero(dimension);
  long double pulls = 0;
  for (const WeightedRow& row : rows) pulls += row.count * row.x.norm();
  for (int steps = 0; steps < 10000; ++steps) {
    Vector gradient = lambda * theta;
    Matrix hessian = lambda * Matrix::Identity(dimension, dimension);
    for (const WeightedRow& row : rows) {
      const long double p = 1 / (1 + std::exp(row.y * row.x.dot(theta)));
      gradient -= row.count * p * row.y * row.x;
      hessian += row.count * p * (1 - p) * row.x * row.x.transpose();
    }
    if (gradient.norm() <= 1e-17L * (1 + pulls)) return theta;
    // In doubles: a direction need not be exact.
    const Vector step =
        -CholeskyFactor(hessian.cast<double>()).solve(gradient.cast<double>()).cast<long double>();
    const long double here = objective(rows, theta, lambda);
    long double length = 1;
    while (length > 1e-6L && !(objective(rows, theta + length * step, lambda) < here)) length /= 2;
    if (length <= 1e-6L) return theta;  // nothing is left to gain
    theta += length * step;
  }
  ADD_FAILURE() << "no minimizer";
  return theta;
}

Matrix precision(const WeightedRows& rows, Eigen::Index dimension, long double lambda) {
  Matrix result = lambda * Matrix::Identity(dimension, dimension);
  for (const WeightedRow& row : rows) result += row.count / 4 * row.x * row.x.transpose();
  return result;
}

// What the release is drawn from.
GaussianDistribution output(const WeightedRows& rows, Eigen::Index dimension, double lambda,
                            double noise) {
  const Eigen::MatrixXd own =
      CholeskyFactor(precision(rows, dimension, lambda).cast<double>()).inverse();
  return {
      minimizer(rows, dimension, lambda).cast<double>(),
      0.5 * (own + own.transpose()) + noise * Eigen::MatrixXd::Identity(own.rows(), own.cols())};
}

// Whitened by the covariance with the row, which is the smaller.
struct Moved {
  double mean_shift, variance_excess, other_directions;

  Moved(const GaussianDistribution& with, const GaussianDistribution& without) {
    const CholeskyFactor root(with.covariance);
    mean_shift = root.half_solve(with.mean - without.mean).norm();
    const Eigen::VectorXd excess =
        symmetric_eigenvalues(root.whitened(without.covariance)).array() - 1.0;
    variance_excess = excess.maxCoeff();
    other_directions =
        excess.size() > 1 ? excess.head(excess.size() - 1).cwiseAbs().maxCoeff() : 0.0;
  }
};

Vector random_row(SeededRandom& random, Eigen::Index dimension, double norm) {
  Vector x = random_vector(random, dimension, 1.0).cast<long double>();
  return norm / x.norm() * x;
}

WeightedRows with(WeightedRows rows, const WeightedRow& added) {
  rows.push_back(added);
  return rows;
}

TEST(BayesianLogisticSensitivity, IsTheFormulaRoundedUpwards) {
  SeededRandom random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const long double lambda = random.log_uniform(1e-3, 1e3), l = random.log_uniform(1e-2, 1e2),
                      s = random.log_uniform(1e-6, 1e6), e = random.log_uniform(1e-9, 1e-3),
                      n = random.whole(1, 1000000);
    const auto narrow = [](long double x) { return static_cast<double>(x); };
    const OutputSensitivity with_rows = bayesian_logistic_sensitivity(
        LogisticShape(narrow(lambda), narrow(l), narrow(e), narrow(n)), narrow(s));
    const OutputSensitivity without = bayesian_logistic_sensitivity(
        LogisticShape(narrow(lambda), narrow(l), narrow(e)), narrow(s));
    const long double shift = l / lambda + 2 * e;
    const auto just_above = [](double bound, long double truth) {
      // Long double rounds, too: some units of 2^-64.
      return bound >= truth * (1 - 1e-18L) && bound <= truth * (1 + 1e-15L);
    };
    EXPECT_TRUE(
        just_above(with_rows.mean_shift, shift / std::sqrt(s + 1 / (lambda + n * l * l / 4))));
    EXPECT_TRUE(just_above(without.mean_shift, shift / std::sqrt(s)));
    const long double excess = l * l / (4 * lambda * (1 + s * (lambda + l * l / 4)));
    EXPECT_TRUE(just_above(with_rows.variance_excess, excess));
    EXPECT_EQ(without.variance_excess, with_rows.variance_excess);
    EXPECT_EQ(without.rank, 1.0);
  }
}

TEST(BayesianLogisticSensitivity, FallsWithTheNoiseAndGrowsWithTheRows) {
  const LogisticShape few(10.0, 1.0, 1e-6, 100.0), more(10.0, 1.0, 1e-6, 1000.0),
      any(10.0, 1.0, 1e-6);
  double shift = infinity, excess = infinity;
  for (double noise = 1e-8; noise < 1e8; noise *= 3.0) {
    const OutputSensitivity found = bayesian_logistic_sensitivity(more, noise);
    EXPECT_LT(found.mean_shift, shift);
    EXPECT_LT(found.variance_excess, excess);
    EXPECT_LT(bayesian_logistic_sensitivity(few, noise).mean_shift, found.mean_shift);
    EXPECT_LE(found.mean_shift, bayesian_logistic_sensitivity(any, noise).mean_shift);
    shift = found.mean_shift;
    excess = found.variance_excess;
  }
  EXPECT_TRUE(std::isfinite(bayesian_logistic_sensitivity(few, 0.0).mean_shift));
}

TEST(BayesianLogisticSensitivity, IsNeverExceededByRandomNeighbors) {
  SeededRandom random(2);
  double largest_shift = 0.0, largest_excess = 0.0;
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Index d = random.whole(1, 4);
    const double l = random.log_uniform(0.1, 10.0), lambda = random.log_uniform(0.01, 10.0) * l * l,
                 noise = random.log_uniform(1e-4, 10.0) / lambda;
    WeightedRows rows;
    double n = 1.0;
    for (int i = random.whole(0, 6); i > 0; --i) {
      const double count = random.whole(1, trial % 2 == 0 ? 3 : 1000);
      rows.push_back({random_row(random, d, l * random.uniform(0.2, 1.0)), random.sign(), count});
      n += count;
    }
    const WeightedRow added{random_row(random, d, l), random.sign(), 1};
    const Moved moved(output(with(rows, added), d, lambda, noise), output(rows, d, lambda, noise));
    const OutputSensitivity bound =
        bayesian_logistic_sensitivity(LogisticShape(lambda, l, 0.0, n), noise);
    EXPECT_LE(moved.mean_shift, bound.mean_shift * (1 + 1e-9));
    EXPECT_LE(moved.variance_excess, bound.variance_excess * (1 + 1e-7) + 1e-13);
    EXPECT_LE(moved.other_directions, 1e-9);
    largest_shift = std::max(largest_shift, moved.mean_shift / bound.mean_shift);
    largest_excess = std::max(largest_excess, moved.variance_excess / bound.variance_excess);
  }
  // The trials come near enough for the comparison to mean something.
  EXPECT_GT(largest_shift, 0.4);
  EXPECT_GT(largest_excess, 0.9);
}

// The first row of all: equality, in any dimension.
TEST(BayesianLogisticSensitivity, TheVarianceOfAnEmptyTableAttainsIt) {
  SeededRandom random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::Index d = random.whole(1, 3);
    const double l = random.log_uniform(0.1, 10.0), lambda = random.log_uniform(0.01, 10.0) * l * l,
                 noise = random.log_uniform(1e-3, 10.0) / lambda;
    const WeightedRows one{{random_row(random, d, l), 1, 1}};
    const Moved moved(output(one, d, lambda, noise), output({}, d, lambda, noise));
    const double bound =
        bayesian_logistic_sensitivity(LogisticShape(lambda, l), noise).variance_excess;
    EXPECT_NEAR(moved.variance_excess / bound, 1.0, 1e-9 + 1e-13 / bound);
  }
}

// Rows (0, 1) in great number hold theta_2 far below 0, so that rows (0.6, 0.8) with the other
// label pull at theta_1 with all their force and bend nothing; and as many rows as you like, on
// the right side and far from the plane, take away the variance.
WeightedRows saturated_rows(long double idle) {
  return {{vector_of({0.0L, 1.0L}), -1, 1e12L},
          {vector_of({0.6L, 0.8L}), 1, 20},
          {vector_of({0.6L, -0.8L}), 1, idle}};
}

TEST(BayesianLogisticSensitivity, TheShiftOfTheMeanIsNearlyAttained) {
  const double lambda = 1.0, noise = 0.5;
  const WeightedRow added{vector_of({1.0L, 0.0L}), -1, 1};
  const WeightedRows rows = saturated_rows(1e6L);
  const GaussianDistribution after = output(with(rows, added), 2, lambda, noise),
                             before = output(rows, 2, lambda, noise);
  EXPECT_GT((after.mean - before.mean).norm(), 0.98);
  EXPECT_LE((after.mean - before.mean).norm(), 1.0);
  const OutputSensitivity bound = bayesian_logistic_sensitivity(LogisticShape(lambda, 1.0), noise);
  const Moved moved(after, before);
  EXPECT_GT(moved.mean_shift, 0.98 * bound.mean_shift);
  EXPECT_LE(moved.mean_shift, bound.mean_shift);
}

// In one dimension a row that is far on the wrong side meets rows that bend the objective.
TEST(BayesianLogisticSensitivity, OneDimensionIsHalfAsBad) {
  double largest = 0.0;
  for (const long double lambda : {0.01L, 0.1L, 1.0L, 10.0L})
    for (long double count = 0.5; count < 1e9L; count *= 2) {
      const WeightedRows rows{{vector_of({1.0L}), 1, count}};
      const WeightedRow added{vector_of({1.0L}), -1, 1};
      const long double shift =
          minimizer(rows, 1, lambda)[0] - minimizer(with(rows, added), 1, lambda)[0];
      EXPECT_LE(shift * lambda, 1.0L);
      largest = std::max(largest, static_cast<double>(shift * lambda));
    }
  EXPECT_GT(largest, 0.4);
}

TEST(CalibrateBayesianLogistic, MeetsTheTargetForNeighborsThatAreBuiltToBreakIt) {
  const PrivacyTarget target(1.0, 1e-5);
  const double lambda = 1.0;
  const LogisticShape shape(lambda, 1.0);
  const LiftCalibration found = calibrate_bayesian_logistic(target, shape);
  EXPECT_LE(found.bounds.delta().delta().upper(), target.delta);
  const WeightedRow added{vector_of({1.0L, 0.0L}), -1, 1};
  const auto delta = [&](const WeightedRows& rows, double noise) {
    const std::optional<GaussianSpectrum> pair =
        reduce_pair(output(with(rows, added), 2, lambda, noise), output(rows, 2, lambda, noise));
    return profile(PrivacyLoss::gaussian(pair.value()), target.epsilon).delta();
  };
  for (const long double idle : {1.0L, 1e3L, 1e6L}) {
    EXPECT_LE(delta(saturated_rows(idle), found.noise_variance).upper(), target.delta);
    // Noise 30 % too small is caught by the same tables.
    EXPECT_GT(delta(saturated_rows(idle), 0.7 * found.noise_variance).lower(), target.delta);
  }
  EXPECT_LE(delta({}, found.noise_variance).upper(), target.delta);
}

TEST(CalibrateBayesianLogistic, APromiseAboutTheRowsNeedsLessNoise) {
  const PrivacyTarget target(1.0, 1e-6);
  double before = 0.0;
  for (const double rows : {10.0, 100.0, 1000.0}) {
    const double noise =
        calibrate_bayesian_logistic(target, LogisticShape(10.0, 1.0, 0.0, rows)).noise_variance;
    EXPECT_GT(noise, before);
    before = noise;
  }
  EXPECT_GT(calibrate_bayesian_logistic(target, LogisticShape(10.0, 1.0)).noise_variance, before);
}

// With so much regularization and so few rows the posterior itself is private.
TEST(CalibrateBayesianLogistic, ThePosteriorMayBeWideEnough) {
  const PrivacyTarget target(1.0, 1e-6);
  const LogisticShape shape(1000.0, 1.0, 0.0, 1000.0);
  EXPECT_LT(calibrate_bayesian_logistic(target, shape).noise_variance, 1e-12);
  EXPECT_LE(lifted_bounds(bayesian_logistic_sensitivity(shape, 0.0), 1.0).delta().delta().upper(),
            target.delta);
}

TEST(CalibrateBayesianLogistic, DependsOnTheRatioOfTheUnitsOnly) {
  const PrivacyTarget target(1.0, 1e-6);
  const double noise = calibrate_bayesian_logistic(target, LogisticShape(10.0, 1.0)).noise_variance;
  for (const double unit : {0x1p-100, 0x1p-10, 0x1p100}) {
    const LogisticShape scaled(10.0 * unit * unit, unit);
    EXPECT_NEAR(calibrate_bayesian_logistic(target, scaled).noise_variance * unit * unit / noise,
                1.0, 1e-3);
  }
}

TEST(DefaultLogisticRegularization, MakesTheNoiseHalfAUnitOfLogOdds) {
  for (const double epsilon : {0.1, 1.0, 5.0})
    for (const double bound : {0.1, 1.0, 20.0}) {
      const PrivacyTarget target(epsilon, 1e-6);
      const LogisticShape shape(default_logistic_regularization(target, bound), bound);
      const double noise = calibrate_bayesian_logistic(target, shape).noise_variance;
      // 1/2 from the shift of the mean, and some more for the variance.
      EXPECT_GE(bound * std::sqrt(noise), 0.5);
      EXPECT_LE(bound * std::sqrt(noise), 0.6);
    }
}

TEST(LogisticShape, RefusesWhatMakesNoSense) {
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("regularization", [&] { return LogisticShape(bad, 1.0); }));
    EXPECT_TRUE(refuses("row_norm_bound", [&] { return LogisticShape(1.0, bad); }));
    EXPECT_TRUE(refuses("largest_rows", [&] { return LogisticShape(1.0, 1.0, 0.0, bad); }));
    EXPECT_TRUE(refuses("noise_variance", [&] {
      return bayesian_logistic_sensitivity(LogisticShape(1.0, 1.0), bad).rank;
    }));
  }
  for (const double bad : {-1.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("minimizer_error", [&] { return LogisticShape(1.0, 1.0, bad); }));
  EXPECT_TRUE(refuses("noise_variance", [&] {
    return bayesian_logistic_sensitivity(LogisticShape(1.0, 1.0, 0.0, 10.0), -1.0).rank;
  }));
  EXPECT_TRUE(refuses("largest_rows", [&] { return LogisticShape(1.0, 1.0, 0.0, 1.5); }));
  EXPECT_THROW(calibrate_bayesian_logistic({1.0, 0.0}, LogisticShape(1.0, 1.0)), CalibrationFailed);
  EXPECT_THROW(default_logistic_regularization({1.0, 0.0}, 1.0), CalibrationFailed);
  EXPECT_TRUE(refuses("row_norm_bound", [] {
    return default_logistic_regularization({1.0, 1e-6}, -1.0);
  }));
}

}  // namespace
}  // namespace modicum::testing::bayesian_logistic_test
