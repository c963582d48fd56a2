// Matrices of balls: just what the reduction of dense pairs needs.
#pragma once

#include <arb_mat.h>

#include <Eigen/Core>

#include "numerics/ball.h"

namespace modicum {

class BallMatrix {
 public:
  BallMatrix(long rows, long columns) { arb_mat_init(value_, rows, columns); }
  explicit BallMatrix(const Eigen::MatrixXd& exact);
  BallMatrix(const BallMatrix& other) : BallMatrix(other.rows(), other.columns()) {
    arb_mat_set(value_, other.value_);
  }
  BallMatrix(BallMatrix&& other) noexcept : BallMatrix(0, 0) { arb_mat_swap(value_, other.value_); }
  BallMatrix& operator=(BallMatrix other) {
    arb_mat_swap(value_, other.value_);
    return *this;
  }
  ~BallMatrix() { arb_mat_clear(value_); }

  long rows() const { return arb_mat_nrows(value_); }
  long columns() const { return arb_mat_ncols(value_); }
  arb_ptr at(long row, long column) { return arb_mat_entry(value_, row, column); }
  arb_srcptr at(long row, long column) const { return arb_mat_entry(value_, row, column); }
  Ball entry(long row, long column) const;
  arb_mat_struct* raw() { return value_; }
  const arb_mat_struct* raw() const { return value_; }

  BallMatrix transposed() const;
  /// The middles alone, without radii: an exact matrix near this one.
  BallMatrix midpoint() const;
  Eigen::MatrixXd middles() const;

  friend BallMatrix operator*(const BallMatrix& a, const BallMatrix& b);
  friend BallMatrix operator-(const BallMatrix& a, const BallMatrix& b);

 private:
  arb_mat_t value_;
};

/// Lower Cholesky factor; false where positive definiteness is not proved at this precision.
bool cholesky(BallMatrix& factor, const BallMatrix& matrix);
/// Solves L X = B for lower triangular L.
BallMatrix solve_lower(const BallMatrix& lower, const BallMatrix& right);
/// Rank of high + low, in exact arithmetic.
long exact_rank(const Eigen::MatrixXd& high, const Eigen::MatrixXd& low);

}  // namespace modicum
