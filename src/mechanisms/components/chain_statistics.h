// What the traces of Markov chains tell about them.
#pragma once

#include <vector>

namespace modicum {

/// The root of (1 - 1/n) + (variance between the chains)/(variance within) [GelmanRubin1992]; huge
/// for chains that stand still at different values, 1 at the same. At least two values each.
double potential_scale(const std::vector<double>& one, const std::vector<double>& other);

/// 1 + 2 sum of autocorrelations, up to the first pair of lags whose sum is not positive
/// [Geyer1992]; at least 1.
double autocorrelation_time(const std::vector<double>& trace);

}  // namespace modicum
