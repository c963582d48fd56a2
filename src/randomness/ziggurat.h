// The normal density cut into layers of equal area [MarsagliaTsang2000b].
#pragma once

#include <array>
#include <cstddef>

#include "modicum/randomness/random_source.h"

namespace modicum {

/// With f(x) = exp(-x^2/2): layer i >= 1 is the rectangle 0 <= x <= width[i],
/// height[i] = f(width[i]) <= y <= height[i + 1]. Layer 0 is the part below f(edge), with the tail
/// beyond the edge; width[0] is what a rectangle of that height and area would have.
struct Ziggurat {
  static constexpr std::size_t layers = 256;
  /// For this edge, and no other, the last layer ends at height 1 (to 40 digits,
  /// 3.654152885361008771645429720399515762974).
  static constexpr double edge = 3.6541528853610087716;

  std::array<double, layers + 1> width, height;
  std::array<double, layers> step;  ///< width / 2^55

  Ziggurat();
};

/// A normal number, given that it is beyond the edge.
double normal_beyond_edge(RandomSource& source);

}  // namespace modicum
