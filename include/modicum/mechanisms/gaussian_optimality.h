// How good Gaussian noise is among all additive noises: in the limit of high dimension up to which
// delta nothing beats it [WeiBienstock2026, Theorem 3.1 and Table 2], and at a finite dimension how
// much less error any other may have.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// delta_star(epsilon), proved; epsilon >= 0, whatever the sensitivity.
Enclosure gaussian_optimal_up_to(double epsilon);

/// A mean squared error that every additive noise exceeds which meets the target for answers of this
/// dimension and Euclidean sensitivity 1, proved: docs/derivations/spherical.md. In low dimension it
/// is what one number needs, for each of them; near that of the Gaussian in high dimension up to delta_star. Dimension from 2 to
/// 1e8, delta > 0. Throws InvalidParameter.
double additive_error_floor(const PrivacyTarget& target, double dimension);

}  // namespace modicum
