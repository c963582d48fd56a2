// Groups that are taken from the rows, with Gaussian noise on their numbers, and shown where a
// noisy number of rows reaches a threshold.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Whoever comes has some rows in groups of others, whose numbers move, and some in groups of
/// nobody else, one of which may be shown. The worst way to share them out changes with epsilon:
/// in the i-th the numbers move by at most `sensitivities[i]`, and a group of this person alone is
/// shown with a probability of at most `probabilities[i]`. The loss dominates all of them; alone
/// its delta is the largest of
///   d_i + (1 - d_i) delta_Gaussian(epsilon; sensitivity_i / standard_deviation)
/// (docs/derivations/everyday.md). Throws InvalidParameter.
PrivacyLoss discovered_groups(double standard_deviation, const std::vector<double>& sensitivities,
                              const std::vector<double>& probabilities);

}  // namespace modicum
