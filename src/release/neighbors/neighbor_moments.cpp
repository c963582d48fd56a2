#include "release/neighbors/neighbor_moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/regression/ridge_leverage.h"
#include "modicum/data/gram.h"
#include "release/sketches/gram_draws.h"

namespace modicum {
namespace {

double largest_leverage(double least, double row_norm_bound) {
  const PrecisionScope scope(proof_bits);
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

LeverageBounds leverage_in(const Ball& found, double ridge, double row_norm_bound) {
  const double most = largest_leverage(ridge, row_norm_bound);
  if (!found.finite()) return {0.0, most};
  return {std::clamp(found.lower(), 0.0, most), std::clamp(found.upper(), 0.0, most)};
}

RidgedMoments::RidgedMoments(const AuditedTable& audited, double ridge)
    : RidgedMoments(
          accumulate_gram(audited.table, audited.rule, audited.row_norm_bound, audited.options),
          audited.row_norm_bound, require_positive("ridge", ridge)) {}

RidgedMoments::RidgedMoments(IntegerGram gram, double row_norm_bound, double ridge)
    : gram_(std::move(gram)),
      row_norm_bound_(row_norm_bound),
      ridge_(ridge),
      factor_(with_ridge(gram_, ridge)) {
  const Eigen::MatrixXd moments = with_ridge(gram_, ridge);
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

InverseForm RidgedMoments::proved_inverse(Eigen::Index size) const {
  const PrecisionScope scope(proof_bits);
  BallMatrix matrix(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j) {
      const Ball entry = ball_of(gram_.at(i, j), gram_.grid * gram_.grid);
      arb_set(matrix.at(i, j), (i == j ? entry + Ball(ridge_) : entry).raw());
    }
  return {std::move(matrix), ridge_};
}

}  // namespace modicum
