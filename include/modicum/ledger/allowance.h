// What one release may take, and the largest target of a release within it.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "modicum/calibration/calibrate.h"
#include "modicum/ledger/clocks.h"

namespace modicum {

/// What a release needs of what it may take.
struct Need {
  bool fits = false;
  /// Of a clock but the slack, by the price that takes least: at most 1 where it fits.
  double share = std::numeric_limits<double>::infinity();
  std::optional<double> slack = {};  ///< that price's
  double infinite = 0.0;             ///< its probability of an infinite loss, which takes slack
  bool never = false;                ///< a smaller loss of this kind has no price either
  std::string refusal = {};          ///< why it has none, or not another one
};
/// In every clock of `most`, as a budget that has this left would price it; with `slack` at that
/// slack and no other.
Need need_of(const PrivacyLoss& loss, const Value& description, const Clocks& most,
             const std::optional<double>& slack = {});

/// Plans a release for a target, and prices it, at a slack or at any.
using PlannedNeed = std::function<Need(const PrivacyTarget&, const std::optional<double>& slack)>;

/// The largest epsilon, about, whose release needs no more than there is. Begins with `first`; at
/// its delta, but with `smaller_delta` that comes down to what the slack allows of infinite losses.
/// What is returned was found to fit: nothing hangs on whether needs grow with epsilon. Throws
/// TargetUnreachable where nothing fits.
PrivacyTarget largest_target(const PrivacyTarget& first, bool smaller_delta, const Clocks& most,
                             const PlannedNeed& need);

}  // namespace modicum
