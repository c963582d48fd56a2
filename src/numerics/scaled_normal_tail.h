// e^{v^2/2} P[N > v] for a standard normal N, continued to the complex plane, in double arithmetic
// with a bound on its error (docs/derivations/objective-perturbation.md).
#pragma once

#include "numerics/disc.h"

namespace modicum {

/// Requires Re v >= 0 in the middle of the disc; nothing is told otherwise, nor of wide discs.
Disc scaled_normal_tail(const Disc& v);

}  // namespace modicum
