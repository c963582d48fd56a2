// Linear regression that looks first: private count and means, then second moments of rows centered
// and scaled by what was released, then once more of rows whitened by that. All rounds are
// Gaussian, and together cost what one would (docs/derivations/look.md).
#pragma once

#include <functional>

#include "modicum/data/gram.h"
#include "modicum/release/released.h"

namespace modicum {

struct PreconditionedPlan {
  PublicRows rows;  ///< the target last
  PrivacyTarget target;
  Certificate certificate;

  double features() const;  ///< without a column of ones
};

/// Needs at least one feature. Throws InvalidParameter, CalibrationFailed.
PreconditionedPlan plan_preconditioned(const PrivacyTarget& target, const PublicRows& rows);

/// Some five passes over the rows; `begin` is called before each. Columns `coefficient`,
/// `standardized`, as of release_regression, and of the first, with noise and sampling,
/// `standard_error`, `lower` and `upper` (95 %). Where the first look says that there are too few
/// rows for second moments, coefficients come from gradient descent with noise, and have no
/// intervals (descended); where there are too few for that, they are 0 but for the intercept, which
/// is the released mean (fell_back).
Released release_preconditioned(const PreconditionedPlan& plan, const Table& table,
                                const RowRule& rule, const std::function<ReadOptions()>& begin,
                                RandomSource& source);
bool fell_back(const Released& released);
bool descended(const Released& released);

/// From a public number of rows alone: by what factor, at least, the root mean square error exceeds
/// that of least squares because of the noise, were the features as well resolved as the second
/// look assumes; and whether so many rows would make it fall back, or descend.
struct PreconditionedOutlook {
  double error_ratio;
  bool falls_back, descends;
};
PreconditionedOutlook preconditioned_outlook(const PrivacyTarget& target, double features,
                                             double rows);

}  // namespace modicum
