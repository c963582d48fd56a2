#include "release/classification/coefficient_errors.h"

#include <cmath>

#include "numerics/dense.h"
#include "release/regression/objective_sums.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr double normal_95 = 1.959963984540054;

}  // namespace

// A record changes D by f'' x x^T, of Frobenius norm `smoothness` at most; noise of deviation s off
// the diagonal and sqrt 2 s on it hides that with mu = smoothness / (sqrt 2 s).
Eigen::MatrixXd released_covariance(const ObjectivePlan& plan, const PassOverRows& pass,
                                    const IntegerClip& clip, const Eigen::VectorXd& coefficients,
                                    double mu, RandomSource& source) {
  const ObjectiveSums sums = objective_sums(pass, clip, plan.loss, coefficients);
  // Rounded upwards by more than all roundings here.
  const double deviation =
      plan.bounds().smoothness / (std::sqrt(2.0) * require_positive("mu", mu)) * (1.0 + 0x1p-40);
  const double diagonal = std::sqrt(2.0) * deviation * (1.0 + 0x1p-40);
  const Eigen::Index d = coefficients.size();
  Eigen::MatrixXd data(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const double own = i == j ? diagonal : deviation, grid = grid_below(own);
      const OnGrid value = split(sums.hessian_at(i, j), sums.hessian_grid, grid);
      data(i, j) = data(j, i) = to_double(add_rounded_normal(value, own, grid, source), grid);
    }
  const SymmetricEigen axes = symmetric_eigen(data);
  const Eigen::ArrayXd curvatures = axes.values.array().max(0.0);
  const double noise = plan.noise.standard_deviation;
  const Eigen::ArrayXd variances =
      (curvatures + noise * noise) / (curvatures + plan.regularization).square();
  return axes.vectors * variances.matrix().asDiagonal() * axes.vectors.transpose();
}

void add_errors(Released& released, const PublicRows& rows, const Eigen::MatrixXd& covariance) {
  const Eigen::Index d = covariance.rows(), extra = released.values.rows() - d;
  // coefficient = M (standardized), as in coefficients_in_units.
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(d + extra, d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const auto place = static_cast<std::size_t>(j);
    map(extra + j, j) = 1.0 / rows.scales[place];
    map(0, j) -= rows.centers[place] / rows.scales[place];
  }
  const Eigen::VectorXd errors =
      (map * covariance * map.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
  const Eigen::Index first = released.values.cols();
  released.values.conservativeResize(Eigen::NoChange, first + 3);
  released.values.col(first) = errors;
  released.values.col(first + 1) = released.values.col(0) - normal_95 * errors;
  released.values.col(first + 2) = released.values.col(0) + normal_95 * errors;
  for (const char* name : {"standard_error", "lower", "upper"})
    released.column_names.emplace_back(name);
}

}  // namespace modicum
