#include "privacy/spherical/spherical_tail_rule.h"

#include <algorithm>
#include <cmath>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

constexpr int tail_points = 10;
constexpr double tail_spread = 2.5;    // radius of the disc of a panel, in half widths
constexpr double tail_drop = 700.0;    // radii are looked at where the density is above e^-700
constexpr double tail_narrow = 1e-10;  // panels are not halved further
constexpr int tail_panels = 1500;
constexpr double tail_units = 8.0 * ulp;
constexpr double tail_accuracy = 2e-13;  // of a panel, relative to the scale

// Of Gauss's rule, relative to width times bound, as in spherical_cells.cpp.
double tail_rule_error() {
  const double rho = tail_spread + std::sqrt(tail_spread * tail_spread - 1.0);
  return 4.0 * std::pow(rho, 1.0 - 2.0 * tail_points) / (rho - 1.0);
}

}  // namespace

SphericalTailRule::SphericalTailRule(const SphericalGeometry& geometry)
    : geometry_(geometry),
      low_(geometry.where_density_drops(tail_drop, -1.0)),
      high_(geometry.where_density_drops(tail_drop, 1.0)),
      half_(0.5 * (geometry.dimension - 1.0)),
      scale_of_angle_(std::exp(-geometry.log_angle_scale)) {
  // log f is concave: beyond an end lies at most f over its slope.
  const auto beyond = [&](double x) {
    return std::exp(geometry.log_density_at(x)) / std::abs(geometry.log_density_slope(x));
  };
  outside_ = 2.0 * (beyond(low_) + beyond(high_));
}

SphericalTailRule::Place SphericalTailRule::at(double x, double loss) const {
  const double c = geometry_.deficit / geometry_.p, p = geometry_.p;
  Place place{};
  place.x = x;
  place.loss = loss;
  place.near = geometry_.shape * std::exp(p * x);
  const double y = geometry_.solve_shift(x, loss).y;
  if (y == -infinity) {  // however close to the other center, the loss is larger
    place.w = -infinity;
    return place;
  }
  place.excess = c == 0.0 ? loss : place.near * std::expm1(y);
  place.steep = c + place.near + place.excess;
  const double missed = c == 0.0 ? 0.0 : std::abs(c * y + place.excess - loss),
               size = 4.0 + std::abs(x);
  const double y_error =
      (missed + tail_units * (c * std::abs(y) + std::abs(loss) +
                              std::abs(place.excess) * (size + std::abs(p * x)))) /
          place.steep +
      tail_units * std::abs(y);
  const double ratio = std::exp(x) / geometry_.step, power = 2.0 * y / p;
  place.gained = 0.5 * ratio * std::expm1(power);
  place.lost = 0.5 / ratio;
  place.whole = place.gained + 0.5 * ratio;
  place.w = place.gained - place.lost;
  place.w_error = tail_units * (std::abs(place.gained) + place.lost) * size +
                  place.whole * (2.0 * y_error / p + tail_units * std::abs(power)) * 1.5;
  return place;
}

// At least |w(z) - w| for complex z within `reach` of x, by Taylor's formula with two terms. From
// y' (c/p + K + H) = -p H, H = l - c y/p: y moves by no more than d if reach p (|H| + c d/p) <= d
// (c/p + K + H - the change of K - c d/p), and y'' follows. w = whole - r/(2s) - s/(2r), whole =
// r/(2s) e^{2y/p}.
double SphericalTailRule::change_of_cosine(const Place& place, double reach) const {
  const double p = geometry_.p, c = geometry_.deficit / p;
  const double more_near = place.near * std::expm1(p * reach);
  if (place.w == -infinity)
    return place.near + more_near < -place.loss * (1.0 - 1e-9) ? 0.0 : infinity;
  const double size = std::abs(place.excess) * (1.0 + 1e-9);
  const double d = 2.0 * reach * p * size / place.steep * (1.0 + 1e-9);
  const double least = place.steep * (1.0 - 1e-9) - more_near - c * d;
  if (!(least > 0.0) || !(reach * p * (size + c * d) <= d * least)) {
    if (place.excess != 0.0) return infinity;
  }
  const double steepest = p * (size + c * d) / least;
  const double bend =
      p / least *
      (c * steepest + (size + c * d) * (p * (place.near + more_near) + c * steepest) / least);
  const double slope =
      std::abs(place.gained + place.lost - 2.0 * place.whole * place.excess / place.steep);
  const double curved = expm1_minus(reach);
  return reach * (slope + 1e-9 * (std::abs(place.gained) + place.lost + 2.0 * place.whole)) +
         (place.whole * (expm1_minus(reach + 2.0 * d / p) + reach * reach * bend / p) +
          (place.whole - place.gained + place.lost) * curved) *
             (1.0 + 1e-6);
}

