// Tails of the loss of spherical noise, proved: docs/derivations/spherical.md.
#pragma once

#include "privacy/spherical/spherical_estimate.h"

namespace modicum {

/// Encloses the P_X probability of a side of `loss`, in two dimensions and more. The estimate of
/// the same probability only sets the tolerance and the first mesh: a bad one makes the enclosure
/// wide, never wrong.
Ball enclose_spherical_tail(const SphericalPair& pair, const SphericalGeometry& geometry,
                            double loss, Side side, const ScaledEstimate& estimate);

}  // namespace modicum
