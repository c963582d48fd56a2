// The largest leverage of a row of bounded norm over a ridge.
#pragma once

#include "numerics/ball.h"

namespace modicum {

/// l^2 / (ridge + l^2), that of a row in the database that contains it: attained by a single row.
inline Ball ridge_leverage(double ridge, double row_norm_bound) {
  const Ball square = Ball(row_norm_bound) * Ball(row_norm_bound);
  return square / (Ball(ridge) + square);
}

}  // namespace modicum