// P[W > w]: for w > 0 a series with terms above 0, known to three units a term.
double SphericalTailRule::tail(double w) const {
  if (w <= -1.0) return 1.0;
  if (w >= 1.0) return 0.0;
  if (half_ == 0.5) return std::acos(w) / M_PI;
  if (half_ == 1.0) return 0.5 * (1.0 - w);
  if (w < 0.0) return 1.0 - tail(-w);
  const double gap = 1.0 - w, count = geometry_.dimension;
  double term = 1.0, sum = 1.0;
  for (int n = 0; term > 1e-17 * sum; ++n) {
    term *= gap * (count - 1.0 + n) / (count + 1.0 + 2.0 * n);
    sum += term;
  }
  return std::pow(gap * (1.0 + w), half_) * scale_of_angle_ * sum / (count - 1.0);
}

// At least the density of W at complex places within `reach` of w.
double SphericalTailRule::density(double w, double reach) const {
  const double sign = half_ >= 1.0 ? 1.0 : -1.0;
  const double square = (1.0 - w + sign * reach) * (1.0 + w + sign * reach);
  return square > 0.0 ? std::pow(square, half_ - 1.0) * scale_of_angle_ * (1.0 + 1e-9) : infinity;
}

double SphericalTailRule::log_density_above(double x, double reach) const {
  const double p = geometry_.p;
  return geometry_.log_density_at(x) + std::abs(geometry_.log_density_slope(x)) * reach +
         geometry_.shape * std::exp(p * x) * expm1_minus(p * reach);
}

void SphericalTailRule::add_nodes(const Panel& panel, double loss, double side, Bounds& sum) const {
  const GaussRule& gauss = gauss_legendre(tail_points);
  double total = 0.0, error = 0.0;
  for (std::size_t i = 0; i < gauss.points.size(); ++i) {
    const double x = panel.middle + panel.half * gauss.points[i];
    const Place place = at(x, loss);
    const double log_density = geometry_.log_density_at(x);
    const double weight = panel.half * gauss.weights[i] * std::exp(log_density);
    const double value = tail(side * place.w);
    const double gap = 1.0 - std::abs(place.w), moved = place.w_error;
    double uncertain = 0.0;
    if (gap > 4.0 * moved) uncertain = moved * density(place.w, moved);
    else if (!(gap < -moved))
      uncertain = tail(side * place.w - moved) - tail(side * place.w + moved);
    const double rounding =
        tail_units * (20.0 + half_ + std::abs(log_density) + std::abs(geometry_.log_density) +
                      std::abs(geometry_.log_density_slope(x)) * (std::abs(x) + 1.0));
    total += weight * value;
    error += weight * (value * rounding + uncertain);
  }
  sum.low += total - error;
  sum.high += total + error;
}

bool SphericalTailRule::add(const Panel& panel, double loss, double side, double enough,
                            Bounds& sum) const {
  const Place middle = at(panel.middle, loss);
  const double width = 2.0 * panel.half;
  const double moved = change_of_cosine(middle, panel.half) + middle.w_error;
  const double most = width * std::exp(log_density_above(panel.middle, panel.half)) * (1.0 + 1e-9);
  if (most <= enough) {
    sum.high += most;
    return true;
  }
  // From above and below on the real panel.
  const double largest = tail(side * middle.w - moved), least = tail(side * middle.w + moved);
  if (largest <= 0.0) return true;
  const bool narrow = !(panel.half > tail_narrow * (1.0 + std::abs(panel.middle)));
  if (narrow || (least < 1.0 && most * largest <= 4.0 * enough)) {
    sum.high += most * (largest >= 0.0 ? largest : 1.0) * (1.0 + 1e-9);
    return true;
  }
  const double reach = tail_spread * panel.half;
  double bound = 1.0;
  if (!(least >= 1.0)) {
    const double far = change_of_cosine(middle, reach);
    if (!(far < 0.9 * (1.0 - std::abs(middle.w)))) return false;
    bound = tail(side * middle.w) * (1.0 + 1e-9) + far * density(middle.w, far);
  }
  if (!(geometry_.p * reach < 30.0)) return false;
  const double error = width * bound * std::exp(log_density_above(panel.middle, reach)) *
                       tail_rule_error() * (1.0 + 1e-6);
  if (!(error <= enough)) return false;
  add_nodes(panel, loss, side, sum);
  sum.low -= error;
  sum.high += error;
  return true;
}

