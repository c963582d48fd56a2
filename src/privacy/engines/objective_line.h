// The integral of objective_profile.cpp by Gauss's rule in double arithmetic, with a bound on its
// error (docs/derivations/objective-perturbation.md).
#pragma once

#include <optional>
#include <vector>

#include "numerics/ball.h"
#include "privacy/laws/normal_pieces.h"

namespace modicum {

/// Copies of a law of one piece, about the center of the line.
struct QuickPart {
  QuickMoment moment;
  int count;
};

/// 1/pi Im of the integral over 0 < r < reach of e^{i pi/3} g(c + r e^{i pi/3}) / G, where g(z) =
/// e^{-z distance} / (z (z + 1)) * product of moments, and G is that at c with their scales. Empty
/// where that takes too many nodes, or nothing finite comes out.
std::optional<Ball> quick_bent_integral(const std::vector<QuickPart>& parts, const Ball& distance,
                                        double center, double reach);

}  // namespace modicum
