// How many coordinates rows may have where second moments are made of them.
#pragma once

#include <cstddef>

#include "modicum/numerics/errors.h"

namespace modicum::data {

/// 2 GB for a matrix of doubles.
inline constexpr std::size_t most_coordinates_of_moments = std::size_t{1} << 14;

/// To be asked before anything is read. Throws InvalidParameter.
inline void require_moment_width(std::size_t coordinates) {
  if (coordinates > most_coordinates_of_moments)
    throw InvalidParameter("coordinates", static_cast<double>(coordinates),
                           "must be at most 16384 where a matrix is made of them: select columns");
}

}  // namespace modicum::data
