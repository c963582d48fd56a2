// What a release would have cost by the textbook.
#pragma once

#include <optional>

#include "modicum/release/certificate.h"

namespace modicum {

/// How many times the standard deviation the same numbers would have had by the classical
/// calibration (classical_gaussian_deviation); for matrices that of
/// [DworkTalwarThakurtaZhang2014] with it, off the diagonal. None where the noise is not Gaussian,
/// and for targets for which the classical theorem is not proved: epsilon = 0 or above 1, delta =
/// 0.
std::optional<double> classical_noise_ratio(const Certificate& certificate);

}  // namespace modicum
