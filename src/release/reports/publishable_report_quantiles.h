// Places beyond which noise lies with a given probability, rounded upwards.
#pragma once

namespace modicum {

/// At least Phi^-1(1 - tail), 0 < tail <= 1/2.
double normal_quantile_above(double tail);

/// At least the t with P[|Z| > t] = tail, Z standard normal in `dimension` dimensions, and above it
/// by a share of 1e-12 at most.
double norm_quantile_above(double dimension, double tail);

}  // namespace modicum
