// The largest eigenvalue of a symmetric Gaussian matrix, at finite size. Proof:
// docs/derivations/largest-eigenvalue.md.
#pragma once

#include "modicum/numerics/enclosure.h"

namespace modicum {

/// A probability and what is left to 1: near its ends one of the two keeps its digits.
struct ProbabilitySplit {
  Enclosure at_most, above;
};

/// lambda_1 <= x, or above, for the Gaussian orthogonal ensemble (Z + Z^T)/sqrt 2 of `dimension`
/// rows, Z standard normal: variance 1 off the diagonal, 2 on it; the spectrum ends near 2 sqrt(d).
/// Each enclosure is proved and, unless it is below 1e-300 or the precision runs out, narrower than
/// 1e-15 of its value. A hundredth of a second for 50 rows, half a second for 500.
/// Throws InvalidParameter unless 1 <= dimension <= 1000, whole, and x is finite.
ProbabilitySplit goe_largest_eigenvalue(double dimension, double x);

/// The place x with P[lambda_1 > x] = upper_tail, proved, and to a few units in the last place
/// where upper_tail is. Some eight times the work of one probability.
/// Throws InvalidParameter unless 1e-290 <= upper_tail < 1.
Enclosure goe_largest_eigenvalue_quantile(double dimension, double upper_tail);

}  // namespace modicum
