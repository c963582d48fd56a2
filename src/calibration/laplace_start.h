// Where a search for the scale of Laplace noise begins.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// About that scale: of many answers the losses add up as those of Gaussian noise with this
/// deviation.
double laplace_start(const PrivacyTarget& target, double sensitivity, double count);

}  // namespace modicum
