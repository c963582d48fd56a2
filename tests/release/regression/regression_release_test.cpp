// Laws of released coefficients; a false alarm has probability at most 1e-9 each.
#include "modicum/release/regression_release.h"

#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "modicum/mechanisms/random_projection.h"
#include "numerics/ball.h"
#include "numerics/dense.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::regression_release_test {
namespace {

using Method = RegressionMethod;
const PrivacyTarget target(1.0, 1e-5);

PublicRows coordinates(long dimension, double bound) {
  std::vector<std::string> names;
  for (long i = 0; i + 1 < dimension; ++i) names.push_back("x" + std::to_string(i));
  names.push_back("y");
  return {names, bound};
}

RegressionRequest request_for(Method method, std::optional<double> columns = {}) {
  return {method, columns, {}, {}, {}};
}

// x and |e|^2 of the augmented system by the normal equations, not by a triangle.
struct Solution {
  Solution(const IntegerGram& gram, double ridge) {
    const Eigen::Index d = gram.dimension - 1;
    const Eigen::MatrixXd all = gram.matrix() + ridge * Eigen::MatrixXd::Identity(d + 1, d + 1);
    features = all.topLeftCorner(d, d);
    x = solve_square(features, all.col(d).head(d));
    residual = all(d, d) - all.col(d).head(d).dot(x);
  }
  Eigen::MatrixXd features;
  Eigen::VectorXd x;
  double residual;

  // (B^T B)^{1/2} (estimate - x) / |e|, with Cholesky's root.
  Eigen::VectorXd whitened(const Eigen::VectorXd& estimate) const {
    const Eigen::MatrixXd root = CholeskyFactor(features).lower();
    return root.transpose() * (estimate - x) / std::sqrt(residual);
  }
};

// A regression with a strong signal, y last.
Eigen::MatrixXd some_rows(SeededRandom& random, long rows, long features) {
  Eigen::MatrixXd result = random_rows(random, rows, features + 1, 0.3);
  result.col(features) = 0.2 * result.col(features) + 0.7 * result.col(0);
  return result;
}

TEST(ReleaseRegression, LeastSquaresIsADrawFromItsNormalLaw) {
  SeededRandom random(1);
  SeededSource source(2);
  const IntegerGram gram = gram_of(some_rows(random, 200, 3), 1.0);
  const RegressionPlan plan =
      plan_regression(target, coordinates(4, 1.0), request_for(Method::least_squares, 20.0));
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
  const Solution truth(gram, plan.sketch()->ridge);
  std::vector<double> entries;
  Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
  const int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    const Released released = release_regression(plan, gram, source);
    const Eigen::VectorXd z = std::sqrt(20.0) * truth.whitened(released.values.col(1));
    products += z * z.transpose() / draws;
    entries.insert(entries.end(), z.begin(), z.end());
  }
  EXPECT_LT(largest_deviation(entries, normal_below), deviation_allowed(3.0 * draws));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) EXPECT_LT(std::abs(products(i, j)), 8.0 / std::sqrt(draws));
}

// P[t <= x] of Student's law.
double student_below(double degrees, double x) {
  Ball tail;
  const Ball half = degrees / 2.0, a = 0.5, z = degrees / (degrees + x * x);
  arb_hypgeom_beta_lower(tail.raw(), half.raw(), a.raw(), z.raw(), 1, 64);
  return x < 0.0 ? tail.middle() / 2.0 : 1.0 - tail.middle() / 2.0;
}

