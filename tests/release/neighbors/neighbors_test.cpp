// The privacy of every mechanism, on explicit neighbors: each row deleted, and the worst rows
// added. The laws of the releases are written down here anew, reduced with proof, and compared with
// the target in both directions.
#include <gtest/gtest.h>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "numerics/dense.h"
#include "release/small_tables.h"

namespace modicum::testing::neighbors_test {
namespace {

constexpr double bound = 1.25;
const std::vector<PrivacyTarget> targets{{0.2, 1e-3}, {1.0, 1e-6}, {4.0, 1e-5}};

PublicRows coordinates(long dimension) {
  std::vector<std::string> names;
  for (long i = 0; i < dimension; ++i) names.push_back("c" + std::to_string(i));
  return {names, bound};
}

struct Neighbors {
  IntegerGram with, without;
};

void add_pair(std::vector<Neighbors>& pairs, const Eigen::MatrixXd& rows,
              const Eigen::VectorXd& added) {
  pairs.push_back({gram_of(with_row(rows, added), bound), gram_of(rows, bound)});
}

// Small tables, the empty one among them; rows deleted, rows of full norm added: along the
// eigenvector of the least eigenvalue, along the axes, in random directions.
std::vector<Neighbors> some_neighbors(long dimension) {
  SeededRandom random(100 + static_cast<std::uint64_t>(dimension));
  std::vector<Neighbors> pairs;
  for (const long size : {0L, 1L, 6L}) {
    const Eigen::MatrixXd rows = random_rows(random, size, dimension, 0.8);
    for (Eigen::Index i = 0; i < size; ++i)
      pairs.push_back({gram_of(rows, bound), gram_of(without_row(rows, i), bound)});
    const SymmetricEigen axes = symmetric_eigen(gram_of(rows, bound).matrix());
    add_pair(pairs, rows, 10.0 * bound * axes.vectors.col(0));
    add_pair(pairs, rows, 10.0 * bound * Eigen::VectorXd::Unit(dimension, 0));
    add_pair(pairs, rows, 10.0 * bound * Eigen::VectorXd::Unit(dimension, dimension - 1));
    for (int i = 0; i < 3; ++i) add_pair(pairs, rows, random_vector(random, dimension, 10.0));
  }
  return pairs;
}

// The larger delta, both directions, of `columns` independent draws. Estimated reductions carry an
// honest bound on their rounding: for laws that are themselves only computed in doubles.
double delta_of(const GaussianDistribution& x, const GaussianDistribution& y, double columns,
                double epsilon, Accuracy accuracy = Accuracy::certified) {
  const auto spectrum = reduce_pair(x, y, accuracy);
  if (!spectrum) return 1.0;
  return profile(PrivacyLoss::gaussian(*spectrum).repeated(columns), epsilon).delta().upper();
}

GaussianDistribution sketch_column(const IntegerGram& gram, double ridge) {
  const Eigen::Index d = gram.dimension;
  return {Eigen::VectorXd::Zero(d), gram.matrix() + ridge * Eigen::MatrixXd::Identity(d, d)};
}

// What the rounding of the matrices to doubles may do to delta, relative; the engine's own
// enclosures are included in delta_of.
constexpr double slack = 1.0 + 1e-9;

TEST(Neighbors, SketchesMeetTheTarget) {
  using enum ProjectionMethod;
  for (const PrivacyTarget& target : targets)
    for (const ProjectionMethod method : {projection, singular_value, additive})
      for (const double columns : {1.0, 20.0}) {
        const ProjectionPlan plan =
            plan_projection(target, coordinates(3), {method, columns, {}, {}, {}, {}});
        double largest = 0.0;
        for (const Neighbors& pair : some_neighbors(3))
          largest = std::max(
              largest, delta_of(sketch_column(pair.with, plan.ridge),
                                sketch_column(pair.without, plan.ridge), columns, target.epsilon));
        EXPECT_LE(largest, slack * plan.certificate.achieved.delta().upper());
        EXPECT_LE(largest, slack * target.delta);
        // A single row has the worst leverage: the ridge is not larger than it must be.
        if (method == projection) {
          EXPECT_GT(largest, 0.99 * target.delta);
        }
      }
}

// Entries of the lower triangle are independent normals.
GaussianDistribution noisy_triangle(const IntegerGram& gram, const CovariancePlan& plan) {
  const Eigen::Index d = gram.dimension, size = d * (d + 1) / 2;
  GaussianDistribution result{Eigen::VectorXd(size), Eigen::MatrixXd::Zero(size, size)};
  const Eigen::MatrixXd matrix = gram.matrix();
  Eigen::Index place = 0;
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j <= i; ++j, ++place) {
      const double deviation = i == j ? plan.diagonal_standard_deviation : plan.standard_deviation;
      result.mean[place] = matrix(i, j);
      result.covariance(place, place) = deviation * deviation;
    }
  return result;
}

TEST(Neighbors, NoisySecondMomentsMeetTheTarget) {
  for (const PrivacyTarget& target : targets) {
    const CovariancePlan plan = plan_covariance(target, coordinates(3), {});
    double largest = 0.0;
    for (const Neighbors& pair : some_neighbors(3))
      largest =
          std::max(largest, delta_of(noisy_triangle(pair.with, plan),
                                     noisy_triangle(pair.without, plan), 1.0, target.epsilon));
    EXPECT_LE(largest, slack * target.delta);
    EXPECT_GT(largest, 0.99 * target.delta);
  }
}

// N(x, |e|^2 (B^T B)^-1 / r) of the augmented system, by the normal equations.
GaussianDistribution solution_law(const IntegerGram& gram, const RegressionPlan& plan) {
  const Eigen::Index d = gram.dimension - 1;
  const Eigen::MatrixXd all =
      gram.matrix() + plan.sketch()->ridge * Eigen::MatrixXd::Identity(d + 1, d + 1);
  const Eigen::MatrixXd inverse = CholeskyFactor(all.topLeftCorner(d, d)).inverse();
  const Eigen::VectorXd right = all.col(d).head(d), x = inverse * right;
  const Eigen::MatrixXd covariance = (all(d, d) - right.dot(x)) / plan.sketch()->columns * inverse;
  return {x, 0.5 * (covariance + covariance.transpose())};
}

TEST(Neighbors, LeastSquaresMeetsTheTarget) {
  for (const PrivacyTarget& target : targets)
    for (const long features : {1L, 2L})
      for (const double columns : {1.0, 50.0}) {
        const RegressionPlan plan =
            plan_regression(target, coordinates(features + 1),
                            {RegressionMethod::least_squares, columns, {}, {}, {}});
        double largest = 0.0;
        for (const Neighbors& pair : some_neighbors(features + 1))
          largest = std::max(
              largest, delta_of(solution_law(pair.with, plan), solution_law(pair.without, plan),
                                1.0, target.epsilon, Accuracy::fast));
        EXPECT_LE(largest, 1.000001 * target.delta) << features << " " << columns;
        EXPECT_GT(largest, 0.0);
      }
}

// Propose-test-release: the law of the noisy eigenvalue t, and that of the sketch given t. With
// L(t) the loss of t, delta is the integral of p(t) delta_t(epsilon - L(t)).
double tested_delta(const IntegerGram& x, const IntegerGram& y, const ProposeTestRelease& test,
                    double epsilon) {
  const auto least = [](const IntegerGram& gram) {
    return symmetric_eigenvalues(gram.matrix())[0];
  };
  const double a = least(x), b = least(y), s = test.eigenvalue_noise;
  const int panels = 160;
  const double width = 16.0 * s, step = width / panels;
  double sum = 0.0;
  for (int i = 0; i <= panels; ++i) {
    const double t = a - 0.5 * width + i * step;
    const double density =
        std::exp(-0.5 * (t - a) * (t - a) / (s * s)) / (s * std::sqrt(2.0 * M_PI));
    const double loss = (0.5 * (t - b) * (t - b) - 0.5 * (t - a) * (t - a)) / (s * s);
    const double ridge = test.ridge(std::max(t - test.margin, 0.0));
    const auto spectrum =
        reduce_pair(sketch_column(x, ridge), sketch_column(y, ridge), Accuracy::fast);
    double delta = 1.0;
    if (spectrum)
      delta = directed_delta(PrivacyLoss::gaussian(*spectrum).repeated(test.columns).forward(),
                             epsilon - loss, Accuracy::fast)
                  .value.upper();
    const double weight = i == 0 || i == panels ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * step / 3.0 * density * delta;
  }
  return sum;
}

TEST(Neighbors, ProposeTestReleaseMeetsTheTarget) {
  const PrivacyTarget target(1.0, 1e-3);
  const ProjectionPlan plan = plan_projection(
      target, coordinates(2), {ProjectionMethod::propose_test_release, 10.0, {}, {}, {}, {}});
  // Least eigenvalues around what decides on the ridge.
  for (const double size : {0.0, 0.5, 1.0, 1.5}) {
    const double eigenvalue = size * (plan.test->ridge_target + plan.test->margin);
    IntegerGram without = gram_of(Eigen::MatrixXd::Identity(2, 2), bound);
    for (Integer128& entry : without.entries)
      entry = static_cast<Integer128>(static_cast<double>(entry) * eigenvalue);
    for (const Eigen::Vector2d& direction :
         {Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.6, 0.8)}) {
      IntegerGram with = without;
      const IntegerGram row = gram_of(10.0 * bound * direction.transpose(), bound);
      for (std::size_t i = 0; i < with.entries.size(); ++i) with.entries[i] += row.entries[i];
      EXPECT_LE(tested_delta(with, without, *plan.test, target.epsilon), target.delta);
      EXPECT_LE(tested_delta(without, with, *plan.test, target.epsilon), target.delta);
    }
  }
}

