// Adaptive sufficient statistics perturbation [Wang2018, Algorithm 2]: noise on the least
// eigenvalue of B^T B, on B^T B and on B^T b, a third of the budget each, composed exactly:
// published by a bound that spends a millionth of delta. Features and target have bounds of their
// own, as published.
#pragma once

#include <Eigen/Core>

#include "modicum/calibration/calibrate.h"
#include "modicum/data/gram.h"
#include "modicum/data/value.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/released.h"

namespace modicum {

/// Norms of the features of a row, and of its target, at most: what ranges and the norm bound
/// leave, with room for the rounding of rows.
struct StatisticBounds {
  explicit StatisticBounds(const PublicRows& rows);
  double features, target;
};

class AdaptiveStatistics {
 public:
  AdaptiveStatistics(const PrivacyTarget& target, const PublicRows& rows);

  /// Of B^T B and of its least eigenvalue.
  double standard_deviation() const { return unit_ * bounds_.features * bounds_.features; }
  /// Of B^T b.
  double target_standard_deviation() const { return unit_ * bounds_.features * bounds_.target; }
  double grid() const;
  /// Three Gaussians of distance 1 / unit, one of them with room for the rounding of an eigenvalue,
  /// composed exactly.
  ProfilePoint achieved() const { return achieved_; }
  /// What the three cost, for compositions.
  Value description() const;

  /// The coefficients, from a noisy system with a ridge that is itself private.
  Eigen::VectorXd solve(const IntegerGram& gram, RandomSource& source) const;

 private:
  AdaptiveStatistics(const PrivacyTarget& target, const PublicRows& rows, const Calibration& found);
  PrivacyTarget target_;
  Eigen::Index features_;
  double row_norm_bound_;
  StatisticBounds bounds_;
  double unit_;  // noise for a sensitivity of 1
  ProfilePoint achieved_;
};

}  // namespace modicum
