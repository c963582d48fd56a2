// The integrand on a sheet, and by how much it changes around a place.
#include <algorithm>
#include <cmath>

#include "privacy/spherical/complex_expm1.h"
#include "privacy/spherical/spherical_sheet.h"

namespace modicum {
namespace sheet {
namespace {

constexpr double place_ulp = 0x1p-53;

double squared(double x) { return x * x; }

}  // namespace
}  // namespace sheet

double SphericalSheet::log_angle_ceiling(double angle, double reach) const {
  if (flat()) return -M_LN2;
  const double a = std::max(std::abs(angle) - reach, 0.0), power = geometry_.dimension - 2.0;
  if (power == 0.0) return -geometry_.log_angle_scale;
  // |cos(a + ib)|^2 = cos(a)^2 + sinh(b)^2.
  const double more = sheet::squared(std::sinh(reach));
  const double log_square = a < 0.5 ? std::log1p(more - sheet::squared(std::sin(a)))
                                    : std::log(sheet::squared(std::cos(a)) + more);
  return 0.5 * power * log_square - geometry_.log_angle_scale;
}

// u = log(r2/r1) from q = (r2/r1)^2 = 1 + sigma (sigma + 2w) = (1 - sigma)^2 + 2 sigma (1 + w);
// next to the center of X log(step) - x + log(1 + e (e + 2w))/2, e = r1/step, which goes around the
// center with x. Units of rounding: of the terms of q, of sigma with its place, of w with its own.
SphericalSheet::Place SphericalSheet::place_at(const Complex& x, double angle, double half_x,
                                               double half_angle) const {
  const double k = geometry_.shape, p = geometry_.p, size = std::abs(x) + half_x;
  const double log_step = std::log(geometry_.step);
  Place at;
  at.x = x;
  at.w = flat() ? angle : std::sin(angle);
  at.one_more = flat() ? 1.0 + angle : 2.0 * sheet::squared(std::sin(0.5 * (angle + right_angle)));
  at.slope = flat() ? 0.0 : std::abs(std::cos(angle));
  at.near = k * std::exp(p * x);
  at.inner = log_step - x.real() > M_LN2;
  at.ratio = at.inner ? std::exp(x) / geometry_.step : geometry_.step * std::exp(-x);
  const double ratio = std::abs(at.ratio), size_w = std::abs(at.w);
  const double w_units = at.slope * 32.0 * (std::abs(angle) + half_angle) + 1e3 * sheet::place_ulp;
  const double place_units = 36.0 * size + 8.0;
  const Complex less_one = at.ratio * (at.ratio + 2.0 * at.w);
  Complex u;
  double u_units = 4.0;
  if (at.inner) {
    const Complex own = 0.5 * log1p_of(less_one);
    at.q = 1.0 + less_one;
    u = log_step - x + own;
    at.far = k * std::exp(p * (log_step + own));
    at.loss = geometry_.deficit * u + at.far - at.near;
    u_units += 4.0 * std::abs(log_step) + 12.0 + 4.0 * place_units + 4.0 * w_units;
    at.loss_rounding = (std::abs(at.far) + std::abs(at.near)) *
                       (16.0 + 2.0 * p * (place_units + u_units + 4.0 * std::abs(log_step)));
  } else {
    const bool close = std::abs(1.0 - at.ratio) < 0.5;
    at.q =
        close ? (1.0 - at.ratio) * (1.0 - at.ratio) + 2.0 * at.ratio * at.one_more : 1.0 + less_one;
    u = close ? 0.5 * std::log(at.q) : 0.5 * log1p_of(less_one);
    at.change = expm1_of(p * u);
    at.far = at.near * (at.change + 1.0);
    at.loss = geometry_.deficit * u + at.near * at.change;
    const double distance = close ? std::abs(1.0 - at.ratio) + at.one_more : ratio + size_w;
    const double terms =
        close ? 6.0 * std::abs(1.0 - at.ratio) + 8.0 * ratio * at.one_more + 2.0 * std::abs(at.q)
              : 4.0 * ratio * (ratio + 2.0 * size_w);
    u_units += 4.0 * std::abs(u) + (terms + ratio * (distance * place_units + w_units)) /
                                       std::max(std::abs(at.q), 1e-300);
    at.loss_rounding = std::abs(at.near) * std::abs(at.change) * (16.0 + 2.0 * p * place_units) +
                       std::abs(at.far) * p * (u_units + 4.0 * std::abs(u));
  }
  at.loss_rounding += geometry_.deficit * (4.0 * std::abs(u) + u_units) + 4.0 * std::abs(at.loss);
  const Complex grown = expm1_of(p * x);
  const double log_angle = log_angle_ceiling(angle, 0.0);
  at.log_weight = geometry_.log_density - k * (grown - p * x) + log_angle;
  const double tangent = right_angle * size_w / std::max(right_angle - std::abs(angle), 1e-300);
  at.rounding = 64.0 + 8.0 * (std::abs(at.log_weight) + std::abs(geometry_.log_density)) +
                8.0 * k * (std::abs(grown) + p * std::abs(x)) +
                4.0 * k * p * std::abs(grown) * place_units +
                8.0 * (std::abs(log_angle) + std::abs(geometry_.log_angle_scale)) +
                (flat() ? 0.0
                        : (geometry_.dimension - 2.0) *
                              std::min(32.0 * tangent * (std::abs(angle) + half_angle), 1e15));
  return at;
}

// With G = log q the loss is c G/2 + far - near, G less 2x at inner places; near has the derivative
// p near in x, and far those of exp(p G/2) or of exp(p G/2 + p x).
SphericalSheet::Slopes SphericalSheet::slopes_at(const Place& at) const {
  const double p = geometry_.p, half = 0.5 * p, c = 0.5 * geometry_.deficit;
  const Complex ratio = at.ratio, q = at.q;
  const Complex sum = at.inner ? ratio + at.w : ratio - 1.0 + at.one_more;  // ratio + w
  const double sign = at.inner ? 1.0 : -1.0;
  const Complex g_x = sign * 2.0 * ratio * sum / q, g_w = 2.0 * ratio / q;
  const Complex g_xx = 2.0 * ratio * (ratio + sum) / q - g_x * g_x, g_ww = -g_w * g_w,
                g_xw = sign * g_w - g_x * g_w;
  const Complex f_x = half * g_x, f_w = half * g_w, f_xx = half * g_xx + f_x * f_x,
                f_ww = half * g_ww + f_w * f_w, f_xw = half * g_xw + f_x * f_w;
  Slopes slopes;
  if (at.inner) {
    slopes.x = c * (g_x - 2.0) + at.far * f_x - p * at.near;
    slopes.xx = c * g_xx + at.far * f_xx - p * p * at.near;
  } else {
    const Complex grown = at.near * at.change;  // far - near
    slopes.x = c * g_x + at.far * f_x + p * grown;
    slopes.xx = c * g_xx + at.far * (f_xx + 2.0 * p * f_x) + p * p * grown;
  }
  if (flat()) return slopes;
  const Complex l_w = c * g_w + at.far * f_w;
  const Complex l_xw = c * g_xw + at.far * (at.inner ? f_xw : f_xw + p * f_w);
  slopes.v = l_w * at.slope;
  slopes.xv = l_xw * at.slope;
  slopes.vv = (c * g_ww + at.far * f_ww) * sheet::squared(at.slope) - l_w * at.w;
  return slopes;
}

// With Dw and Dsigma for how far w and sigma move, q' - q = (sigma' - sigma)(2 (sigma + w) + sigma'
// - sigma) + 2 sigma' (w' - w); u = log(q)/2. Next to the center of X the same with e = 1/sigma and
// q/sigma^2 = 1 + e (e + 2w): u is -x and what moves little.
double SphericalSheet::change_within(const Place& at, double reach, double turn) const {
  const double p = geometry_.p, ratio = std::abs(at.ratio);
  if (!(p * reach < 300.0) || !(turn < 1.5)) return infinity;
  const double d_w = flat() || !(turn > 0.0)
                         ? 0.0
                         : 2.0 * std::abs(at.w) * sheet::squared(std::sinh(turn / 2.0)) +
                               at.slope * std::sinh(turn);
  const double moved = ratio * std::expm1(reach);
  const double sum =
      std::abs(at.inner ? at.ratio + at.w : at.ratio - 1.0 + at.one_more) + 1e-12 * (1.0 + ratio);
  const double change = 2.0 * (ratio + moved) * d_w + moved * (moved + 2.0 * sum);
  const double relative = change * (1.0 + 1e-9) / std::abs(at.q);
  if (!(relative < 0.95)) return infinity;
  const double d_u = -0.5 * std::log1p(-relative), p_grown = std::expm1(p * reach);
  const double by_u = geometry_.deficit * d_u, near = std::abs(at.near), far = std::abs(at.far);
  if (at.inner) return by_u + far * std::expm1(p * d_u) + near * p_grown;
  return by_u + near * p_grown * std::abs(at.change) + far * (1.0 + p_grown) * std::expm1(p * d_u);
}

// L is at most Phi(log r2) for the largest r2 less Phi(log r1) for the least r1.
double SphericalSheet::log_real_bound(double x, double half_x, double angle, double half_angle,
                                      double order) const {
  const double left = x - half_x, right = x + half_x, s = geometry_.step;
  const double w =
      flat() ? angle : std::min(1.0, std::sin(std::min(angle + half_angle, right_angle)) + 1e-15);
  const auto squared_at = [&](double place) {
    const double r = std::exp(place);
    return sheet::squared(r - s) + 2.0 * r * s * (1.0 + w);
  };
  const double rounding = 1e-14 * sheet::squared(s + std::exp(right));
  const double far =
      0.5 * std::log(std::max(squared_at(left), squared_at(right)) + rounding) - left;
  const double loss = geometry_.deficit * far + geometry_.shape * std::exp(geometry_.p * left) *
                                                    std::expm1(geometry_.p * far);
  const double exponent = geometry_.log_density_at(std::clamp(0.0, left, right)) +
                          log_angle_ceiling(std::max(std::abs(angle) - half_angle, 0.0), 0.0) +
                          order * (loss + 1e-13 * std::abs(loss));
  return exponent + 1e-6 * (1.0 + std::abs(exponent));
}

}  // namespace modicum
