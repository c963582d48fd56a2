// The integrand on the moved plane, and its bounds on cells.
#include "privacy/spherical/moved_plane.h"

#include <algorithm>

#include "privacy/spherical/complex_expm1.h"

namespace modicum {

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

namespace {

// log of the mean of e^{slope t} over |t| <= 1, from above.
double log_mean_exp(double slope) {
  const double size = std::abs(slope);
  return std::min(size, size * size / 6.0);
}

}  // namespace

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

}  // namespace modicum
