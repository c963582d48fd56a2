// Uniform numbers in doubles.
#pragma once

#include "modicum/randomness/random_source.h"

namespace modicum {

/// One of the 2^53 middles of equal cells of (0, 1); never 0, never 1.
inline double unit_interval(RandomSource& source) {
  return (static_cast<double>(source.next() >> 11) + 0.5) * 0x1p-53;
}

}  // namespace modicum
