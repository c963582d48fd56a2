// Minimizers of a logistic regression with one row more or less, for several such rows at once.
#pragma once

#include <vector>

#include "modicum/release/logistic_release.h"
#include "release/regression/linear_objective.h"

namespace modicum {

/// 1 / (1 + exp(margin)): how much a row pulls. Times 1 - itself it is how much the row bends.
inline double logistic_pull(double margin) {
  return -PredictionLoss::logistic().at(margin, 1.0).slope;
}

/// Passes over the rows in coordinates, with labels.
struct LogisticSource {
  const LabeledRows& rows;
  const ReadOptions& options;
};

/// A regression of the table and one row more (sign +1) or less (-1).
struct ChangedRegression {
  double sign;
  Eigen::VectorXd row;
  double label;
  Eigen::VectorXd minimizer;  ///< found by refit
  double error = 0.0;         ///< of the minimizer, in Euclidean distance; rounding estimated
};

/// Of the objective, at the minimizer.
Eigen::MatrixXd logistic_hessian(const LogisticSource& source, const LogisticModel& model);

/// How far the minimizer is from the true one, proved: one pass for the gradient there.
double proved_error(const LogisticSource& source, const LogisticModel& model,
                    const ChangedRegression& changed);

/// Steps of Newton's method with the Hessian of the table, changed by the row: one pass a step for
/// all of them. Where that does not bring the gradient down, with the bound G on all Hessians,
/// which does. What is not found after many steps has a large error.
void refit(const LogisticSource& source, const LogisticModel& model, const Eigen::MatrixXd& hessian,
           std::vector<ChangedRegression>& changed);

}  // namespace modicum
