// The objective of a logistic regression, its gradient with a bound on the rounding, its Hessian.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>

#include "modicum/release/logistic_release.h"

namespace modicum {

/// One pass over all rows.
using PassOverRows = std::function<void(const LabelledWork&)>;

/// 1 / (1 + exp(margin)): how much a row pulls. Times 1 - itself it is how much the row bends.
inline double logistic_pull(double margin) { return 1.0 / (1.0 + std::exp(margin)); }

/// sum log(1 + exp(-y x^T theta)) + ridge/2 |theta|^2 at one theta. Here x = 2^-20 v, v the whole
/// numbers of a clipped row: |x| <= 1 whatever the units of the file.
struct LogisticPoint {
  long double value = 0.0L;
  Eigen::VectorXd gradient;
  double gradient_error = 0.0;  ///< Euclidean distance from the true gradient at most, proved
  Eigen::MatrixXd hessian;
  double rows = 0.0;

  /// Not below the norm of the true gradient.
  double gradient_bound() const;
};

LogisticPoint logistic_point(const PassOverRows& pass, const Eigen::VectorXd& theta, double ridge);

struct LogisticMoments {
  Eigen::MatrixXd matrix;  ///< X^T X
  double rows = 0.0;
};

/// Sum of v v^T in whole numbers, times 2^-40: without rounding until the end.
LogisticMoments logistic_moments(const PassOverRows& pass, Eigen::Index dimension);

}  // namespace modicum
