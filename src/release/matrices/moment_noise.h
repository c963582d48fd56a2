// Exact noise on second moments, calibrated: for the moments themselves and for what is solved from
// them.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

struct MomentNoise {
  double off_diagonal, diagonal;  ///< standard deviations
  double grid;
  ProfilePoint achieved;
};

/// Throws CalibrationFailed.
MomentNoise plan_moment_noise(const PrivacyTarget& target, double row_norm_bound);

}  // namespace modicum
