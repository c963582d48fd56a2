// v^T A^-1 w of a symmetric matrix A, proved, at the price of a factorization in doubles.
#pragma once

#include <Eigen/Core>

#include "modicum/data/gram.h"
#include "numerics/ball_matrix.h"
#include "numerics/dense.h"

namespace modicum {

/// Of A in balls, no eigenvalue of which is below `floor` > 0. With y near A^-1 v, x near A^-1 w,
///   v^T A^-1 w = v^T x + y^T (w - A x) + r^T A^-1 s,   r = v - A y, s = w - A x,
/// and the last term is at most |r| |s| / floor: how near they are decides how narrow the result
/// is, and nothing else. O(d^2) once A is factorized.
class InverseForm {
 public:
  /// Throws Error where A cannot be factorized in doubles.
  InverseForm(BallMatrix matrix, double floor);

  /// A column v with what belongs to it.
  struct Solved {
    BallMatrix column, near, rest;  // v, y and v - A y
  };
  Solved solved(BallMatrix column) const;
  Ball operator()(const Solved& v, const Solved& w) const;
  /// A^-1 B, as doubles have it.
  Eigen::MatrixXd solved_in_doubles(const Eigen::MatrixXd& right) const {
    return factor_.solve(right);
  }

 private:
  BallMatrix matrix_;
  double floor_;
  CholeskyFactor factor_;
};

/// Whole numbers of a power of two, exactly.
Ball ball_of(Integer128 whole, double unit);
/// a^T b of two columns.
Ball dot(const BallMatrix& a, const BallMatrix& b);

}  // namespace modicum
