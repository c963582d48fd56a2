// Comparison of a uniform number with a probability, digit by digit.
#pragma once

#include "modicum/randomness/random_source.h"

namespace modicum {

/// Whether a number uniform on (0, 1), drawn just as far as needed, is below the number in [0, 1)
/// whose digits to base 2^64 are digit(0), digit(1), ..: true with exactly that probability.
template <class Digit>
bool uniform_is_below(Digit digit, RandomSource& source) {
  for (std::size_t i = 0;; ++i) {
    const std::uint64_t word = source.next(), wanted = digit(i);
    if (word != wanted) return word < wanted;
  }
}

}  // namespace modicum
