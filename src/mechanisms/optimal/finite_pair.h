// Two distributions on finitely many points, known as balls.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "numerics/ball.h"

namespace modicum {

/// X has x[i] and Y has y[i] at point i; both add up to 1 up to the balls. Exact: losses are
/// logarithms in balls, and where only one of the two has mass the loss is infinite. With
/// `symmetric` the pair (Y, X) is known to have the same loss, and one law serves both directions.
PrivacyLoss finite_pair_loss(const std::vector<Ball>& x, const std::vector<Ball>& y,
                             bool symmetric);

}  // namespace modicum
