// Coefficients of a linear predictor, from coordinates to the units of the file.
#pragma once

#include "modicum/release/released.h"

namespace modicum {

/// Target = center + scale * coordinate.
struct TargetUnits {
  double center, scale;
};

/// From sum beta_j z_j with z = (x - center) / scale, for the first coordinates of the rows.
/// Columns `coefficient` and `standardized`; where centers move the origin there is a row
/// `intercept`.
Released coefficients_in_units(const PublicRows& rows, const TargetUnits& target,
                               const Eigen::VectorXd& standardized, const Certificate& certificate);

}  // namespace modicum
