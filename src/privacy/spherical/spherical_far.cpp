#include "privacy/spherical/spherical_far.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <queue>
#include <vector>

namespace modicum {
namespace far_up {
namespace {

using Complex = std::complex<double>;

constexpr double right_angle = 1.5707963267948966;
constexpr double margin = 1e-6;       // of logarithms of bounds, for their own rounding
constexpr double sharp_enough = 0.6;  // bounds may be this much too large, relatively
constexpr std::size_t most_cells = 12000;
constexpr double negligible = 7.0;  // exp(-7) of the whole may lie outside the box

double square(double x) { return x * x; }
Complex log1p_of(const Complex& z) {
  return {0.5 * std::log1p(z.real() * (2.0 + z.real()) + square(z.imag())),
          std::atan2(z.imag(), 1.0 + z.real())};
}
Complex expm1_of(const Complex& z) {
  const double grown = std::expm1(z.real());
  return {grown - 2.0 * square(std::sin(z.imag() / 2.0)) * (grown + 1.0),
          (grown + 1.0) * std::sin(z.imag())};
}

// The integral of |f_X exp(zL)| over the moved plane, in both halves about their own center: x =
// log of the distance from it, v the angle, w = sin v the cosine away from the other center. With
//   a = 1 - share^2 + 2i share w,  b = w + i share,  sigma = step/r,  q = (2 sigma b + sigma^2)/a,
//   N = (r^2 a)^{p/2},  F = N (1 + q)^{p/2}
// the exponent is k (1 + px) - k Re N + k Re((kappa + iy)(F - N)), kappa = center in the half of X
// and -1 - center in that of Y.
class MovedPlane {
 public:
  MovedPlane(const SphericalGeometry& geometry, double center, double height, double share)
      : geometry_(geometry), center_(center), height_(height), share_(share) {
    choose_box();
  }
  /// By the midpoint rule: decides what is tried, never whether it holds.
  double log_estimate() const;
  /// Proved; infinite where it fails.
  double log_bound() const;

 private:
  struct Cell {
    double x, v, half_x, half_v;
    bool near_x;                           // in the half of X
    double log_upper = 0.0, change = 0.0;  // of the integrand, and how much it may change
    bool by_radius = true;                 // which side to halve
  };
  struct Place {
    Complex a, q, near, gain;  // gain = F/N - 1
    double w, sigma, exponent, sizes;
  };
  bool flat() const { return geometry_.dimension == 1.0; }
  Place place_at(double x, double v, bool near_x) const;
  double log_angle(double v, double reach) const;
  struct Slopes {
    double by_x, by_v, sizes;
  };
  double change_within(const Cell& cell, const Place& at, double reach_x, double reach_v) const;
  double curved_on(const Cell& cell, const Place& at, double half_x, double half_v) const;
  Slopes slopes_at(const Cell& cell, const Place& at) const;
  void measure(Cell& cell) const;
  bool beyond_half(const Cell& cell) const;
  std::vector<Cell> first_cells(int along, int across) const;
  void choose_box();
  double mass_left_of(double x) const;
  double mass_right_of(double x) const;
  double log_constant() const {
    return geometry_.log_density - (flat() ? M_LN2 : geometry_.log_angle_scale);
  }
  double log_area(const Cell& cell) const {
    return std::log(flat() ? 2.0 * cell.half_x : 4.0 * cell.half_x * cell.half_v);
  }