// Given the features of the sketch, its solution is normal around x; without them each whitened
// coordinate is Student's with r - d + 1 degrees of freedom, over their root.
TEST(ReleaseRegression, SolvedSketchesHaveStudentsLaw) {
  SeededRandom random(3);
  SeededSource source(4);
  const IntegerGram gram = gram_of(some_rows(random, 200, 3), 1.0);
  for (const Method method :
       {Method::approximate, Method::projection, Method::singular_value, Method::additive}) {
    const RegressionPlan plan =
        plan_regression(target, coordinates(4, 1.0), request_for(method, 8.0));
    const Solution truth(gram, plan.sketch()->ridge);
    std::vector<double> entries;
    const int draws = 4000;
    const double degrees = 8.0 - 3.0 + 1.0;
    for (int i = 0; i < draws; ++i) {
      const Released released = release_regression(plan, gram, source);
      entries.push_back(std::sqrt(degrees) * truth.whitened(released.values.col(1))[1]);
    }
    const auto law = [&](double x) { return student_below(degrees, x); };
    EXPECT_LT(largest_deviation(entries, law), deviation_allowed(draws))
        << static_cast<int>(method);
  }
}

TEST(ReleaseRegression, NoiseOnTheSolutionIsNormal) {
  SeededRandom random(5);
  SeededSource source(6);
  const IntegerGram gram = gram_of(some_rows(random, 200, 2), 1.0);
  RegressionRequest request = request_for(Method::relative_gaussian);
  request.solution_sensitivity = 0.01;
  const RegressionPlan plan = plan_regression(target, coordinates(3, 1.0), request);
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::relative);
  const Solution truth(gram, 0.0);
  std::vector<double> entries;
  for (int i = 0; i < 3000; ++i) {
    const Eigen::VectorXd x = release_regression(plan, gram, source).values.col(1);
    for (int j = 0; j < 2; ++j)
      entries.push_back((x[j] - truth.x[j]) /
                        std::get<NoisySolution>(plan.draw).standard_deviation);
  }
  EXPECT_LT(largest_deviation(entries, normal_below), deviation_allowed(6000));
}

// So many rows that noise does not matter: every method finds the least-squares solution.
TEST(ReleaseRegression, EveryMethodIsRightInTheLimitOfManyRows) {
  SeededRandom random(7);
  SeededSource source(8);
  IntegerGram gram = gram_of(some_rows(random, 400, 3), 1.0);
  for (Integer128& entry : gram.entries) entry *= 1000000000;
  const Eigen::VectorXd truth = Solution(gram, 0.0).x;
  for (const Method method :
       {Method::least_squares, Method::approximate, Method::projection, Method::covariance,
        Method::adaptive_sufficient_statistics, Method::singular_value, Method::additive}) {
    const bool sketched =
        method != Method::covariance && method != Method::adaptive_sufficient_statistics;
    const RegressionPlan plan =
        plan_regression(target, coordinates(4, 1.0),
                        request_for(method, sketched ? std::optional(1e6) : std::nullopt));
    const Eigen::VectorXd x = release_regression(plan, gram, source).values.col(1);
    // A sketch of a million columns has a relative error of about 1e-3 times |e|; 1 % is ample.
    EXPECT_LT((x - truth).norm(), 0.01 * truth.norm()) << static_cast<int>(method);
  }
}

TEST(ReleaseRegression, CoefficientsAreInTheUnitsOfTheFile) {
  // wage = 3 + 2 age - 0.5 hours without error, on ranges whose centers are not 0.
  const TemporaryFolder folder;
  std::string text = "age,hours,wage\n";
  for (int age = 20; age <= 60; ++age)
    for (int hours = 10; hours <= 50; hours += 2)
      for (int copies = 0; copies < 20; ++copies)
        text += std::to_string(age) + "," + std::to_string(hours) + "," +
                std::to_string(3.0 + 2.0 * age - 0.5 * hours) + "\n";
  const Table table({{folder.write("x.csv", text)}, true, ','});
  const std::map<std::string, Range> ranges{
      {"age", {20.0, 70.0}}, {"hours", {0.0, 60.0}}, {"wage", {0.0, 150.0}}};
  SeededSource source(9);
  for (const bool intercept : {true, false}) {
    const RowRule rule(table, {}, ranges, intercept);
    const double bound = rule.natural_norm_bound();
    RegressionRequest request = request_for(Method::relative);
    request.columns = 1e6;
    request.set_leverage = 1e-9;
    request.set_residual = 1e-9;
    const RegressionPlan plan =
        plan_regression(target, PublicRows(rule, bound, BadRows::dropped), request);
    ASSERT_EQ(plan.sketch()->ridge, 0.0);
    const Released released = release_regression(plan, accumulate_gram(table, rule, bound), source);
    ASSERT_EQ(released.row_names, (std::vector<std::string>{"intercept", "age", "hours"}));
    // Without an intercept the center of the ranges is on the plane, which is not true here.
    if (!intercept) {
      EXPECT_EQ(released.values(0, 1), 0.0);
      const double at_center =
          released.values(0, 0) + 45.0 * released.values(1, 0) + 30.0 * released.values(2, 0);
      EXPECT_NEAR(at_center, 75.0, 1e-9);
      continue;
    }
    EXPECT_NEAR(released.values(0, 0), 3.0, 0.05);
    EXPECT_NEAR(released.values(1, 0), 2.0, 0.001);
    EXPECT_NEAR(released.values(2, 0), -0.5, 0.001);
  }
}

