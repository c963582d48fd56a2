#include "numerics/largest_eigenvalue_determinant.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// Magnitudes need no more.
constexpr long bound_bits = 64, spare_bits = 16;

Ball distance_from_limit(const BallMatrix& matrix, long row, long column) {
  const bool own = row % 2 == 0 && column == row + 1;
  return own ? abs(matrix.entry(row, column) - Ball(1.0)) : abs(matrix.entry(row, column));
}

// Of the first `rows` rows, an even number: what is left out if they are taken for the limit.
struct Leading {
  long rows = 0;
  Ball distance;  // sum of the entries of |A_LL - J|
  Ball coupling;  // bounds the entries of A_HL J^-1 A_LH
  Ball largest;   // bounds the entries of A_LH

  // Bounds the entries of A_HL A_LL^-1 A_LH; needs distance < 1.
  Ball correction() const {
    return coupling + largest * largest * distance / (Ball(1.0) - distance);
  }
  // Bounds |det A_LL - 1|.
  Ball factor() const { return expm1(distance); }
};

// One more pair of rows.
Leading extended(const Leading& before, const BallMatrix& matrix) {
  Leading result = before;
  const long row = before.rows;
  result.rows = row + 2;
  for (long i = 0; i < row; ++i)
    for (long j = row; j < row + 2; ++j)
      result.distance += Ball(2.0) * distance_from_limit(matrix, i, j);
  result.distance += Ball(2.0) * distance_from_limit(matrix, row, row + 1);
  Ball first, second;  // the largest entries of the two rows, right of the pair
  for (long j = row + 2; j < matrix.columns(); ++j) {
    first = max(first, distance_from_limit(matrix, row, j));
    second = max(second, distance_from_limit(matrix, row + 1, j));
  }
  result.coupling += Ball(2.0) * first * second;
  result.largest = max(result.largest, max(first, second));
  return result;
}

// As many rows as may be left out.
Leading negligible_rows(const BallMatrix& matrix, long bits) {
  const PrecisionScope scope(bound_bits);
  const Ball allowed = std::ldexp(1.0, static_cast<int>(std::max(spare_bits - bits, -1000L)));
  Leading best;
  while (best.rows + 4 <= matrix.rows()) {
    Leading next = extended(best, matrix);
    if (!(next.distance - allowed).surely_negative()) break;
    const Ball spread = next.correction() * Ball(static_cast<double>(matrix.rows()));
    if (!(spread - allowed).surely_negative()) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace

Ball determinant_near_limit(const BallMatrix& matrix) {
  const long bits = PrecisionScope::bits();
  const Leading left_out = negligible_rows(matrix, bits);
  const long first = left_out.rows, size = matrix.rows() - first;
  const Ball correction = left_out.correction();
  BallMatrix rest(size, size);
  for (long i = 0; i < size; ++i)
    for (long j = 0; j < size; ++j) {
      const Ball entry = matrix.entry(first + i, first + j).widened(correction);
      arb_set(rest.at(i, j), entry.raw());
    }
  Ball result;
  arb_mat_det(result.raw(), rest.raw(), bits);
  return result * Ball(1.0).widened(left_out.factor());
}

}  // namespace modicum
