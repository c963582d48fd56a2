#include "modicum/release/regression_release.h"

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "release/regression/adaptive_statistics.h"
#include "release/regression/coefficients.h"
#include "release/regression/regression_methods.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// With [B, b]^T [B, b] = T T^T, T lower triangular: B^T B = T11 T11^T, x = T11^-T t21, and the
// squared residual is t22^2.
Eigen::VectorXd solution_of(const Eigen::MatrixXd& triangle, const Eigen::VectorXd& right_side) {
  const Eigen::Index d = triangle.rows() - 1;
  return triangle.topLeftCorner(d, d).transpose().triangularView<Eigen::Upper>().solve(right_side);
}

Eigen::VectorXd solution_of(const Eigen::MatrixXd& triangle) {
  const Eigen::Index d = triangle.rows() - 1;
  return solution_of(triangle, triangle.row(d).head(d).transpose());
}

// x + |e| T11^-T g / sqrt r has the law N(x, |e|^2 (B^T B)^-1 / r).
Eigen::VectorXd draw_solution(const RegressionPlan& plan, const IntegerGram& gram,
                              RandomSource& source) {
  const Eigen::MatrixXd triangle = lower_triangle(with_ridge(gram, plan.ridge));
  const Eigen::Index d = triangle.rows() - 1;
  Eigen::VectorXd normals(d);
  fill_standard_normals({normals.data(), static_cast<std::size_t>(d)}, source);
  return solution_of(triangle, triangle.row(d).head(d).transpose() +
                                   triangle(d, d) / std::sqrt(plan.columns) * normals);
}

Eigen::VectorXd solve_sketch(const RegressionPlan& plan, const IntegerGram& gram,
                             RandomSource& source) {
  const Eigen::MatrixXd triangle = lower_triangle(with_ridge(gram, plan.ridge));
  return solution_of(draw_moment_root(triangle, plan.columns, source));
}

// Second moments have no negative eigenvalues, so what the noise has made negative is set to zero;
// then a ridge of the size by which noise moves eigenvalues. (The factor did best over the data
// sets of reproduction/results.) All of this is made from private numbers.
Eigen::VectorXd solve_noisy_moments(const RegressionPlan& plan, const IntegerGram& gram,
                                    RandomSource& source) {
  const Eigen::MatrixXd noisy = noisy_moments(gram, plan.standard_deviation,
                                              plan.diagonal_standard_deviation, plan.grid, source);
  const SymmetricEigen axes = symmetric_eigen(noisy);
  const Eigen::MatrixXd roots = axes.vectors * axes.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  Eigen::MatrixXd moments = roots * roots.transpose();
  moments.diagonal().array() += 0.75 * plan.standard_deviation * std::sqrt(plan.features());
  return solution_of(lower_triangle(moments));
}

Eigen::VectorXd noisy_solution(const RegressionPlan& plan, const IntegerGram& gram,
                               RandomSource& source) {
  // The features alone decide whether there is a solution: the residual may be zero.
  const Eigen::Index d = gram.dimension - 1;
  const Eigen::MatrixXd moments = with_ridge(gram, 0.0);
  const CholeskyFactor features(moments.topLeftCorner(d, d));
  if (!features.positive_definite()) refuse_singular();
  Eigen::VectorXd x = features.solve(moments.col(d).head(d));
  for (double& value : x)
    value = to_double(
        add_rounded_normal(split(value, plan.grid), plan.standard_deviation, plan.grid, source),
        plan.grid);
  return x;
}

Eigen::VectorXd standardized_coefficients(const RegressionPlan& plan, const IntegerGram& gram,
                                          RandomSource& source) {
  switch (plan.method) {
    case RegressionMethod::covariance:
      return solve_noisy_moments(plan, gram, source);
    case RegressionMethod::adaptive_sufficient_statistics:
      return AdaptiveStatistics(plan.certificate.target, plan.rows).solve(gram, source);
    case RegressionMethod::relative_gaussian:
      return noisy_solution(plan, gram, source);
    default:
      return rounded(solves_a_sketch(plan.method) ? solve_sketch(plan, gram, source)
                                                  : draw_solution(plan, gram, source),
                     plan.grid);
  }
}

}  // namespace

Released release_regression(const RegressionPlan& plan, const IntegerGram& gram,
                            RandomSource& source) {
  plan.rows.require_same(gram);
  const Eigen::VectorXd standardized = standardized_coefficients(plan, gram, source);
  if (!standardized.allFinite()) refuse_singular();
  return coefficients_in_units(plan.rows, {plan.rows.centers.back(), plan.rows.scales.back()},
                               standardized, plan.certificate);
}

}  // namespace modicum
