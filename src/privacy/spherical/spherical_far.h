// A bound of E_X[exp(zL)] of spherical noise without a pole, p > 1, far up a line Re z = center:
// the coordinate along the axis of the two centers is moved into the complex plane, by a share of
// the distance of the nearer center (docs/derivations/spherical.md#far-up-without-a-pole).
#pragma once

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// Whether there is such a bound: no pole, p > 1.
bool has_far_bound(const SphericalGeometry& geometry);
/// At least log |E_X[exp((center + iy) L)]| for all |y| >= height > 0, proved, center >= 0;
/// infinite where none is found. It falls like -T log(height).
double spherical_far_bound(const SphericalGeometry& geometry, double center, double height);
/// About the same, quickly.
double spherical_far_estimate(const SphericalGeometry& geometry, double center, double height);

}  // namespace modicum
