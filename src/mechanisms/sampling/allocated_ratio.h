// How much likelier an epoch of randomly allocated batches is with a record than without it.
#pragma once

#include "numerics/ball.h"
#include "numerics/spread_measure.h"

namespace modicum {

/// Above the law of S = e^{g_1} + ... + e^{g_t}, g_i independent of N(-mu^2/2, mu^2), in the convex
/// order; 0 < mu <= largest_allocated_ratio, t = `batches`. Its mean is t. `refinement` divides the
/// distances of its points: their square is what it errs by.
SpreadMeasure allocated_ratio(const Ball& mu, double batches, double refinement = 1.0);

}  // namespace modicum
