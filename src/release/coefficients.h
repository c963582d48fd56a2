// Coefficients of a linear predictor, from coordinates to the units of the file.
#pragma once

#include "modicum/release/released.h"

namespace modicum {

/// Target = centre + scale * coordinate.
struct TargetUnits {
  double centre, scale;
};

/// From sum beta_j z_j with z = (x - centre) / scale, for the first coordinates of the rows.
/// Columns `coefficient` and `standardised`; where centres move the origin there is a row
/// `intercept`.
Released coefficients_in_units(const PublicRows& rows, const TargetUnits& target,
                               const Eigen::VectorXd& standardised, const Certificate& certificate);

}  // namespace modicum
