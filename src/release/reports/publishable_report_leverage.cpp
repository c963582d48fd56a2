#include "release/reports/publishable_report_leverage.h"

#include <algorithm>
#include <limits>

namespace modicum {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

// With c = V^T x and k = values - margin - floor the bound at a is the sum of c_i^2 / (floor + a
// k_i), convex in a wherever all denominators are positive. Every such a is valid, and the event on
// which H exceeds the matrix is the same for all: the search costs nothing.
class LeverageBound {
 public:
  LeverageBound(const MatrixBelow& below, const Eigen::VectorXd& row)
      : floor_(below.floor), gains_(below.values.array() - (below.margin + below.floor)) {
    // Rounding moves a number of V^T x by far less than this share of |x|.
    const double rounding = 16.0 * static_cast<double>(row.size()) * unit_roundoff * row.norm();
    weights_ = ((below.vectors.transpose() * row).array().abs() + rounding).square();
  }

  double at(double a) const { return (weights_ / (floor_ + a * gains_)).sum(); }
  double slope_at(double a) const {
    return -(weights_ * gains_ / (floor_ + a * gains_).square()).sum();
  }
  /// Up to here all denominators are positive, by far more than rounding.
  double largest() const {
    const double least = gains_.minCoeff();
    return least < 0.0 ? std::min(1.0, (1.0 - 1e-6) * floor_ / -least) : 1.0;
  }

 private:
  double floor_;
  Eigen::ArrayXd gains_, weights_;
};

}  // namespace

double leverage_above(const MatrixBelow& below, const Eigen::VectorXd& row) {
  const double by_floor = row.squaredNorm() / below.floor;
  if (below.values.size() == 0 || by_floor == 0.0) return by_floor;
  const LeverageBound bound(below, row);
  double low = 0.0, high = bound.largest();
  if (bound.slope_at(high) <= 0.0) return std::min(by_floor, bound.at(high));
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (bound.slope_at(middle) <= 0.0 ? low : high) = middle;
  }
  return std::min({by_floor, bound.at(low), bound.at(high)});
}

}  // namespace modicum