TEST(ReleaseRegression, FailsClosedOnASingularSystem) {
  SeededSource source(10);
  RegressionRequest request = request_for(Method::relative, 100.0);
  request.set_leverage = 1e-9;
  request.set_residual = 1e-9;
  const RegressionPlan plan = plan_regression(target, coordinates(3, 1.0), request);
  const IntegerGram empty = gram_of(Eigen::MatrixXd(0, 3), 1.0);
  EXPECT_THROW(release_regression(plan, empty, source), Error);
  // That it does depends on the rows: the certificate says so before.
  RegressionRequest other = request_for(Method::relative_gaussian);
  other.solution_sensitivity = 0.01;
  for (const RegressionRequest& each : {request, other}) {
    const RegressionPlan said = plan_regression(target, coordinates(3, 1.0), each);
    EXPECT_TRUE(std::ranges::any_of(said.certificate.assumptions, [](const std::string& text) {
      return text.find("a run that ends because they are not tells so") != std::string::npos;
    }));
  }
  // With a ridge an empty table is as good as any.
  EXPECT_TRUE(release_regression(
                  plan_regression(target, coordinates(3, 1.0), request_for(Method::least_squares)),
                  empty, source)
                  .values.allFinite());
}

TEST(PlanRegression, SaysWhatAnApproximateSolutionCosts) {
  const RegressionPlan plan =
      plan_regression(target, coordinates(4, 1.0), request_for(Method::approximate, 1000.0));
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::asymptotic);
  const double finite = std::get<double>(*plan.certificate.find("finite_sample_delta"));
  EXPECT_EQ(finite,
            profile(ridge_projection(1000.0, plan.sketch()->ridge, 1.0), 1.0, Accuracy::certified)
                .delta()
                .upper());
  EXPECT_GT(finite, target.delta);
}

