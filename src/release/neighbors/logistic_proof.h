// What can be proved of two neighboring logistic regressions: their outputs in one direction.
#pragma once

#include "modicum/privacy/profile.h"
#include "release/neighbors/inverse_form.h"

namespace modicum {

/// How one row changes a regression: from `base`, whose covariance is G^-1 + noise_variance I, to
/// the minimizer `changed`. sign -1: the row is removed from G; +1: it is added.
struct RegressionStep {
  double sign;
  Eigen::VectorXd row, base, changed;
  double shift_error;  ///< how far the difference of the two may be off, as a length
};

/// N(z^T theta, z^T (G^-1 + noise I) z) on both sides, X being that with the row. `direction` is z;
/// any is valid.
ProfilePoint proved_step(const InverseForm& inverse_precision, double noise_variance,
                         const RegressionStep& step, const Eigen::VectorXd& direction,
                         double epsilon);

}  // namespace modicum
