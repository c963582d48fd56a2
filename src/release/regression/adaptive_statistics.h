// Adaptive sufficient statistics perturbation [Wang2018, Algorithm 2]: noise of one deviation on
// the least eigenvalue of B^T B, on B^T B and on B^T b, composed exactly: published with a third of
// the budget each by a bound that spends a millionth of delta. Features and target are both bounded
// by the row norm l.
#pragma once

#include <Eigen/Core>

#include "modicum/calibration/calibrate.h"
#include "modicum/data/gram.h"
#include "modicum/data/value.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/certificate.h"

namespace modicum {

class AdaptiveStatistics {
 public:
  AdaptiveStatistics(const PrivacyTarget& target, double features, double row_norm_bound);

  /// The least with which the three together meet the target: the same for all three.
  double standard_deviation() const { return deviation_; }
  double grid() const;
  /// Three Gaussians of distance l^2 / standard_deviation, one of them with room for the rounding
  /// of an eigenvalue, composed exactly.
  ProfilePoint achieved() const { return achieved_; }
  /// What the three cost, for compositions.
  static Value description(double standard_deviation, double row_norm_bound);

  /// The coefficients, from a noisy system with a ridge that is itself private.
  Eigen::VectorXd solve(const IntegerGram& gram, RandomSource& source) const;

 private:
  AdaptiveStatistics(const PrivacyTarget& target, double features, double row_norm_bound,
                     const Calibration& found);
  PrivacyTarget target_;
  double features_, bound_, deviation_;
  ProfilePoint achieved_;
};

}  // namespace modicum
