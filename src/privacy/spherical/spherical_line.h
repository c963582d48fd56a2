// Spherical noise in one dimension: its loss reaches a level on a few intervals of radii, and their
// probabilities are incomplete gamma functions. docs/derivations/spherical.md.
#pragma once

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// Proved enclosures of P_X[L > level] and of P_X[L <= -level], level >= 0.
struct LineTails {
  Ball above, below;
};
LineTails spherical_line_tails(const SphericalPair& pair, const SphericalGeometry& geometry,
                               double level);

}  // namespace modicum
