// A symmetric matrix with Gaussian-orthogonal-ensemble noise: D^T D + s (Z + Z^T)/sqrt 2, Z of
// standard normals. A row of norm l moves D^T D by l^2 in the Frobenius norm; diagonal entries have
// variance 2 s^2 and off-diagonal ones s^2, so the loss is that of one Gaussian with
// mu = l^2 / (sqrt 2 s) (docs/derivations/projection.md).
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

PrivacyLoss covariance_mechanism(double standard_deviation, double row_norm_bound);

/// The parameter is s, the standard deviation off the diagonal. Needs delta > 0.
Calibration calibrate_covariance(const PrivacyTarget& target, double row_norm_bound);

}  // namespace modicum
