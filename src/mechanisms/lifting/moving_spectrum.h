// Pairs of Gaussians whose means move with one parameter: the largest delta over all of them, at
// many epsilons at once (docs/derivations/moving-spectra.md).
#pragma once

#include <functional>
#include <vector>

#include "modicum/privacy/gaussian_spectrum.h"
#include "numerics/ball.h"

namespace modicum {

/// Coordinates with one variance ratio (excess t, squared means M in sum) over a whole ball of the
/// parameter. The excess does not depend on it, and M is linear in it.
struct MovingCoordinates {
  Ball excess, mean_square;
  double multiplicity;
  Ball mean_square_slope;
};

/// At a parameter in [0, 1], or a little outside.
using MovingSpectrum = std::function<std::vector<MovingCoordinates>(const Ball& parameter)>;

GaussianSpectrum spectrum_at(const MovingSpectrum& spectrum, const Ball& parameter);

/// For each of the epsilons, which rise, an upper bound on delta over all parameters in [0, 1] and
/// both directions: proved, and above the largest by no more than the slack, relatively; infinity
/// where that could not be proved. 1e-300 stands for deltas that underflow.
std::vector<double> largest_deltas(const MovingSpectrum& spectrum,
                                   const std::vector<double>& epsilons, double slack);

/// About the largest delta at an epsilon: what a few parameters have.
double about_largest_delta(const MovingSpectrum& spectrum, double epsilon);

}  // namespace modicum
