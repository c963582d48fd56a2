// The second moments D^T D of a table.
#pragma once

#include <optional>

#include "modicum/data/gram.h"
#include "modicum/release/released.h"

namespace modicum {

enum class CovarianceMethod {
  gaussian_orthogonal_ensemble,  ///< noise on each entry, exact
  projection,                    ///< the second moments of a sketch, less the ridge
  singular_value,                ///< the same over the ridge of [Sheffet2019]
};

struct CovarianceRequest {
  CovarianceMethod method = CovarianceMethod::gaussian_orthogonal_ensemble;
  std::optional<double> columns;  ///< of the sketch; else a million: the cost does not depend on it
};

/// A sketch of the rows with so many columns, over a ridge.
struct RidgeSketch {
  double columns, ridge;
};

struct CovariancePlan {
  PublicRows rows;
  std::optional<RidgeSketch> sketch;  ///< what the moments are taken from; else noise on each entry
  double standard_deviation;          ///< off the diagonal; for sketches that of the empty table
  double diagonal_standard_deviation;  ///< sqrt 2 times as much, rounded upwards
  double grid;                         ///< of the released numbers
  Certificate certificate;
};

/// Throws InvalidParameter, CalibrationFailed.
CovariancePlan plan_covariance(const PrivacyTarget& target, const PublicRows& rows,
                               const CovarianceRequest& request);

/// A symmetric matrix with mean D^T D. It need not be positive definite.
Released release_covariance(const CovariancePlan& plan, const IntegerGram& gram,
                            RandomSource& source);

}  // namespace modicum
