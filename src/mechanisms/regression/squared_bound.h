// The square of a bound on norms.
#pragma once

#include <cmath>

#include "modicum/numerics/errors.h"

namespace modicum {

/// A message tells the bound, not its square: 1e-200 is not 0. Throws InvalidParameter unless both
/// are positive and finite.
inline double squared_bound(double row_norm_bound) {
  const double square = require_positive("row_norm_bound", row_norm_bound) * row_norm_bound;
  if (!(square > 0.0 && std::isfinite(square)))
    throw InvalidParameter("row_norm_bound", row_norm_bound,
                           "must have a square between 1e-308 and 1e308");
  return square;
}

}  // namespace modicum
