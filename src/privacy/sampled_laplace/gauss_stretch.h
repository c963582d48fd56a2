// Gauss's rule on a stretch of a path, with its error where the integrand is bounded on a disc.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/gauss_legendre.h"

namespace modicum {

inline constexpr int stretch_size = 24;
/// The semiaxes of the ellipse around [-1, 1] add up to this, and it lies in the disc.
inline constexpr double stretch_ellipse = 3.0;
inline constexpr double stretch_disc =
    0.5 * (stretch_ellipse + 1.0 / stretch_ellipse) * (1.0 + 1e-9);

/// log of 64/15 rho^{-2n}/(1 - rho^{-2}) * half: the error on a stretch of length 2 half whose
/// integrand is at most 1 on the disc.
inline double log_stretch_rule(double half) {
  const double ellipse = stretch_ellipse;
  return std::log(64.0 / 15.0 / (1.0 - 1.0 / (ellipse * ellipse)) * half * (1.0 + 1e-9)) -
         2.0 * stretch_size * std::log(ellipse);
}

struct StretchPoint {
  long double place, weight;
};
/// In rising order.
inline const std::vector<StretchPoint>& stretch_points() {
  static const std::vector<StretchPoint> points = [] {
    const PrecisionScope scope(128);
    std::vector<StretchPoint> made;
    for (const BallGaussPoint& gauss : ball_gauss_legendre(stretch_size))
      made.push_back({to_long_double(gauss.place), to_long_double(gauss.weight)});
    std::ranges::sort(made, {}, &StretchPoint::place);
    return made;
  }();
  return points;
}

}  // namespace modicum
