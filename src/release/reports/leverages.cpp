#include "release/reports/leverages.h"

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

// What doubles may lose of a loss.
constexpr double tolerated = 1e-10;
// Beyond any condition that doubles can make.
constexpr long leverage_bits = 256;

// The sum of both, exactly.
BallMatrix joined(const Eigen::MatrixXd& high, const Eigen::MatrixXd& low) {
  BallMatrix result(high);
  if (low.size() == 0) return result;
  const BallMatrix rest(low);
  arb_mat_add(result.raw(), result.raw(), rest.raw(), PrecisionScope::bits());
  return result;
}

[[noreturn]] void refuse_hessian() {
  throw Error("the Hessian is not positive definite to working precision");
}

}  // namespace

Leverages::Leverages(const Eigen::MatrixXd& hessian, const Eigen::MatrixXd& rest, double floor,
                     double heaviest) {
  const auto d = static_cast<double>(hessian.rows());
  // -log(1 - m) loses what m does, over 1 - m >= floor/(floor + heaviest).
  const double lost = 0x1p-52 * d * hessian.trace() / floor * (1.0 + heaviest / floor);
  // Of a matrix in doubles no more is known than doubles tell.
  if (lost <= tolerated || rest.size() == 0) {
    factor_ = std::make_unique<const CholeskyFactor>(hessian);
    if (!factor_->positive_definite()) refuse_hessian();
    return;
  }
  const PrecisionScope scope(leverage_bits);
  BallMatrix root(hessian.rows(), hessian.cols());
  if (!cholesky(root, joined(hessian, rest))) refuse_hessian();
  const BallMatrix identity(Eigen::MatrixXd::Identity(hessian.rows(), hessian.cols()));
  inverse_root_ = solve_lower(root, identity).middles();
  precise_root_ = std::make_unique<const BallMatrix>(std::move(root));
}

Eigen::VectorXd Leverages::of(const Eigen::Ref<const RowBlock>& rows) const {
  if (factor_) return factor_->half_solve(rows.transpose()).colwise().squaredNorm();
  return (inverse_root_ * rows.transpose()).colwise().squaredNorm();
}

double Leverages::removed(const Eigen::VectorXd& row, long double weight) const {
  const PrecisionScope scope(leverage_bits);
  const BallMatrix whitened = solve_lower(*precise_root_, BallMatrix(row));
  const auto high = static_cast<double>(weight);
  const Ball leverage = (whitened.transposed() * whitened).entry(0, 0);
  const Ball left = Ball(1.0) - (Ball(high) + Ball(static_cast<double>(weight - high))) * leverage;
  return left.surely_positive() ? (-log(left)).middle() : infinity;
}

}  // namespace modicum
