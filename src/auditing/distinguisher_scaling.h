// Outputs on a common scale.
#pragma once

#include <Eigen/Core>

#include "auditing/black_box_trials.h"

namespace modicum {

/// Each coordinate minus its median, over its spread between quartiles as a normal law would have
/// it, cut at 12: a heavy tail must not rule the rest. Then, of up to 50 coordinates, such linear
/// combinations as are uncorrelated: the solutions of nearly singular systems need it.
class Scaling {
 public:
  Scaling() = default;
  /// From at most 10,000 of the trials from `begin` to `end`.
  Scaling(const Trials& trials, std::size_t begin, std::size_t end);
  /// One column a trial, from `begin` to `end`.
  Eigen::MatrixXd apply(const Trials& trials, std::size_t begin, std::size_t end) const;

 private:
  Eigen::MatrixXd scaled(const Trials& trials, std::size_t begin, std::size_t end) const;
  void decorrelate(const Trials& trials, std::size_t begin, std::size_t end);
  Eigen::VectorXd center_, inverse_scale_;
  Eigen::MatrixXd combinations_;  // empty where coordinates are left as they are
};

}  // namespace modicum
