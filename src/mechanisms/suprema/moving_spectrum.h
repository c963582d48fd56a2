// Pairs of Gaussians that move with one parameter: the largest delta over all of them, at many
// epsilons at once (docs/derivations/moving-spectra.md).
#pragma once

#include <vector>

#include "mechanisms/suprema/moving_moment.h"

namespace modicum {

/// For each of the epsilons, which rise, an upper bound on delta over all parameters in [0, 1] of
/// all of the spectra, and both directions: proved, and above the largest by no more than the
/// slack, relatively; infinity where that could not be proved. 1e-300 stands for deltas that
/// underflow.
std::vector<double> largest_deltas(const std::vector<MovingSpectrum>& spectra,
                                   const std::vector<double>& epsilons, double slack);

/// About the largest delta at an epsilon: what a few parameters have.
double about_largest_delta(const std::vector<MovingSpectrum>& spectra, double epsilon);

}  // namespace modicum
