// Clipping to a ball and rounding to a grid, with a norm that is checked without error.
//
// Of two tables that differ in a row, every other row must become the same vector in both. So each
// row is handled by itself and by the same operations in the same order, wherever it lies in
// memory: no vectorized sum whose grouping depends on the alignment of its first number.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "modicum/data/rows.h"

namespace modicum {
namespace {

__extension__ using Wide = unsigned __int128;

// Nearest whole number, ties to even, of |x| <= 2^51: the sum has no digits behind the point.
double rounded(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

double largest_entry(std::span<const double> row) {
  double largest = 0.0;
  for (const double x : row) {
    if (!std::isfinite(x)) throw InvalidParameter("an entry of a row", "not finite", "must be");
    largest = std::max(largest, std::abs(x));
  }
  return largest;
}

// Of factor * row, added up in four strands.
double sum_of_squares(std::span<const double> row, double factor) {
  double strands[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= row.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) {
      const double x = row[i + k] * factor;
      strands[k] += x * x;
    }
  for (; i < row.size(); ++i) {
    const double x = row[i] * factor;
    strands[i % 4] += x * x;
  }
  return (strands[0] + strands[1]) + (strands[2] + strands[3]);
}

void scale_and_round(std::span<double> row, double first_factor, double second_factor) {
  for (double& x : row) x = rounded(x * first_factor * second_factor);
}

}  // namespace

// With bound = f 2^e, f in [1/2, 1), the grid is 2^(e-20), or 2^(e-21) for f = 1/2: then
// bound/grid = 2^20 f in (2^19, 2^20), or 2^20.
IntegerClip::IntegerClip(double row_norm_bound) : bound_(row_norm_bound) {
  if (!(row_norm_bound >= 1e-100 && row_norm_bound <= 1e100))
    throw InvalidParameter("row_norm_bound", row_norm_bound, "must lie between 1e-100 and 1e100");
  int exponent = 0;
  const double fraction = std::frexp(row_norm_bound, &exponent);
  grid_ = std::ldexp(1.0, exponent - (fraction == 0.5 ? 21 : 20));
  // bound/grid is at most 2^20 and above 2^19, so a whole number of 2^-33: its square, a whole
  // number of 2^-66, is found without error, and so is its whole part.
  const auto ratio = static_cast<std::uint64_t>(std::ldexp(bound_ / grid_, 33));
  largest_square_ = static_cast<double>(static_cast<std::uint64_t>(Wide{ratio} * ratio >> 66));
}

double IntegerClip::inner_radius(std::size_t dimension) const {
  // Rounding to the nearest multiples moves a vector by at most grid sqrt(dimension) / 2.
  const double rounding = 0.5 * grid_ * std::sqrt(static_cast<double>(dimension));
  if (!(rounding <= bound_ / 16.0))
    throw InvalidParameter("the number of columns", static_cast<double>(dimension),
                           "is too large for rows that are rounded to 2^-20 of their norm");
  return (bound_ - rounding) * (1.0 - 0x1p-40);
}

void IntegerClip::apply(RowBlock& block) const {
  const auto width = static_cast<std::size_t>(block.cols());
  const double radius = inner_radius(width);
  for (Eigen::Index i = 0; i < block.rows(); ++i)
    clip_row({block.data() + i * block.cols(), width}, radius);
}

// A row within the radius is rounded only. The norm in doubles decides which rows that is, and by
// how much the others shrink; whether the result is short enough is asked in whole numbers.
void IntegerClip::clip_row(std::span<double> row, double radius) const {
  const double largest = largest_entry(row);
  if (largest == 0.0) {
    std::fill(row.begin(), row.end(), 0.0);
    return;
  }
  // The largest entry becomes about 1, so that squares neither overflow nor vanish. (Powers of two
  // beyond 1000 would not be doubles; the smallest numbers become 2^-74, which is enough.)
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);
  const double unit = std::ldexp(1.0, -exponent);
  const double scaled_norm = std::sqrt(sum_of_squares(row, unit));
  if (std::ldexp(scaled_norm, exponent) <= radius)  // infinite where it overflows
    scale_and_round(row, 1.0 / grid_, 1.0);
  else scale_and_round(row, unit, radius / grid_ / scaled_norm);
  // A sum of whole numbers, none negative, that comes out below 2^53 was nowhere rounded: rounding
  // is monotone, and from 2^53 on no sum comes out below it. The bound is at most 2^40, so this
  // comparison has no error.
  //
  // The radius leaves room for rounding, so the first answer is yes. Were it not, halves, ties to
  // even, would end at zero.
  while (!(sum_of_squares(row, 1.0) <= largest_square_)) scale_and_round(row, 0.5, 1.0);
}

}  // namespace modicum
