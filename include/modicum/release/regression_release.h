// Coefficients of a linear regression of the last coordinate of the rows on the others.
#pragma once

#include <optional>

#include "modicum/data/gram.h"
#include "modicum/release/released.h"

namespace modicum {

enum class RegressionMethod {
  least_squares,                   ///< a draw from the limit law of the sketched solution
  approximate,                     ///< solves a sketch; private in the limit of many columns
  projection,                      ///< solves a sketch that is private itself
  covariance,                      ///< solves with exact noise on the second moments
  adaptive_sufficient_statistics,  ///< [Wang2018]
  singular_value,                  ///< a sketch over the ridge of [Sheffet2019]
  additive,                        ///< a sketch by a matrix that may be known, plus noise
  relative,                        ///< least_squares, without ridge if a declared set needs none
  relative_projection,             ///< projection, likewise
  relative_approximate,            ///< approximate, likewise
  relative_gaussian,               ///< noise on the solution, of a declared sensitivity
};

struct RegressionRequest {
  RegressionMethod method = RegressionMethod::covariance;
  std::optional<double> columns;                     ///< else default_regression_columns
  std::optional<double> set_leverage, set_residual;  ///< relative to a set: required
  std::optional<double> solution_sensitivity;        ///< relative_gaussian: required
};

/// max(100, 10 (features + 1)): more columns need a larger ridge.
double default_regression_columns(double features);

struct RegressionPlan {
  PublicRows rows;  ///< the target last
  RegressionMethod method;
  double columns;                      ///< of the sketch; 0 where there is none
  double ridge;                        ///< added to the Gram matrix of all coordinates
  double standard_deviation;           ///< of the noise, where it is added
  double diagonal_standard_deviation;  ///< of noise on second moments
  double grid;                         ///< of the standardized coefficients
  Certificate certificate;

  double features() const { return static_cast<double>(rows.dimension() - 1); }
};

/// Needs at least one feature. Throws InvalidParameter, CalibrationFailed.
RegressionPlan plan_regression(const PrivacyTarget& target, const PublicRows& rows,
                               const RegressionRequest& request);

/// Columns `coefficient`, in the units of the file, and `standardized`, of the coordinates. Where
/// ranges move the origin there is a row `intercept`, whether it was asked for or not. Throws Error
/// where the system cannot be solved: nothing is released then.
Released release_regression(const RegressionPlan& plan, const IntegerGram& gram,
                            RandomSource& source);

}  // namespace modicum
