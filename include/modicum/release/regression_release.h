// Coefficients of a linear regression of the last coordinate of the rows on the others.
#pragma once

#include <optional>
#include <variant>

#include "modicum/data/gram.h"
#include "modicum/release/covariance_release.h"
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

/// A draw from the limit law of the solution of a sketch.
struct DrawnSolution {
  RidgeSketch sketch;
};
/// The solution of a sketch.
struct SolvedSketch {
  RidgeSketch sketch;
};
/// That of second moments with noise.
struct SolvedMoments {
  double standard_deviation, diagonal_standard_deviation;
};
/// That of noisy moments with a ridge by a noisy eigenvalue [Wang2018].
struct AdaptiveSolution {
  double standard_deviation;
};
/// The solution itself, with noise.
struct NoisySolution {
  double standard_deviation;
};

struct RegressionPlan {
  PublicRows rows;  ///< the target last
  std::variant<DrawnSolution, SolvedSketch, SolvedMoments, AdaptiveSolution, NoisySolution> draw;
  double grid;  ///< of the standardized coefficients, or of the moments they come from
  Certificate certificate;

  double features() const { return static_cast<double>(rows.dimension() - 1); }
  /// Where there is one: its ridge is added to the Gram matrix of all coordinates.
  const RidgeSketch* sketch() const;
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
