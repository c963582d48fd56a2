// Where a search for the scale of Laplace noise begins.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// About that scale: one answer's loss is at most sensitivity / scale, and of many answers the
/// losses add up as those of Gaussian noise with this deviation. Not for epsilon = delta = 0.
double laplace_start(const PrivacyTarget& target, double sensitivity, double count);

}  // namespace modicum
