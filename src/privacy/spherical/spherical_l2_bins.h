// The l2 mechanism, alpha = T - 1 and p = 1 in two dimensions and more: its loss has a density in
// closed form (docs/derivations/spherical.md), which is sorted into bins in doubles with proven
// bounds.
#pragma once

#include <optional>
#include <vector>

#include "privacy/laws/loss_bins.h"
#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// The outcomes with losses above 0; `cuts` rise from 0. None where the density is no double.
std::optional<LossBins> spherical_l2_bins(const SphericalPair& pair,
                                          const std::vector<double>& cuts);

}  // namespace modicum