// What adaptive sufficient statistics perturb moves by the square of the norm bound at most.
TEST(Neighbors, AdaptiveStatisticsMoveByTheirSensitivity) {
  for (const Neighbors& pair : some_neighbors(3)) {
    const Eigen::MatrixXd with = pair.with.matrix(), without = pair.without.matrix();
    const Eigen::MatrixXd change = with - without;
    const auto least = [](const Eigen::MatrixXd& matrix) {
      return symmetric_eigenvalues(matrix.topLeftCorner(2, 2))[0];
    };
    const double most = bound * bound * (1.0 + 1e-12);
    EXPECT_LE(std::abs(least(with) - least(without)), most);
    EXPECT_LE(change.topLeftCorner(2, 2).norm(), most);
    EXPECT_LE(change.col(2).head(2).norm(), most);
  }
  for (const PrivacyTarget& target : targets) {
    const RegressionPlan plan = plan_regression(
        target, coordinates(3), {RegressionMethod::adaptive_sufficient_statistics, {}, {}, {}, {}});
    // Three Gaussians that spend all of delta, and the loss that says so.
    EXPECT_LE(plan.certificate.achieved.delta().upper(), target.delta);
    EXPECT_GE(plan.certificate.achieved.delta().upper(), 0.999 * target.delta);
    const double distance =
        std::sqrt(3.0) * bound * bound / std::get<AdaptiveSolution>(plan.draw).standard_deviation;
    EXPECT_NEAR(profile(gaussian_differential_privacy(distance), target.epsilon).delta().upper() /
                    target.delta,
                1.0, 1e-3);
    EXPECT_TRUE(plan.certificate.loss.contains("compose"));
  }
}

}  // namespace
}  // namespace modicum::testing::neighbors_test
