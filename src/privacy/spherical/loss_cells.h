// Many weighted losses, gathered into few that have the same moments cell by cell.
#pragma once

#include "privacy/laws/loss_law.h"
#include "privacy/spherical/spherical_estimate.h"

namespace modicum {

/// For E[exp(zL)] at z = center + iy, |y| <= height: in each cell, short beside 1/height, Gauss's
/// rule of six points for the weights times exp(center L).
LossNodes gathered(const WeightedLosses& rule, double center, double height);

/// Horizontal layers of the density of L under the weights times exp(center L), from a histogram:
/// about six sevenths of the mass. An estimate.
std::vector<UniformPart> layers_of(const WeightedLosses& rule, double center);

}  // namespace modicum
