#include "release/reports/loss_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace modicum {
namespace {

std::vector<double> sorted_sizes(const Eigen::VectorXd& values) {
  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value));
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
}

LossSummary summarize(const RecordLosses& losses, double worst_case) {
  const std::vector<double> sizes = sorted_sizes(losses.signed_losses);
  const auto rows = static_cast<double>(sizes.size());
  const auto below = std::lower_bound(sizes.begin(), sizes.end(), 0.1 * worst_case);
  const auto above = (losses.signed_losses.array().abs() > losses.bounds.array()).count();
  LossSummary summary{};
  summary.rows = rows;
  summary.largest = quantile(sizes, 1.0);
  summary.mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / rows;
  summary.median = quantile(sizes, 0.5);
  summary.quantile_90 = quantile(sizes, 0.9);
  summary.quantile_99 = quantile(sizes, 0.99);
  summary.share_below_a_tenth = static_cast<double>(below - sizes.begin()) / rows;
  summary.median_bound = quantile(sorted_sizes(losses.bounds), 0.5);
  summary.share_above_bound = static_cast<double>(above) / rows;
  return summary;
}

}  // namespace modicum
