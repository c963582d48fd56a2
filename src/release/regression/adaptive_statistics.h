// Adaptive sufficient statistics perturbation [Wang2018, Algorithm 2]: a third of the budget each
// for the least eigenvalue of B^T B, for B^T B and for B^T b. Features and target are both bounded
// by the row norm l.
#pragma once

#include <Eigen/Core>

#include "modicum/data/gram.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/certificate.h"

namespace modicum {

class AdaptiveStatistics {
 public:
  AdaptiveStatistics(const PrivacyTarget& target, double features, double row_norm_bound);

  /// l^2 sqrt(log(6/delta)) / (epsilon/3), rounded upwards: the same for all three.
  double standard_deviation() const { return deviation_; }
  double grid() const;
  /// Three Gaussians of distance l^2 / standard_deviation, one of them with room for the rounding
  /// of an eigenvalue, composed exactly.
  ProfilePoint achieved() const;

  /// The coefficients, from a noisy system with a ridge that is itself private.
  Eigen::VectorXd solve(const IntegerGram& gram, RandomSource& source) const;

 private:
  PrivacyTarget target_;
  double features_, bound_, deviation_;
};

}  // namespace modicum
