// The sum over rows of clipped gradients of the logistic loss, in whole numbers.
#pragma once

#include "modicum/data/gram.h"
#include "modicum/release/labeled_rows.h"

namespace modicum {

struct GradientSum {
  std::vector<Integer128> values;  ///< whole numbers of the grid
  double grid;                     ///< a power of two
};

/// Of slope x for rows x clipped to norm bounds, each scaled down to a norm of `longest` where it
/// is above: whatever a row is, it adds a vector of that norm at most, and hangs on that row and
/// the coefficients alone.
GradientSum gradient_sum(const PassOverRows& pass, const IntegerClip& clip,
                         const Eigen::VectorXd& coefficients, double longest);

/// What the rows add up to for the question of a gradient.
std::vector<Integer128> answer_gradient(const PassOverRows& pass, const Value& question);

}  // namespace modicum