// Leverages of a table, row by row, with and without the target: a sketch of it tells what one of
// the largest leverage with the target does. The twin that forgets the target is below that.
TEST(PlanRegression, RelativeSketchesCountTheLeverageOfTheTarget) {
  SeededRandom random(41);
  const Eigen::MatrixXd rows = random_rows(random, 4000, 4, 0.3);
  const auto leverages = [](const Eigen::MatrixXd& of) {
    const Eigen::MatrixXd half = CholeskyFactor(of.transpose() * of).half_solve(of.transpose());
    return Eigen::VectorXd(half.colwise().squaredNorm());
  };
  const Eigen::VectorXd own = leverages(rows.leftCols(3)), all = leverages(rows);
  const double leverage = own.maxCoeff(), residual = (all - own).maxCoeff(), columns = 20.0;
  const PrivacyTarget weak(1.0, 1e-2);
  const auto planned = [&](Method method, const PrivacyTarget& aimed, double more = 1.0) {
    return plan_regression(aimed, coordinates(4, 3.0),
                           {method, columns, more * leverage, more * residual, {}});
  };
  const RegressionPlan plan = planned(Method::relative_projection, weak);
  EXPECT_EQ(plan.sketch()->ridge, 0.0);
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::relative);
  const auto delta = [&](double p) {
    return profile(random_projection(columns, p), weak.epsilon).delta().upper();
  };
  EXPECT_GE(plan.certificate.achieved.delta().upper(), delta(all.maxCoeff()));
  EXPECT_LT(delta(leverage), 0.9 * delta(all.maxCoeff()));
  EXPECT_LE(plan.certificate.achieved.delta().upper(), weak.delta);
  const RegressionPlan limit = planned(Method::relative_approximate, weak);
  EXPECT_EQ(limit.sketch()->ridge, 0.0);
  EXPECT_EQ(limit.certificate.guarantee, Guarantee::asymptotic);
  // In a set with more leverage they are what they would be without one.
  const PrivacyTarget strong(0.5, 1e-9);
  const RegressionPlan fallen = planned(Method::relative_projection, strong, 20.0);
  EXPECT_EQ(fallen.sketch()->ridge, calibrate_projection(strong, columns, 3.0).ridge);
  EXPECT_EQ(fallen.certificate.guarantee, Guarantee::proved);
  EXPECT_GT(planned(Method::relative_approximate, strong, 20.0).sketch()->ridge, 0.0);
  // Both draw.
  SeededSource source(3);
  EXPECT_EQ(release_regression(plan, gram_of(rows, 3.0), source).values.rows(), 3);
  EXPECT_EQ(release_regression(limit, gram_of(rows, 3.0), source).values.rows(), 3);
  for (const Method method : {Method::relative_projection, Method::relative_approximate}) {
    EXPECT_TRUE(refuses("set_leverage", [&] {
      return plan_regression(weak, coordinates(4, 3.0), {method, columns, 1.0, 0.1, {}});
    }));
    EXPECT_TRUE(refuses("set_residual", [&] {
      return plan_regression(weak, coordinates(4, 3.0), {method, columns, 0.6, 0.4, {}});
    }));
  }
}

TEST(PlanRegression, ColumnsComeFromPublicNumbers) {
  EXPECT_EQ(default_regression_columns(3.0), 100.0);
  EXPECT_EQ(default_regression_columns(20.0), 210.0);
}

TEST(PlanRegression, RefusesWhatTheMethodDoesNotUseOrNeeds) {
  const auto plan = [](const RegressionRequest& request) {
    return [request] { return plan_regression(target, coordinates(3, 1.0), request).features(); };
  };
  EXPECT_TRUE(refuses("columns", plan(request_for(Method::covariance, 100.0))));
  EXPECT_TRUE(refuses("columns", plan(request_for(Method::approximate, 2.0))));
  EXPECT_TRUE(refuses("columns", plan(request_for(Method::least_squares, 1.5))));
  EXPECT_TRUE(refuses("set_leverage", plan({Method::covariance, {}, 0.1, {}, {}})));
  EXPECT_TRUE(refuses("set_leverage", plan(request_for(Method::relative))));
  EXPECT_TRUE(refuses("set_residual", plan({Method::relative, {}, 0.1, {}, {}})));
  EXPECT_TRUE(refuses("solution_sensitivity", plan(request_for(Method::relative_gaussian))));
  EXPECT_TRUE(refuses("solution_sensitivity", plan({Method::least_squares, {}, {}, {}, 1.0})));
  EXPECT_TRUE(refuses("coordinates",
                      [] { return plan_regression(target, coordinates(1, 1.0), {}).features(); }));
  EXPECT_THROW(plan_regression({1.0, 0.0}, coordinates(3, 1.0), {}), CalibrationFailed);
  EXPECT_THROW(plan_regression({1.0, 0.0}, coordinates(3, 1.0),
                               request_for(Method::adaptive_sufficient_statistics)),
               CalibrationFailed);
}

}  // namespace
}  // namespace modicum::testing::regression_release_test
