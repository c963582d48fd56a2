// x^T H^-1 x from above, by a noisy matrix that H is known to exceed.
#pragma once

#include <Eigen/Core>

namespace modicum {

/// H >= a V diag(values) V^T + ((1 - a) floor - a margin) I for every a in [0, 1], in the order of
/// symmetric matrices. `values` empty: H >= floor I alone.
struct MatrixBelow {
  const Eigen::VectorXd& values;   ///< ascending
  const Eigen::MatrixXd& vectors;  ///< V, computed in doubles
  double floor, margin;
};

/// The least bound on x^T H^-1 x that this gives, searched for to some ten digits; rounding in V
/// and in V^T x is allowed for.
double leverage_above(const MatrixBelow& below, const Eigen::VectorXd& row);

}  // namespace modicum
