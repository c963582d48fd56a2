// The least noise of the two usual families on the integers.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// sigma of discrete Gaussian noise, composed `count` times; `sensitivity` is a whole number above
/// 0. Needs delta > 0. Throws CalibrationFailed, also beyond sigma = 4096.
Calibration calibrate_discrete_gaussian(const PrivacyTarget& target, double sensitivity,
                                        double count = 1.0);

/// The scale of discrete Laplace noise; epsilon > 0, or delta > 0.
Calibration calibrate_discrete_laplace(const PrivacyTarget& target, double sensitivity,
                                       double count = 1.0);

}  // namespace modicum
