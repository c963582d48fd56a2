// Losses after the fact, for a block of records at once.
#include "modicum/release/per_instance.h"

#include <algorithm>
#include <cmath>

#include "numerics/dense.h"
#include "release/reports/per_instance_checks.h"
#include "release/reports/removed_curvature.h"

namespace modicum {
namespace {

// Rows that are solved for at once: their numbers stay in the cache.
constexpr Eigen::Index rows_at_once = 1024;

}  // namespace

ExPostLoss::ExPostLoss(const ObjectiveRelease& release, Eigen::VectorXd gradient,
                       const Eigen::MatrixXd& hessian)
    : release_(release), gradient_(std::move(gradient)) {
  require_release(release_);
  require_vector("gradient", gradient_, release_.coefficients.size());
  require_square("hessian", hessian, release_.coefficients.size());
  factor_ = std::make_shared<const CholeskyFactor>(hessian);
  if (!factor_->positive_definite())
    throw Error("the Hessian is not positive definite to working precision");
}

// By the change of variables, with G = grad J(theta; D) and g = f' x,
//   inside:  -log(1 - m) + |g|^2/(2 s^2) - G^T g/s^2,
//   outside: -log(1 + m) + |g|^2/(2 s^2) + G^T g/s^2,   m = f'' x^T H^-1 x = f'' |L^-1 x|^2.
Confidential ExPostLoss::signed_losses(const RowBlock& rows, const Eigen::VectorXd& responses,
                                       Membership membership) const {
  if (rows.cols() != gradient_.size())
    throw InvalidParameter("rows", static_cast<double>(rows.cols()),
                           "must have as many columns as there are coefficients");
  if (responses.size() != rows.rows())
    throw InvalidParameter("responses", static_cast<double>(responses.size()),
                           "must be as many as there are rows");
  const double deviation = release_.standard_deviation;
  Confidential result{Eigen::VectorXd(rows.rows())};
  for (Eigen::Index first = 0; first < rows.rows(); first += rows_at_once) {
    const Eigen::Index count = std::min(rows_at_once, rows.rows() - first);
    const auto block = rows.middleRows(first, count);
    const Eigen::VectorXd lengths = block.rowwise().squaredNorm();
    const Eigen::VectorXd predictions = block * release_.coefficients;
    const Eigen::VectorXd pulls = block * (gradient_ / deviation);
    for (Eigen::Index i = 0; i < count; ++i) {
      require_clipped(release_, lengths[i]);
      require_response(release_.loss, responses[first + i]);
    }
    const Eigen::VectorXd leverages =
        factor_->half_solve(block.transpose()).colwise().squaredNorm();
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto at = release_.loss.at(predictions[i], responses[first + i]);
      const double slope = at.slope / deviation, m = at.curvature * leverages[i];
      const double square = 0.5 * slope * slope * lengths[i], product = slope * pulls[i];
      result.values[first + i] = membership == Membership::inside
                                     ? removed_curvature(m, std::log1p(at.curvature * lengths[i] /
                                                                       release_.regularization)) +
                                           (square - product)
                                     : -std::log1p(m) + (square + product);
    }
  }
  return result;
}

}  // namespace modicum
