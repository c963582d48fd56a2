#include "mechanisms/components/chain_statistics.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

struct Moments {
  double mean, variance;
};

Moments moments_of(const std::vector<double>& trace) {
  const auto size = static_cast<double>(trace.size());
  double mean = 0.0, variance = 0.0;
  for (const double value : trace) mean += value;
  mean /= size;
  for (const double value : trace) variance += (value - mean) * (value - mean) / (size - 1.0);
  // What rounding alone makes of equal values is none.
  const double rounding = 1e-14 * mean;
  return {mean, variance > rounding * rounding ? variance : 0.0};
}

}  // namespace

double potential_scale(const std::vector<double>& one, const std::vector<double>& other) {
  const Moments a = moments_of(one), b = moments_of(other);
  const double within = 0.5 * (a.variance + b.variance);
  const double between = 0.5 * (a.mean - b.mean) * (a.mean - b.mean);
  if (!(within > 0.0)) return between > 0.0 ? 1e300 : 1.0;  // a law of one value
  return std::sqrt(1.0 - 1.0 / static_cast<double>(one.size()) + between / within);
}

double autocorrelation_time(const std::vector<double>& trace) {
  const Moments moments = moments_of(trace);
  if (!(moments.variance > 0.0)) return 1.0;
  const auto correlation = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = 0; i + lag < trace.size(); ++i)
      sum += (trace[i] - moments.mean) * (trace[i + lag] - moments.mean);
    return sum / (static_cast<double>(trace.size()) * moments.variance);
  };
  double time = -1.0;
  for (std::size_t lag = 0; lag + 1 < trace.size(); lag += 2) {
    const double pair = correlation(lag) + correlation(lag + 1);
    if (!(pair > 0.0)) break;
    time += 2.0 * pair;
  }
  return std::max(time, 1.0);
}

}  // namespace modicum
