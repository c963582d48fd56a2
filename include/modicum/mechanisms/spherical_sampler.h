// Spherical noise that may be released: drawn without rounding, then rounded once to a public grid,
// so that the low bits of the output tell nothing [Mironov2012].
#pragma once

#include <vector>

#include "modicum/mechanisms/spherical.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// What rounding the answer to multiples of `grid` may add to its sensitivity:
/// sensitivity + grid sqrt(dimension), rounded upwards. Calibrate with this one.
double sensitivity_on_grid(double sensitivity, double dimension, double grid);

/// X = R U, exactly of the law of the noise, each coordinate rounded to a multiple of `grid`, a
/// power of two. The rounding is post-processing: the profile of the continuous noise holds. Throws
/// Error where a coordinate exceeds 2^53 grids.
std::vector<double> draw_spherical_noise(const SphericalNoise& noise, double grid,
                                         RandomSource& source);

/// The answer, rounded to the grid, plus noise on the grid: the sum is exact. Throws
/// InvalidParameter unless the answer is finite, has as many coordinates as the noise, and is below
/// 2^52 grids.
std::vector<double> release_with_spherical_noise(const std::vector<double>& answer,
                                                 const SphericalNoise& noise, double grid,
                                                 RandomSource& source);

}  // namespace modicum
