// How far coefficients of a minimum with noise may be off, from a private look at the curvature.
#pragma once

#include "modicum/randomness/random_source.h"
#include "modicum/release/objective_release.h"

namespace modicum {

/// The covariance of standardized coefficients: H^-1 (D + sigma^2 I) H^-1, where D is the Hessian
/// of the data at them with noise that costs `mu`, H = D + lambda I. By sampling and by the noise
/// in the objective; what regularization and clipping shrink is not in it.
Eigen::MatrixXd released_covariance(const ObjectivePlan& plan, const PassOverRows& pass,
                                    const IntegerClip& clip, const Eigen::VectorXd& coefficients,
                                    double mu, RandomSource& source);

/// Adds the columns `standard_error`, `lower` and `upper` (95 %) of `coefficient`, in the units of
/// the file.
void add_errors(Released& released, const PublicRows& rows, const Eigen::MatrixXd& covariance);

}  // namespace modicum
