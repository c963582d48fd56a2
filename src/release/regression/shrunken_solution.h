// A system of moments with noise, solved as the noise allows.
#pragma once

#include <Eigen/Core>

namespace modicum {

/// The system moments * x = right, both with Gaussian noise: entries of the matrix of deviation
/// `matrix_noise`, those of the right side of `right_noise`.
struct NoisySystem {
  Eigen::MatrixXd moments;
  Eigen::VectorXd right;
  double matrix_noise, right_noise;
};

/// The posterior mean of x, were its coordinates along the axes of the matrix normal with one
/// variance, which is the likeliest one: nothing but 0 where the noise explains the right side.
struct ShrunkenSolution {
  Eigen::VectorXd solution;
  /// Of its error: from the noise, for the largest variance that is not unlikely, and from a
  /// sample whose residuals have variance `residual_variance`.
  Eigen::MatrixXd covariance;
};
ShrunkenSolution shrunken_solution(const NoisySystem& system, double residual_variance);

}  // namespace modicum
