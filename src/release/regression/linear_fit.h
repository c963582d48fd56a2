// The minimizer of a regularized regression, with a proof of how near it is.
#pragma once

#include "release/regression/linear_objective.h"

namespace modicum {

/// sum f(x^T theta; y) + regularization/2 |theta|^2 + tilt^T theta over clipped rows, in their
/// units.
struct RegressionProblem {
  PredictionLoss loss;
  double regularization;
  LongVector tilt;
  double tilt_error = 0.0;  ///< the tilt that is meant is so near
};

struct RegressionMinimizer {
  Eigen::VectorXd coefficients;
  double error;  ///< the true minimizer is so near, rounding included
  double rows, passes;
};

/// Newton's method until the minimizer is proved to be within `tolerance` of the true one. The same
/// bits for any number of threads. Throws InvalidParameter, Error where that cannot be proved.
RegressionMinimizer minimize(const PassOverRows& pass, const IntegerClip& clip,
                             const RegressionProblem& problem, double tolerance);

}  // namespace modicum
