#include "privacy/spherical/spherical_moment_line.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace modicum {
namespace {

constexpr double cell_tolerance = 1e-16;
constexpr double first_height = 7.0, taller = 3.0;  // of the first stretch, in units; of the next

// What a stretch from y on may be off by, where |M| has fallen to `left` of the whole: the
// integrand is M^count/(z (z + 1)), and its bounds should not suffer either.
double tolerance_above(double center, double y, double left, double count) {
  const double size = std::pow(left, count - 1.0) * center * (center + 1.0) /
                      (std::hypot(center, y) * std::hypot(center + 1.0, y));
  const double most = 1e-6 * left / count;
  return std::clamp(cell_tolerance / (16.0 * size), cell_tolerance, std::max(most, cell_tolerance));
}

}  // namespace

SphericalMomentLine::SphericalMomentLine(const SphericalGeometry& geometry, double center,
                                         double height, const LineUse& use)
    : center_(center) {
  double tolerance = cell_tolerance, next = height;
  if (use.count > 0.0 && 1.5 * first_height * use.unit < height) next = first_height * use.unit;
  for (;;) {
    stretches_.emplace_back(geometry, center, next, tolerance);
    const SphericalMomentStretch& last = stretches_.back();
    if (!(next < height) || !last.works()) break;
    const double left = std::abs(last.sum_at(next)) / last.total();
    tolerance = tolerance_above(center, next, std::clamp(2.0 * left, 1e-12, 1.0), use.count);
    next = 1.5 * taller * next < height ? taller * next : height;
  }
}

const SphericalMomentStretch& SphericalMomentLine::stretch_for(double y) const {
  for (const SphericalMomentStretch& each : stretches_)
    if (y <= each.height() * (1.0 + 1e-12)) return each;
  return stretches_.back();
}

ComplexBall SphericalMomentLine::at(const Ball& y) const {
  const double place = y.middle();
  const SphericalMomentStretch& stretch = stretch_for(std::abs(place));
  if (!stretch.works() || !(std::abs(y.upper()) <= stretch.height() * (1.0 + 1e-12)) ||
      !(std::abs(y.lower()) <= stretch.height() * (1.0 + 1e-12)))
    return ComplexBall::indeterminate();
  const std::complex<double> sum = stretch.sum_at(place);
  const Ball moved = abs(y - Ball(place)) * Ball(stretch.slope());
  return ComplexBall(Ball(sum.real()), Ball(sum.imag()))
             .widened(Ball(stretch.error_at(std::abs(place))) + moved) *
         exp(Ball(stretch.log_scale()));
}

Ball SphericalMomentLine::value() const {
  if (!stretches_.back().works()) return Ball(infinity);
  const SphericalMomentStretch& first = stretches_.front();
  return Ball(first.total()).widened(Ball(first.error())) * exp(Ball(first.log_scale()));
}

// With N(y) = exp(-iy mean) times the sum, |N'(y)| <= variance |y| total up to rounding, since N'
// vanishes at 0 and |N''| is at most the second moment about the mean; and |N'| is never more than
// the mean distance from the mean, at most deviation * total.
double SphericalMomentLine::largest_from(double from) const {
  if (!stretches_.back().works() || !(from > 0.0 && from < height())) return infinity;
  double bound = 0.0, y = from;
  for (const SphericalMomentStretch& stretch : stretches_) {
    if (!(y < stretch.height())) continue;
    const double scale = std::exp(stretch.log_scale() - log_scale()) * (1.0 + 1e-12);
    const double total = stretch.total() * scale;
    const double bend = total * stretch.variance() * (1.0 + 1e-6) + 1e-12 * total;
    const double slope = std::sqrt(bend * total) * (1.0 + 1e-9);
    const auto size_at = [&](double at) {
      return (std::abs(stretch.sum_at(at)) + stretch.error_at(at)) * scale;
    };
    // Next to the real line there is nothing to resolve: there it has hardly fallen.
    const double rise = std::max(0.05 * (total - size_at(y)), 1e-5 * total);
    while (y < stretch.height()) {
      const double size = size_at(y), allowed = std::max(bound - size, rise + 1e-14 * total);
      bound = std::max(bound, size + allowed);
      y += std::max(0.5 * (std::sqrt(y * y + 4.0 * allowed / bend) - y), allowed / slope);
    }
    bound += 1e-14 * total;
    y = stretch.height();
  }
  return bound;
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
