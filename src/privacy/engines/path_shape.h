// Where a bent path starts, and how it opens (docs/derivations/bent-path.md): chosen in doubles,
// and a poor choice costs time or digits that the estimate then does not claim.
#pragma once

#include <optional>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// z(u) = center + scale (cosh u - 1) + i rise scale sinh u, and the step of its nodes in u.
struct PathShape {
  double center, scale, rise, step;
};

/// A path that leans to the right, for a few subsampled Gaussian steps (X the mixture) with
/// Gaussian shifts beside them: the one with the fewest nodes for all digits, by a model of how
/// large the integrand is on either side of it. Empty for other losses, and where none will do.
std::optional<PathShape> leaning_shape(const DirectedLoss& loss, double shift, double saddle);

}  // namespace modicum
