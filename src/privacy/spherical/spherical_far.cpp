#include "privacy/spherical/spherical_far.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "privacy/spherical/moved_plane.h"

namespace modicum {
namespace far_up {
namespace {

constexpr double sharp_enough = 0.6;  // bounds may be this much too large, relatively
constexpr std::size_t most_cells = 12000;
constexpr double negligible = 7.0;  // exp(-7) of the whole may lie outside the box

}  // namespace
}  // namespace far_up

// Where r is small the exponent without k p x is at most k center (r (1 + share) + step)^p, for
// |r2|
// <= r + share r + step and Re N, Re F, Im (F - N) >= 0.
double MovedPlane::mass_left_of(double x) const {
  const double far = std::exp(x) * (1.0 + share_) + geometry_.step, k = geometry_.shape;
  const double exponent =
      geometry_.log_density + k + k * geometry_.p * x + k * center_ * std::pow(far, geometry_.p);
  return 2.0 * std::exp(exponent + margin * (1.0 + std::abs(exponent))) * (1.0 + square(share_)) /
         (k * geometry_.p);
}

// Where r is large |F - N| <= |N| ((1 - |q|)^{-p/2} - 1), |q| falls, and Re N is at least what the
// largest argument leaves of it: the exponent is at most k (1 + px) - k rate e^{px}, concave.
double MovedPlane::mass_right_of(double x) const {
  const double k = geometry_.shape, p = geometry_.p, sigma = geometry_.step * std::exp(-x);
  const double q = sigma * (2.0 * (1.0 + share_) + sigma) / (1.0 - square(share_));
  if (!(q < 0.9)) return infinity;
  const double gain = std::expm1(-0.5 * p * std::log1p(-q));
  const double least = std::pow(1.0 - square(share_), 0.5 * p) * std::cos(p * std::atan(share_));
  const double rate =
      (least - (1.0 + center_) * std::pow(1.0 + square(share_), 0.5 * p) * gain) * (1.0 - 1e-9);
  const double grown = k * rate * std::exp(p * x), slope = p * (grown - k);
  if (!(rate > 0.0 && slope > 1e-6 * p * k)) return infinity;
  const double exponent = geometry_.log_density + k * (1.0 + p * x) - grown;
  return 2.0 * std::exp(exponent + margin * (1.0 + std::abs(exponent) + k)) *
         (1.0 + square(share_)) / (slope * (1.0 - 1e-3));
}

void MovedPlane::choose_box() {
  // The center alone weighs about (height step)^-T.
  const double unit = 0.25 / (geometry_.p * std::sqrt(geometry_.shape + 1.0));
  double enough = infinity;
  for (int i = 0; i < 3; ++i) {
    const double least = i == 0 ? 1e-6 : enough;
    low_ = -unit, high_ = unit;
    for (double step = unit; !(mass_left_of(low_) <= least) && low_ > -1e4; step *= 1.15)
      low_ -= step;
    for (double step = unit; !(mass_right_of(high_) <= least) && high_ < 600.0; step *= 1.05)
      high_ += step;
    const double about = log_estimate();
    const double wanted = std::exp(about - far_up::negligible);
    if (i > 0 && wanted >= 0.1 * least) break;
    enough = wanted;
  }
}

double MovedPlane::log_estimate() const {
  const std::vector<Cell> cells = first_cells(48, 24);
  std::vector<double> logs;
  double largest = -infinity, sum = 0.0;
  for (const Cell& cell : cells) {
    const double w = flat() ? cell.v : std::sin(cell.v);
    if (w * std::exp(cell.x) < -0.5 * geometry_.step) continue;
    logs.push_back(place_at(cell.x, cell.v, cell.near_x).exponent + log_angle(cell.v, 0.0) +
                   log_area(cell));
    if (logs.back() < infinity) largest = std::max(largest, logs.back());
  }
  for (const double each : logs)
    if (each < infinity) sum += std::exp(each - largest);
  return log_constant() + largest + std::log(sum);
}

// The cell that may be most too large is halved, until all of it is little.
double MovedPlane::log_bound() const {
  const double scale = log_estimate();
  const double outside = mass_left_of(low_) + mass_right_of(high_);
  if (!(outside < infinity) || !(std::abs(scale) < 1e6)) return infinity;
  const auto upper = [&](const Cell& cell) { return std::exp(cell.log_upper - scale); };
  const auto excess = [&](const Cell& cell) {
    return cell.log_upper < infinity ? -upper(cell) * std::expm1(-cell.change) : infinity;
  };
  const auto less = [&](const Cell& one, const Cell& other) { return excess(one) < excess(other); };
  std::priority_queue<Cell, std::vector<Cell>, decltype(less)> cells(less);
  double total = 0.0, too_large = 0.0;
  std::size_t unknown = 0;
  const auto count = [&](const Cell& cell, double sign) {
    if (!(upper(cell) < 1e6)) {
      unknown += sign > 0.0 ? 1 : -1;
      return;
    }
    total += sign * upper(cell);
    too_large += sign * excess(cell);
  };
  const auto add = [&](Cell cell) {
    if (beyond_half(cell)) return;
    measure(cell);
    count(cell, 1.0);
    cells.push(cell);
  };
  for (const Cell& cell : first_cells(24, 12)) add(cell);
  for (std::size_t i = 0; i < far_up::most_cells; ++i) {
    if (unknown == 0 && too_large <= far_up::sharp_enough * (total - too_large)) break;
    const Cell cell = cells.top();
    cells.pop();
    count(cell, -1.0);
    Cell first = cell, second = cell;
    if (cell.by_radius) {
      first.half_x = second.half_x = 0.5 * cell.half_x;
      first.x -= first.half_x;
      second.x += second.half_x;
    } else {
      first.half_v = second.half_v = 0.5 * cell.half_v;
      first.v -= first.half_v;
      second.v += second.half_v;
    }
    add(first);
    add(second);
  }
  // Added up anew: differences have lost digits.
  double sum = outside * std::exp(-scale);
  for (; !cells.empty(); cells.pop()) sum += upper(cells.top());
  return sum >= 0.0 && sum < infinity ? scale + std::log(sum) + margin : infinity;
}

namespace far_up {
namespace {

// Re N and Re F stay positive as long as p atan(share) < pi/2.
double largest_share(double p) {
  return std::min(0.9, 0.97 * std::tan(1.5707963267948966 / std::max(p, 1.05)));
}

struct BestShare {
  double share, log_moment;
};
BestShare best_share(const SphericalGeometry& geometry, double center, double height) {
  BestShare best{0.0, infinity};
  for (double share = largest_share(geometry.p); share > 0.01; share *= 0.7) {
    const double about = MovedPlane(geometry, center, height, share).log_estimate();
    if (!(about < best.log_moment)) break;
    best = {share, about};
  }
  return best;
}

}  // namespace
}  // namespace far_up

bool has_far_bound(const SphericalGeometry& geometry) {
  return geometry.deficit == 0.0 && geometry.p > 1.0;
}

double spherical_far_estimate(const SphericalGeometry& geometry, double center, double height) {
  return far_up::best_share(geometry, center, height).log_moment;
}

double spherical_far_bound(const SphericalGeometry& geometry, double center, double height) {
  if (!has_far_bound(geometry)) return infinity;
  const far_up::BestShare best = far_up::best_share(geometry, center, height);
  if (!(best.share > 0.0)) return infinity;
  return MovedPlane(geometry, center, height, best.share).log_bound();
}

}  // namespace modicum
