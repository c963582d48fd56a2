// Spherical noise in one dimension: its outcomes sorted into bins of the loss, in doubles with
// proven bounds (docs/derivations/spherical.md).
#pragma once

#include <optional>
#include <vector>

#include "privacy/laws/loss_bins.h"
#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// The outcomes with losses above 0; `cuts` rise from 0. None where the loss is too flat for it.
std::optional<LossBins> spherical_line_bins(const SphericalGeometry& geometry,
                                            const std::vector<double>& cuts);

}  // namespace modicum
