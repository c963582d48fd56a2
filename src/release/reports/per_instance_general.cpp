// The loss after the fact for a loss that is no function of a linear prediction.
#include <cmath>

#include "modicum/release/per_instance.h"
#include "numerics/dense.h"
#include "release/reports/per_instance_checks.h"

namespace modicum {

// det(I -+ H^-1 H_z) = det(I -+ L^-1 H_z L^-T) with H = L L^T: of a symmetric matrix, whose
// eigenvalues keep the digits that log det H - log det(H -+ H_z) would lose.
Confidential general_ex_post_loss(double standard_deviation, const Eigen::VectorXd& gradient,
                                  const Eigen::MatrixXd& hessian,
                                  const Eigen::VectorXd& record_gradient,
                                  const Eigen::MatrixXd& record_hessian, Membership membership) {
  require_positive("standard_deviation", standard_deviation);
  const Eigen::Index dimension = gradient.size();
  if (dimension == 0) throw InvalidParameter("gradient", 0.0, "must be at least one number");
  require_vector("gradient", gradient, dimension);
  require_vector("record_gradient", record_gradient, dimension);
  require_square("hessian", hessian, dimension);
  require_square("record_hessian", record_hessian, dimension);
  const CholeskyFactor factor(hessian);
  if (!factor.positive_definite())
    throw Error("the Hessian is not positive definite to working precision");
  const double sign = membership == Membership::inside ? -1.0 : 1.0;
  double determinant = 0.0;
  for (const double share : symmetric_eigenvalues(factor.whitened(record_hessian))) {
    if (!(1.0 + sign * share > 0.0))
      throw Error(membership == Membership::inside
                      ? "the Hessian without the record is not positive definite"
                      : "the Hessian with the record is not positive definite");
    determinant += std::log1p(sign * share);
  }
  const Eigen::VectorXd moved = record_gradient / standard_deviation;
  const double product = moved.dot(gradient / standard_deviation);
  return {
      Eigen::VectorXd::Constant(1, -determinant + (0.5 * moved.squaredNorm() + sign * product))};
}

}  // namespace modicum
