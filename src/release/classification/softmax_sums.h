// The sum over rows of clipped gradients of the softmax loss, in whole numbers.
#pragma once

#include "modicum/data/gram.h"
#include "release/classification/gradient_sums.h"

namespace modicum {

/// Of (p - e_y) x^T for rows x of class y (the label), p their probabilities under `coefficients`
/// (a row for each class), class after class; each scaled down to a Frobenius norm of `longest`
/// where it is above. Whatever a row is, it adds a matrix of that norm at most, and hangs on that
/// row and the coefficients alone.
GradientSum softmax_gradient_sum(const PassOverRows& pass, const IntegerClip& clip,
                                 const Eigen::MatrixXd& coefficients, double longest);

}  // namespace modicum
