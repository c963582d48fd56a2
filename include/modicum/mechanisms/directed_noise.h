// Noise along public directions: where one record moves an answer along one of a few known vectors,
// noise need not be the same in all directions. Proofs: docs/derivations/lifting.md.
#pragma once

#include <Eigen/Core>

namespace modicum {

/// A covariance K = L L^T with u^T K^-1 u <= reach^2 for every direction u.
struct DirectedNoise {
  Eigen::MatrixXd root;  ///< L, lower triangular with a positive diagonal
  double reach;          ///< the largest |L^-1 u|, rounded upwards, for L as it is in doubles
  double trace;          ///< of K reach^2, in doubles
  double least_trace;    ///< no covariance with u^T K^-1 u <= 1 has less, in doubles
  Eigen::MatrixXd covariance() const { return root * root.transpose(); }
};

/// Of about the least trace there is. A row for each direction; they must span all coordinates.
/// Throws InvalidParameter where they do not, as far as doubles can tell, or are not finite.
DirectedNoise least_directed_noise(const Eigen::MatrixXd& directions);

}  // namespace modicum
