// What can be proved of two neighboring posteriors of a Gaussian process: their outputs in one
// direction.
#pragma once

#include <optional>

#include "modicum/release/gaussian_process_release.h"
#include "release/neighbors/inverse_form.h"

namespace modicum {

/// Rows of which each stands for so many equal ones.
struct ProcessRows {
  RowBlock features;
  Eigen::VectorXd targets, counts;
};

/// A posterior, and what a record added to it changes. Of the queries those that know most of the
/// record are looked at, 200 at most: what they show, the release shows.
class ProcessProof {
 public:
  ProcessProof(const GaussianProcessPlan& plan, ProcessRows rows);
  /// The linear kernel, from second moments, the target last, that are right to 2^-50 of
  /// themselves; less the record, the target last, if there is one.
  ProcessProof(const GaussianProcessPlan& plan, const Eigen::MatrixXd& moments,
               const Eigen::VectorXd& without);

  /// Certified; X has the record. Its lower ends count.
  ProfilePoint added(const Eigen::VectorXd& features, double target, double epsilon) const;

 private:
  struct Known;
  Known known(const Eigen::VectorXd& features) const;
  Ball kernel(const double* a, const double* b) const;
  BallMatrix kernels(const RowBlock& a, const BallMatrix& weights, const RowBlock& b) const;

  const GaussianProcessPlan& plan_;
  bool by_moments_;
  ProcessRows rows_;                      // of the first constructor
  std::optional<InverseForm> inverse_;    // none without rows
  std::optional<BallMatrix> right_side_;  // targets, or their products with the features
};

}  // namespace modicum