  const SphericalGeometry& geometry_;
  double center_, height_, share_, low_ = 0.0, high_ = 0.0;
};

MovedPlane::Place MovedPlane::place_at(double x, double v, bool near_x) const {
  Place at;
  const double k = geometry_.shape, p = geometry_.p;
  at.w = flat() ? v : std::sin(v);
  at.sigma = geometry_.step * std::exp(-x);
  at.a = {1.0 - square(share_), 2.0 * share_ * at.w};
  at.q = at.sigma * (2.0 * Complex(at.w, share_) + at.sigma) / at.a;
  at.near = std::exp(p * (x + 0.5 * std::log(at.a)));
  at.gain = expm1_of(0.5 * p * log1p_of(at.q));
  const Complex z(near_x ? center_ : -1.0 - center_, height_), lost = at.near * at.gain;
  at.exponent = k * (1.0 + p * x) - k * at.near.real() + k * (z * lost).real() +
                0.5 * std::log1p(square(share_ * at.w));
  at.sizes = k * (1.0 + p * std::abs(x) + std::abs(at.near) + std::abs(z) * std::abs(lost));
  return at;
}

// The largest within `reach`.
double MovedPlane::log_angle(double v, double reach) const {
  const double power = geometry_.dimension - 2.0;
  if (flat() || power == 0.0) return 0.0;
  const double nearest = std::max(std::abs(v) - reach, 0.0);
  return nearest < right_angle ? power * std::log(std::cos(nearest)) : -infinity;
}

// How much N and (kappa + iy)(F - N), times k, may change for complex x and v within so much of the
// middle. With D for the largest change,
//   Dw <= |cos v| sinh(reach_v) + |w| (cosh(reach_v) - 1),  Da <= 2 share Dw,
//   N changes by a factor within e^{p eta} of 1, eta = reach_x - log(1 - Da/|a|)/2,
//   D(2 sigma b + sigma^2) <= 2 (sigma + Dsigma) Dw + Dsigma (2|b| + 2 sigma + Dsigma).
// Near the center F hardly changes while N and q do: there F and N are bounded one by one.
double MovedPlane::change_within(const Cell& cell, const Place& at, double reach_x,
                                 double reach_v) const {
  const double p = geometry_.p;
  const double d_w = flat() ? 0.0
                            : std::abs(std::cos(cell.v)) * std::sinh(reach_v) +
                                  2.0 * std::abs(at.w) * square(std::sinh(reach_v / 2.0));
  const double d_sigma = at.sigma * std::expm1(reach_x), size_a = std::abs(at.a);
  const double d_a = 2.0 * share_ * d_w, size_b = std::hypot(at.w, share_);
  if (!(d_a < 0.9 * size_a)) return infinity;
  const double grown = std::expm1(p * (reach_x - 0.5 * std::log1p(-d_a / size_a)));
  const double size_far = std::abs(1.0 + at.gain), size_whole = std::abs(1.0 + at.q);
  // Of (1 + q)^{p/2} or of F, relatively, by what changes q or 1 + q.
  const auto by_root = [&](double change) {
    const double relative = change * (1.0 + 1e-9) / size_whole;
    return relative < 0.9 ? std::expm1(-0.5 * p * std::log1p(-relative)) : infinity;
  };
  double d_lost = infinity;
  if (at.sigma < 1.0) {
    const double d_m =
        2.0 * (at.sigma + d_sigma) * d_w + d_sigma * (2.0 * size_b + 2.0 * at.sigma + d_sigma);
    const double d_q = (d_m + std::abs(at.q) * d_a) / (size_a - d_a);
    d_lost = grown * std::abs(at.gain) + (1.0 + grown) * size_far * by_root(d_q);
  } else {
    // r2^2 = step^2 + 2 step r b + r^2 a, over r^2 a of the middle.
    const double r = std::expm1(reach_x), d_rb = d_w * (1.0 + r) + size_b * r;
    const double d_rra = d_a * square(1.0 + r) + size_a * r * (2.0 + r);
    d_lost = grown + size_far * by_root((2.0 * at.sigma * d_rb + d_rra) / size_a);
  }
  const double z = std::hypot(cell.near_x ? center_ : 1.0 + center_, height_);
  return geometry_.shape * std::abs(at.near) * (grown + z * d_lost);
}

// What a function that changes by at most D within `wider` times the cell may differ by from its
// tangent on it: Cauchy's coefficients D wider^-n, from n = 2 on.
double MovedPlane::curved_on(const Cell& cell, const Place& at, double half_x,
                             double half_v) const {
  double least = infinity;
  for (const double wider : {3.0, 8.0, 24.0})
    least = std::min(
        least, change_within(cell, at, wider * half_x, wider * half_v) / (wider * (wider - 1.0)));
  return least;
}

// log of the mean of e^{slope t} over |t| <= 1, from above.
double log_mean_exp(double slope) {
  const double size = std::abs(slope);
  return std::min(size, square(size) / 6.0);
}

// Slopes of the exponent, log(1 + share^2 w^2)/2 left out, in x and v.
MovedPlane::Slopes MovedPlane::slopes_at(const Cell& cell, const Place& at) const {
  const double k = geometry_.shape, p = geometry_.p;
  const double cosine = flat() ? 0.0 : std::cos(cell.v);
  const Complex z(cell.near_x ? center_ : -1.0 - center_, height_), b(at.w, share_);
  const Complex far = at.near * (1.0 + at.gain), whole = at.a * (1.0 + at.q);
  const Complex near_v = at.near * p * Complex(0.0, share_ * cosine) / at.a;
  const Complex far_x = far * p * (1.0 - at.sigma * (b + at.sigma) / whole);
  const Complex far_v = far * p * Complex(at.sigma * cosine, share_ * cosine) / whole;
  return {k * (p - p * at.near.real() + (z * (far_x - p * at.near)).real()),
          k * (-near_v.real() + (z * (far_v - near_v)).real()),
          k * p * std::abs(z) * (std::abs(far) + std::abs(at.near)) *
              (1.0 + (at.sigma + share_) / std::abs(whole))};
}

void MovedPlane::measure(Cell& cell) const {
  const Place at = place_at(cell.x, cell.v, cell.near_x);
  const Slopes slopes = slopes_at(cell, at);
  const double curved = curved_on(cell, at, cell.half_x, cell.half_v);
  const double longer = square(share_) * cell.half_v;  // at most, of log(1 + share^2 w^2)/2
  const double angle = log_angle(cell.v, cell.half_v);
  const double nearby = angle - log_angle(cell.v, 0.0) + (flat() ? 0.0 : longer);
  cell.change = 2.0 * curved + nearby;
  cell.log_upper = log_constant() + at.exponent + curved + angle + (flat() ? 0.0 : longer) +
                   log_mean_exp(slopes.by_x * cell.half_x) +
                   (flat() ? 0.0 : log_mean_exp(slopes.by_v * cell.half_v)) + log_area(cell) +
                   margin * (1.0 + std::abs(angle)) + 1e-12 * (at.sizes + slopes.sizes);
  if (!(cell.log_upper < infinity)) cell.log_upper = infinity;  // NaN too
  cell.by_radius = flat();
  if (flat()) return;
  const double by_x = curved_on(cell, at, cell.half_x, 0.0);
  const double by_v = curved_on(cell, at, 0.0, cell.half_v) + nearby;
  cell.by_radius = by_x == by_v ? cell.half_x >= cell.half_v : by_x > by_v;
}

// r w <= -step/2 all over the cell: the other half.
bool MovedPlane::beyond_half(const Cell& cell) const {
  const double w = flat() ? cell.v : std::sin(std::min(cell.v + cell.half_v, right_angle));
  const double r = std::exp(cell.x - cell.half_x);
  return w * r * (1.0 - 1e-12) < -0.5 * geometry_.step * (1.0 + 1e-12);
}

std::vector<MovedPlane::Cell> MovedPlane::first_cells(int along, int across) const {
  std::vector<Cell> cells;
  const double half_x = 0.5 * (high_ - low_) / along, half_v = right_angle / across;
  for (const bool near_x : {true, false})
    for (int i = 0; i < along; ++i)
      for (int j = 0; j < (flat() ? 2 : across); ++j) {
        const double x = low_ + half_x * (2 * i + 1);
        const double v = flat() ? 2.0 * j - 1.0 : half_v * (2 * j + 1) - right_angle;
        Cell cell{x, v, half_x * (1.0 + 1e-12), half_v * (1.0 + 1e-12), near_x};
        if (!beyond_half(cell)) cells.push_back(cell);
      }
  return cells;
}

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
    const double wanted = std::exp(about - negligible);
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
  for (std::size_t i = 0; i < most_cells; ++i) {
    if (unknown == 0 && too_large <= sharp_enough * (total - too_large)) break;
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

// Re N and Re F stay positive as long as p atan(share) < pi/2.
double largest_share(double p) {
  return std::min(0.9, 0.97 * std::tan(right_angle / std::max(p, 1.05)));
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
  return far_up::MovedPlane(geometry, center, height, best.share).log_bound();
}

}  // namespace modicum
