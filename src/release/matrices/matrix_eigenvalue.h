// The least eigenvalue of a symmetric matrix, with a proof of how far off it may be.
#pragma once

#include <Eigen/Core>

namespace modicum {

/// A double within `precision` of the least eigenvalue of this symmetric matrix, as it stands.
/// Throws Error where that could not be proved: double arithmetic finds it up to a few units in the
/// last place of the norm.
double least_eigenvalue_within(const Eigen::MatrixXd& symmetric, double precision);

}  // namespace modicum