// P[x < place], by a series with terms above 0.
SphericalTailRule::Bounds SphericalTailRule::mass_left_of(double x) const {
  const double k = geometry_.shape, near = k * std::exp(geometry_.p * x);
  double term = 1.0, sum = 1.0;
  int n = 1;
  for (; term > 1e-17 * sum && n < 5000; ++n) {
    term *= near / (k + n);
    sum += term;
  }
  const double log_density = geometry_.log_density_at(x);
  const double mass = std::exp(log_density) / (k * geometry_.p) * sum;
  const double error =
      tail_units * (8.0 + n + std::abs(log_density) + std::abs(geometry_.log_density) +
                    std::abs(geometry_.log_density_slope(x)) * (1.0 + std::abs(x)) +
                    near * (1.0 + std::abs(geometry_.p * x)));
  if (n == 5000) return {0.0, 1.0};
  return {mass * (1.0 - error), mass * (1.0 + error)};
}

// Where the cosine is below -1 at one radius, so that the loss is always larger there: for losses
// above 0 it is at all smaller ones; for losses below 0 at all smaller ones too, if that radius is
// below s, and else between s and it, if it is at s.
double SphericalTailRule::start_of(double loss, double side, Bounds& sum) const {
  const auto below = [&](double x) {
    const Place place = at(x, loss);
    return place.w + place.w_error < -1.0;
  };
  const double center = std::log(geometry_.step);
  double surely = low_, unsure = std::min(side > 0.0 ? center - M_LN2 : center, high_);
  if (!(surely < unsure) || !below(surely)) return low_;
  if (side < 0.0 && below(unsure)) {
    surely = unsure;
    unsure = high_;
    if (!(surely < unsure)) return high_;
  }
  for (int i = 0; i < 60 && unsure - surely > 1e-12 * (1.0 + std::abs(surely)); ++i) {
    const double x = 0.5 * (surely + unsure);
    (below(x) ? surely : unsure) = x;
  }
  if (side > 0.0) {
    const Bounds left = mass_left_of(surely);
    sum.low += left.low;
    sum.high += left.high;
  }
  return surely;
}

SphericalTailRule::Bounds SphericalTailRule::integral(double loss, double side,
                                                      double scale) const {
  Bounds sum{0.0, outside_};
  const double enough = tail_accuracy * scale;
  const double start = side * loss >= 0.0 ? start_of(loss, side, sum) : low_;
  std::vector<Panel> todo;
  // Doubling from the start, where a crossing may be.
  for (double left = start, right = high_; left < high_; left = right) {
    right = std::min(high_, left == start ? start + 1e-3 : left + (left - start));
    const double half = 0.5 * (right - left);
    todo.push_back({left + half, half});
  }
  for (int panels = 0; !todo.empty(); ++panels) {
    if (panels > tail_panels) return {0.0, 1.0};
    const Panel panel = todo.back();
    todo.pop_back();
    if (add(panel, loss, side, enough, sum)) continue;
    const double next = 0.5 * panel.half;
    todo.push_back({panel.middle - next, next});
    todo.push_back({panel.middle + next, next});
  }
  // Of the sums, and of the ends of panels, which halving has moved by a unit at most.
  const double low = sum.low * (1.0 - 1e-14), high = sum.high * (1.0 + 1e-14);
  if (!(high < infinity)) return {0.0, 1.0};
  return {std::max(0.0, low), std::min(1.0, high)};
}

}  // namespace modicum
