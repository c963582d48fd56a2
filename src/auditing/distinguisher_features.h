// What a logistic regression sees of an output.
#pragma once

#include <Eigen/Core>

#include "auditing/distinguisher_scaling.h"

namespace modicum {

/// Up to `most_coordinates`: a one, the scaled coordinates, and with products their squares and
/// products. Beyond: a one and the log-likelihood ratio of normal laws with independent coordinates
/// and equal variances, with products that for two variances each too. The means and variances are
/// learned from a first half of the trials, so that the regression may be learned from the second.
class FeatureMap {
 public:
  static constexpr std::size_t most_coordinates = 200;
  explicit FeatureMap(bool with_products) : with_products_(with_products) {}
  void learn(const Trials& trials, std::size_t begin, std::size_t end);
  /// First trial that the regression may learn from.
  std::size_t begin() const { return begin_; }
  Eigen::Index size(std::size_t dimension) const;
  /// One column a trial.
  Eigen::MatrixXd apply(const Trials& trials, std::size_t begin, std::size_t end) const;

 private:
  void learn_ratios(const Trials& trials, std::size_t begin, std::size_t end);
  bool with_products_;
  std::size_t begin_ = 0;
  Scaling scaling_;
  // Coefficients of the coordinates and of their squares, one ratio a row.
  Eigen::MatrixXd linear_, square_;
};

}  // namespace modicum
