#include "release/neighbors/neighbor_moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/ridge_leverage.h"
#include "modicum/data/gram.h"
#include "release/sketches/gram_draws.h"

namespace modicum {
namespace {

double largest_leverage(double least, double row_norm_bound) {
  const PrecisionScope scope(160);
  return std::min(ridge_leverage(least, row_norm_bound).upper(), std::nextafter(1.0, 0.0));
}

// The least eigenvalue of C scaled to a unit diagonal, from below.
double least_scaled_eigenvalue(const Eigen::MatrixXd& moments, double ridge) {
  const Eigen::VectorXd scales = moments.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scales.asDiagonal() * moments * scales.asDiagonal();
  // C >= ridge I, scaled.
  const double plain = ridge / moments.diagonal().maxCoeff();
  return std::max(least_eigenvalue_bound(scaled), plain);
}

}  // namespace

RidgedMoments::RidgedMoments(const AuditedTable& audited, double ridge)
    : RidgedMoments(with_ridge(accumulate_gram(audited.table, audited.rule, audited.row_norm_bound,
                                               audited.options),
                               require_positive("ridge", ridge)),
                    audited.row_norm_bound, ridge) {}

RidgedMoments::RidgedMoments(const Eigen::MatrixXd& moments, double row_norm_bound, double ridge)
    : row_norm_bound_(row_norm_bound), ridge_(ridge), factor_(moments) {
  if (!factor_.positive_definite())
    throw Error("the second moments could not be factorized: the ridge is too small against them");
  const SymmetricEigen axes = symmetric_eigen(moments);
  weakest_direction_ = axes.vectors.col(0);
  const auto d = static_cast<double>(moments.rows());
  const double solver_error = 64.0 * d * std::numeric_limits<double>::epsilon() * moments.norm();
  least_eigenvalue_ = std::max(axes.values[0] - solver_error, ridge);
  relative_error_ = 4.0 * d * (d + 4.0) * 0x1p-53 / least_scaled_eigenvalue(moments, ridge);
}

Eigen::MatrixXd RidgedMoments::whitened(const RowBlock& rows) const {
  return factor_.half_solve(rows.transpose()).transpose();
}

Eigen::VectorXd RidgedMoments::whitened(const Eigen::VectorXd& row) const {
  return factor_.half_solve(row);
}

double RidgedMoments::largest_added_leverage() const {
  return largest_leverage(least_eigenvalue_, row_norm_bound_);
}

LeverageBounds RidgedMoments::bounds(double leverage) const {
  const double most = largest_leverage(ridge_, row_norm_bound_);
  // Where rounding has spoilt everything.
  if (!(relative_error_ < 0.25)) return {0.0, most};
  const double upper = std::min(leverage * (1.0 + 2.0 * relative_error_), most);
  return {std::min(leverage * (1.0 - 2.0 * relative_error_), upper), upper};
}

Eigen::MatrixXd RidgedMoments::inverse() const { return factor_.inverse(); }

}  // namespace modicum
