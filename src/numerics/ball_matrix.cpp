#include "numerics/ball_matrix.h"

#include <flint/fmpz_mat.h>

#include <algorithm>
#include <cmath>

namespace modicum {

BallMatrix::BallMatrix(const Eigen::MatrixXd& exact) : BallMatrix(exact.rows(), exact.cols()) {
  for (long i = 0; i < rows(); ++i)
    for (long j = 0; j < columns(); ++j) arb_set_d(at(i, j), exact(i, j));
}

Ball BallMatrix::entry(long row, long column) const {
  Ball result;
  arb_set(result.raw(), at(row, column));
  return result;
}

BallMatrix BallMatrix::transposed() const {
  BallMatrix result(columns(), rows());
  arb_mat_transpose(result.value_, value_);
  return result;
}

BallMatrix BallMatrix::midpoint() const {
  BallMatrix result(rows(), columns());
  arb_mat_get_mid(result.value_, value_);
  return result;
}

Eigen::MatrixXd BallMatrix::middles() const {
  Eigen::MatrixXd result(rows(), columns());
  for (long i = 0; i < rows(); ++i)
    for (long j = 0; j < columns(); ++j)
      result(i, j) = arf_get_d(arb_midref(at(i, j)), ARF_RND_NEAR);
  return result;
}

BallMatrix operator*(const BallMatrix& a, const BallMatrix& b) {
  BallMatrix result(a.rows(), b.columns());
  arb_mat_mul(result.value_, a.value_, b.value_, PrecisionScope::bits());
  return result;
}

BallMatrix operator-(const BallMatrix& a, const BallMatrix& b) {
  BallMatrix result(a.rows(), a.columns());
  arb_mat_sub(result.value_, a.value_, b.value_, PrecisionScope::bits());
  return result;
}

bool cholesky(BallMatrix& factor, const BallMatrix& matrix) {
  return arb_mat_cho(factor.raw(), matrix.raw(), PrecisionScope::bits()) != 0;
}

BallMatrix solve_lower(const BallMatrix& lower, const BallMatrix& right) {
  BallMatrix result(right.rows(), right.columns());
  arb_mat_solve_tril(result.raw(), lower.raw(), right.raw(), 0, PrecisionScope::bits());
  return result;
}

namespace {
// The exponent e such that value is a whole multiple of 2^e; large for zero.
int unit_exponent(double value) {
  if (value == 0.0) return 4000;
  int exponent = 0;
  std::frexp(value, &exponent);
  return exponent - 53;
}

void add_scaled(fmpz* entry, double value, int lowest) {
  if (value == 0.0) return;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  fmpz_t term;
  fmpz_init_set_si(term, static_cast<slong>(std::ldexp(mantissa, 53)));
  fmpz_mul_2exp(term, term, static_cast<ulong>(exponent - 53 - lowest));
  fmpz_add(entry, entry, term);
  fmpz_clear(term);
}
}  // namespace

// Doubles are whole multiples of powers of two; rows are scaled one by one, which keeps the rank.
long exact_rank(const Eigen::MatrixXd& high, const Eigen::MatrixXd& low) {
  fmpz_mat_t integers;
  fmpz_mat_init(integers, high.rows(), high.cols());
  for (long i = 0; i < high.rows(); ++i) {
    int lowest = 4000;
    for (long j = 0; j < high.cols(); ++j)
      lowest = std::min({lowest, unit_exponent(high(i, j)), unit_exponent(low(i, j))});
    for (long j = 0; j < high.cols(); ++j) {
      add_scaled(fmpz_mat_entry(integers, i, j), high(i, j), lowest);
      add_scaled(fmpz_mat_entry(integers, i, j), low(i, j), lowest);
    }
  }
  const long rank = fmpz_mat_rank(integers);
  fmpz_mat_clear(integers);
  return rank;
}

}  // namespace modicum
