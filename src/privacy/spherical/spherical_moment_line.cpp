#include "privacy/spherical/spherical_moment_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace modicum {
namespace {

constexpr double cell_tolerance = 2e-15;
constexpr int cell_points = 20;
constexpr double dropped = 1e-25;  // weights below are left out and counted as an error

}  // namespace

// In a cell of half width 1/height around m, exp(iyl) = exp(iym) sum of (iy)^n (l - m)^n / n! but
// for 1/18! of 1.
SphericalMomentLine::SphericalMomentLine(const SphericalGeometry& geometry, double center,
                                         double height)
    : center_(center), height_(height) {
  const SphericalCells cells(geometry, {center, height});
  log_scale_ = cells.log_scale();
  const double width = height > 0.0 ? 2.0 / height : infinity;
  std::map<long, std::array<long double, terms>> gathered;
  std::array<long double, terms> inverses{};
  for (int n = 1; n < terms; ++n) inverses[static_cast<std::size_t>(n)] = 1.0L / n;
  long last = 0;  // neighbors have losses nearby
  std::array<long double, terms>* last_cell = &gathered[0];
  long double total = 0.0L, first = 0.0L, second = 0.0L, rounding = 0.0L;
  double left_out = 0.0, nodes = 0.0;
  const double missed = cells.visit(cell_tolerance, cell_points, [&](const CellNode& node) {
    if (!(node.weight >= dropped)) {  // a weight that is no number is caught by the sum below
      left_out += node.weight;
      return;
    }
    ++nodes;
    total += node.weight;
    first += static_cast<long double>(node.weight) * node.loss;
    second += static_cast<long double>(node.weight) * node.loss * node.loss;
    rounding += static_cast<long double>(node.weight) * node.rounding;
    const double place = height > 0.0 ? std::nearbyint(node.loss / width) : 0.0;
    if (!(std::abs(place) < 1e9)) {
      left_out = infinity;
      return;
    }
    if (static_cast<long>(place) != last) {
      last = static_cast<long>(place);
      last_cell = &gathered[last];
    }
    auto& cell = *last_cell;
    cell[0] += node.weight;
    if (!(height > 0.0)) return;
    const long double offset = node.loss - place * width;
    long double term = node.weight;
    for (std::size_t n = 1; n < terms; ++n) cell[n] += term *= offset * inverses[n];
  });
  total_ = static_cast<double>(total);
  if (!(missed < infinity) || !std::isfinite(left_out) || !(total_ > 0.0) || !std::isfinite(total_))
    return;
  mean_ = static_cast<double>(first / total);
  variance_ =
      std::max(0.0, static_cast<double>(second / total - (first / total) * (first / total)));
  for (const auto& [place, sums] : gathered) {
    LossCell cell{static_cast<double>(place) * (height > 0.0 ? width : 0.0), {}};
    std::copy(sums.begin(), sums.end(), cell.moments.begin());
    cells_.push_back(cell);
    reach_ = std::max(reach_, std::abs(cell.middle));
  }
  // The places of cells are rounded, which moves every loss by a unit of the largest at most.
  error_ = (missed + left_out + static_cast<double>(rounding) +
            total_ * (2e-16 + ulp * (64.0 + 4.0 * height * reach_) + nodes * 0x1p-62)) *
           (1.0 + 1e-9);
}

std::complex<double> SphericalMomentLine::sum_at(double y) const {
  std::complex<double> sum = 0.0;
  for (const LossCell& cell : cells_) {
    double even = 0.0, odd = 0.0;  // of (iy)^n: 1, iy, -y^2, -iy^3, ...
    for (int n = terms - 2; n >= 0; n -= 2) {
      even = cell.moments[static_cast<std::size_t>(n)] - y * y * even;
      odd = cell.moments[static_cast<std::size_t>(n) + 1] - y * y * odd;
    }
    sum += std::polar(1.0, y * cell.middle) * std::complex<double>(even, y * odd);
  }
  return sum;
}

