// Noise of several releases under one budget.
#pragma once

#include "modicum/release/joint_release.h"
#include "release/everyday/everyday_terms.h"

namespace modicum {

struct JointNoise {
  std::vector<double> amounts;  ///< of each: a standard deviation, or the range of each draw
  std::vector<double> new_group_probabilities;       ///< of each: 0 where groups are public
  std::vector<std::optional<EverydayTerms>> counts;  ///< of quantiles of discovered groups
  ProfilePoint achieved;                             ///< of all together
  Value loss;                                        ///< described
};

/// A request with the share q of all weights has mu = sqrt(q)/noise (Gaussian), or draws of the
/// range 2 sqrt(q / draws)/noise, whose zero-concentrated bound is that of such a mu; where groups
/// are discovered a count is one of the draws. `noise` is
/// the least for which the exact composition is proved to meet the target. Throws
/// CalibrationFailed.
JointNoise calibrate_joint_noise(const PrivacyTarget& target,
                                 const std::vector<ReleaseRequest>& requests);

}  // namespace modicum
