// What may be computed from released numbers: it costs no privacy, whatever it is.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "modicum/release/gaussian_process_release.h"

namespace modicum {

struct CenteredMoments {
  double rows;  ///< at least 1
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;  ///< over the number of rows; need not be positive definite
};
/// From second moments D^T D with noise, the first coordinate a column of ones. Throws
/// InvalidParameter unless they are square, finite, and of at least two coordinates.
CenteredMoments centered_moments(const Eigen::MatrixXd& moments);

/// The nearest symmetric matrix, in the Frobenius norm, without negative eigenvalues.
Eigen::MatrixXd nearest_semidefinite(const Eigen::MatrixXd& symmetric);

/// Values of public points as a release with these ranges sees them: clamped, mapped onto [-1, 1].
/// One range a column. Throws InvalidParameter for sizes that differ.
RowBlock in_coordinates(const RowBlock& points, const std::vector<Range>& ranges);

/// The other way round: [-1, 1] onto the range. Nothing is clamped.
RowBlock from_coordinates(const RowBlock& coordinates, const std::vector<Range>& ranges);

/// By its name: "rbf", "matern12", "matern32", "matern52", "linear". Throws InvalidParameter.
PriorKernel kernel_named(const std::string& name);

/// Values that were released at `queries`, carried on to `points`: the mean of the Gaussian process
/// with this prior, given the values with independent noise of variance `noise_variance` > 0.
/// All in coordinates, a row each. Throws InvalidParameter for sizes that differ and numbers that
/// are not finite, Error where the matrix cannot be factorized.
Eigen::VectorXd carried_on(PriorKernel kernel, double length_scale, double amplitude,
                           double noise_variance, const RowBlock& queries,
                           const Eigen::VectorXd& values, const RowBlock& points);

}  // namespace modicum