// With the rounding of the sum itself, and of the phases.
double SphericalMomentLine::error_at(double y) const {
  return error_ + total_ * ulp *
                      (64.0 + static_cast<double>(cells_.size()) +
                       8.0 * y * (reach_ + 2.0 / std::max(height_, 1e-300)));
}

ComplexBall SphericalMomentLine::at(const Ball& y) const {
  const double place = y.middle();
  if (!(error_ < infinity) || !(std::abs(y.upper()) <= height_ * (1.0 + 1e-12)))
    return ComplexBall::indeterminate();
  const std::complex<double> sum = sum_at(place);
  const Ball moved =
      abs(y - Ball(place)) * Ball((reach_ + 4.0 / std::max(height_, 1e-300)) * total_ * 2.0);
  const Ball scale = exp(Ball(log_scale_));
  return ComplexBall(Ball(sum.real()), Ball(sum.imag()))
             .widened(Ball(error_at(std::abs(place))) + moved) *
         scale;
}

Ball SphericalMomentLine::value() const {
  if (!(error_ < infinity)) return Ball(infinity);
  return (Ball(total_).widened(Ball(error_)) * exp(Ball(log_scale_)));
}

// With N(y) = exp(-iy mean) times the sum, |N'(y)| <= variance |y| total up to rounding, since N'
// vanishes at 0 and |N''| is at most the second moment about the mean; and |N'| is never more than
// the mean distance from the mean, at most deviation * total.
double SphericalMomentLine::largest_from(double from) const {
  if (!(error_ < infinity) || !(from > 0.0 && from < height_)) return infinity;
  const double bend = total_ * variance_ * (1.0 + 1e-6) + 1e-12 * total_;
  const double slope = std::sqrt(bend * total_) * (1.0 + 1e-9);
  const auto size_at = [&](double y) { return std::abs(sum_at(y)) + error_at(y); };
  // Next to the real line there is nothing to resolve: there it has hardly fallen.
  const double rise = std::max(0.05 * (total_ - size_at(from)), 1e-5 * total_);
  double bound = 0.0;
  for (double y = from; y < height_;) {
    const double size = size_at(y), allowed = std::max(bound - size, rise + 1e-14 * total_);
    bound = std::max(bound, size + allowed);
    y += std::max(0.5 * (std::sqrt(y * y + 4.0 * allowed / bend) - y), allowed / slope);
  }
  return bound + 1e-14 * total_;
}

namespace {

// Of w = tanh t along Im t = turn the one with the least integral of |exp(zL)|, about.
struct BestTurn {
  double turn, log_moment;
};
BestTurn best_turn(const SphericalGeometry& geometry, double center, double height) {
  const double most =
      std::min(std::numbers::pi / 4.0, std::numbers::pi / geometry.p) * (1.0 - 1e-12);
  BestTurn best{most, infinity};
  for (double turn = most; turn > 1e-4 * most; turn *= 0.6) {
    const double about = SphericalCells(geometry, {center, height, turn}).log_scale();
    if (!(about < best.log_moment)) break;
    best = {turn, about};
  }
  return best;
}

}  // namespace

double spherical_decay_estimate(const SphericalGeometry& geometry, double center, double height) {
  return best_turn(geometry, center, height).log_moment;
}

double spherical_log_moment_beyond(const SphericalGeometry& geometry, double center,
                                   double height) {
  const SphericalCells cells(geometry, {center, height, best_turn(geometry, center, height).turn});
  long double sum = 0.0L;
  const double missed = cells.visit(3e-4, 4, [&](const CellNode& node) {
    sum += static_cast<long double>(node.weight) * (1.0L + node.rounding);
  });
  const double bound = static_cast<double>(sum) * (1.0 + 1e-9) + missed;
  return bound >= 0.0 ? cells.log_scale() + std::log(bound) + 1e-9 : infinity;
}

}  // namespace modicum
