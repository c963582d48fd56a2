#include "modicum/release/regression_release.h"

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "release/regression/adaptive_statistics.h"
#include "release/regression/coefficients.h"
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

// The standardized coefficients, from the second moments: one way for each that a plan may draw.
struct Solving {
  const RegressionPlan& plan;
  const IntegerGram& gram;
  RandomSource& source;

  // x + |e| T11^-T g / sqrt r has the law N(x, |e|^2 (B^T B)^-1 / r).
  Eigen::VectorXd operator()(const DrawnSolution& draw) const {
    const Eigen::MatrixXd triangle = lower_triangle(with_ridge(gram, draw.sketch.ridge));
    const Eigen::Index d = triangle.rows() - 1;
    Eigen::VectorXd normals(d);
    fill_standard_normals({normals.data(), static_cast<std::size_t>(d)}, source);
    const Eigen::VectorXd right_side = triangle.row(d).head(d).transpose() +
                                       triangle(d, d) / std::sqrt(draw.sketch.columns) * normals;
    return rounded(solution_of(triangle, right_side), plan.grid);
  }

  Eigen::VectorXd operator()(const SolvedSketch& draw) const {
    const Eigen::MatrixXd triangle = lower_triangle(with_ridge(gram, draw.sketch.ridge));
    return rounded(solution_of(draw_moment_root(triangle, draw.sketch.columns, source)), plan.grid);
  }

  // Second moments have no negative eigenvalues, so what the noise has made negative is set to
  // zero; then a ridge of the size by which noise moves eigenvalues. (The factor did best over the
  // data sets of reproduction/results.) All of this is made from private numbers.
  Eigen::VectorXd operator()(const SolvedMoments& draw) const {
    const Eigen::MatrixXd noisy = noisy_moments(
        gram, draw.standard_deviation, draw.diagonal_standard_deviation, plan.grid, source);
    const SymmetricEigen axes = symmetric_eigen(noisy);
    const Eigen::MatrixXd roots = axes.vectors * axes.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
    Eigen::MatrixXd moments = roots * roots.transpose();
    moments.diagonal().array() += 0.75 * draw.standard_deviation * std::sqrt(plan.features());
    return solution_of(lower_triangle(moments));
  }

  Eigen::VectorXd operator()(const AdaptiveSolution&) const {
    return AdaptiveStatistics(plan.certificate.target, plan.rows).solve(gram, source);
  }

  Eigen::VectorXd operator()(const NoisySolution& draw) const {
    // The features alone decide whether there is a solution: the residual may be zero.
    const Eigen::Index d = gram.dimension - 1;
    const Eigen::MatrixXd moments = with_ridge(gram, 0.0);
    const CholeskyFactor features(moments.topLeftCorner(d, d));
    if (!features.positive_definite()) refuse_singular();
    Eigen::VectorXd x = features.solve(moments.col(d).head(d));
    for (double& value : x)
      value = to_double(
          add_rounded_normal(split(value, plan.grid), draw.standard_deviation, plan.grid, source),
          plan.grid);
    return x;
  }
};

}  // namespace

Released release_regression(const RegressionPlan& plan, const IntegerGram& gram,
                            RandomSource& source) {
  plan.rows.require_same(gram);
  const Eigen::VectorXd standardized = std::visit(Solving{plan, gram, source}, plan.draw);
  if (!standardized.allFinite()) refuse_singular();
  return coefficients_in_units(plan.rows, {plan.rows.centers.back(), plan.rows.scales.back()},
                               standardized, plan.certificate);
}

}  // namespace modicum
