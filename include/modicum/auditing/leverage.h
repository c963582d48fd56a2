// How much leverage a random projection may have, exactly and by an earlier bound.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// Largest leverage at which a random projection with `columns` columns meets the target, rounded
/// to the safe side. Needs delta > 0. Throws CalibrationFailed.
double largest_leverage(const PrivacyTarget& target, double columns, Mode mode = Mode::certified);

/// What [Sheffet2019, Theorem 2] allows by way of the least singular value
/// [LuWei2026, section 5.2]: epsilon / (4 (sqrt(2 r log(4/delta)) + log(4/delta))).
double singular_value_leverage(const PrivacyTarget& target, double columns);

}  // namespace modicum
