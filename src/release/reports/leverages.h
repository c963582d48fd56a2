// Leverages x^T H^-1 x of many rows, also where H is hardly positive definite.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "modicum/data/table.h"
#include "numerics/ball_matrix.h"
#include "numerics/dense.h"

namespace modicum {

/// Of H = hessian + rest, no eigenvalue of which is below `floor`. Doubles lose a share of about
/// 2^-52 d trace(H)/floor of a leverage. Where that matters, and the rest is there, H is factorized
/// with more digits.
class Leverages {
 public:
  /// `heaviest`: how much a row can weigh, f'' |x|^2 at most. Throws Error for a matrix that is not
  /// positive definite.
  Leverages(const Eigen::MatrixXd& hessian, const Eigen::MatrixXd& rest, double floor,
            double heaviest);

  Eigen::VectorXd of(const Eigen::Ref<const RowBlock>& rows) const;
  /// -log(1 - weight x^T H^-1 x), the row being one of those in H with this weight: all digits of a
  /// difference that may be as small as floor/(floor + heaviest).
  double removed(const Eigen::VectorXd& row, long double weight) const;
  /// Whether `removed` has more digits than the leverages.
  bool precise() const { return precise_root_ != nullptr; }

 private:
  std::unique_ptr<const CholeskyFactor> factor_;    // H = L L^T in doubles,
  std::unique_ptr<const BallMatrix> precise_root_;  // or L in balls,
  Eigen::MatrixXd inverse_root_;                    // and L^-1, rounded at the end
};

}  // namespace modicum
