#include "privacy/spherical/spherical_level.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

constexpr double level_drop = 700.0;
constexpr double level_margin = 1.0 + 1e-7;  // for the rounding of bounds
// The root is followed one half width further than the density: its derivative by the loss is at
// most how far it moves, over that half width (Cauchy).
constexpr double loss_spread = SphericalLevels::spread + 1.0;

double squared(double x) { return x * x; }

// phi(z) = k z^{p/2} of the square of a radius.
struct SquaredPotential {
  double k, half_p;
  double second(double z) const { return k * half_p * (half_p - 1.0) * std::pow(z, half_p - 2.0); }
  /// The n-th derivative between two places, at most.
  double most(int n, double low, double high) const {
    double factor = k * half_p;
    for (int i = 1; i < n; ++i) factor *= std::abs(half_p - i);
    return level_margin * factor * std::max(std::pow(low, half_p - n), std::pow(high, half_p - n));
  }
  /// By how much those at z and z2 differ, at most, both with their surroundings, if these are
  /// `apart` at most.
  double differ(int n, double z, double reach, double z2, double reach2, double apart) const {
    const double low = z * (1.0 - reach), low2 = z2 * (1.0 - reach2), high = z2 * (1.0 + reach2);
    const double highest = std::max(high, z * (1.0 + reach));
    return std::min(apart * most(n + 1, std::min(low, low2), highest),
                    most(n, low, z * (1.0 + reach)) + most(n, low2, high));
  }
};

SphericalLevels::Bound nothing_proved(bool finer_place) {
  return {infinity, 0.0, 0.0, finer_place};
}

}  // namespace

SphericalLevels::SphericalLevels(const SphericalGeometry& geometry)
    : geometry_(geometry), farthest_(std::exp(geometry.where_density_drops(level_drop, 1.0))) {}

// L = phi(z + b) - phi(z), z = x^2 + y^2 and b = s (2x + s): the first derivative at z + b, and the
// difference of those at both without cancellation.
SphericalLevels::Axial SphericalLevels::axial(double place, double x) const {
  const double p = geometry_.p, s = geometry_.step;
  const double z = x * x + place * place, b = s * (2.0 * x + s), z2 = z + b;
  const double u = 0.5 * std::log1p(b / z), growth = geometry_.shape * std::pow(z, 0.5 * p),
               change = std::expm1(p * u);
  const double first = 0.5 * p * growth * (1.0 + change) / z2,
               first_apart = 0.5 * p * growth * std::expm1((p - 2.0) * u) / z;
  const double of_u =
      4.0 * std::abs(u) + (4.0 * std::abs(b) + 2.0 * s * (2.0 * std::abs(x) + s)) / z2;
  const double rounding = growth * (std::abs(change) * (8.0 + 4.0 * p) +
                                    (change + 1.0) * p * (of_u + 2.0 * std::abs(u)));
  return {growth * change, 2.0 * (s * first + x * first_apart), rounding, z, z2, first,
          first_apart};
}

// Newton's method, halved where it leaves the ends; in doubles, since the bounds only need some
// root.
double SphericalLevels::root(double place, double loss) const {
  double left = -0.5 * geometry_.step, right = farthest_;
  if (!(axial(place, right).loss > loss)) return -infinity;
  double x = 0.5 * (left + right);
  for (int i = 0; i < 100; ++i) {
    const Axial here = axial(place, x);
    (here.loss > loss ? right : left) = x;
    double next = x - (here.loss - loss) / here.slope;
    if (!(left < next && next < right)) next = 0.5 * (left + right);
    const bool settled = std::abs(next - x) <= 1e-12 * std::abs(x);
    x = next;
    if (settled) break;
  }
  return x;
}

// By Rouche's theorem there is one root within d of the middle's, for every complex place and loss
// of the cell, if |L_x| d exceeds what losses, places and terms of second order may add there.
// z and z + b are quadratic in x and y, and all terms of second order are known in the middle.
SphericalLevels::Bound SphericalLevels::bound(const Cell& cell) const {
  const double p = geometry_.p, k = geometry_.shape, s = geometry_.step, T = geometry_.dimension,
               A = spread * cell.half_place, y = cell.place;
  const double x = root(y, cell.loss);
  if (x == -infinity) return nothing_proved(true);
  const Axial here = axial(y, x);
  const double R = loss_spread * cell.half_loss + std::abs(here.loss - cell.loss) +
                   ulp * (here.rounding + cell.loss);
  const double steep = here.slope, z = here.z, z2 = here.z2;
  if (!(steep > 0.0)) return nothing_proved(false);
  const SquaredPotential phi{k, 0.5 * p};
  const double f = phi.second(z), f2 = phi.second(z2);
  const double l_y = 2.0 * y * std::abs(here.first_apart),
               l_xx = std::abs(2.0 * here.first_apart + 4.0 * (squared(x + s) * f2 - x * x * f)),
               l_xy = 4.0 * y * std::abs((x + s) * f2 - x * f),
               l_yy = std::abs(2.0 * here.first_apart + 4.0 * y * y * (f2 - f));
  const double by_y = A * (l_y + 0.5 * A * l_yy);
  const double d = 1.6 * (R + by_y) / (steep - std::min(A * l_xy, 0.7 * steep));
  const double straight = 2.0 * (std::abs(x) * d + y * A), curved = d * d + A * A,
               d_z = straight + curved, d_b = 2.0 * s * d, near = d_z / z, far = (d_z + d_b) / z2;
  const bool finer_place =
      by_y + A * l_xy * d > R || A * (2.0 * y + A) > d * (2.0 * std::abs(x) + d);
  if (!(near < 0.9) || !(far < 0.9)) return nothing_proved(finer_place);
  const double third = phi.most(3, z2 * (1.0 - far), z2 * (1.0 + far)),
               apart = phi.differ(3, z, near, z2, far, std::abs(z2 - z) + d_b);
  const double rest = std::abs(f2) * curved * d_b +
                      0.5 * std::abs(f2 - f) * curved * (2.0 * straight + curved) +
                      (third * d_b * (squared(d_z) + squared(d_z + d_b) + d_z * (d_z + d_b)) +
                       apart * d_z * d_z * d_z) /
                          6.0;
  // Differences that nearly cancel are known to a few units of their terms.
  const double slack = 1e-12 *
                       (here.first * (z + z2) + std::abs(f) * z * z + std::abs(f2) * z2 * z2) *
                       squared(near + far);
  const double added = R + by_y + d * (0.5 * d * l_xx + A * l_xy) + rest + slack;
  if (!(steep * d > added * level_margin)) return nothing_proved(finer_place);
  const double log_r = 0.5 * std::log(z), grown = k * std::pow(z, 0.5 * p);
  const double more =
      p >= 2.0 ? std::expm1(0.5 * p * std::log1p(near)) : -std::expm1(0.5 * p * std::log1p(-near));
  const double log_bound = geometry_.log_density_at(log_r) - T * log_r + grown * more +
                           (T > 2.0 ? (T - 2.0) * std::log(y + A) : 0.0) -
                           geometry_.log_angle_scale + std::log(d / cell.half_loss);
  return {log_bound + 1e-6 * (1.0 + std::abs(log_bound)), x, d, finer_place};
}

// f(log r1) r1^-T y^{T-2} / (B L_x), at the loss of the root that was found.
SphericalLevels::Value SphericalLevels::at(double place, double loss, double start) const {
  const double p = geometry_.p, T = geometry_.dimension, s = geometry_.step;
  double x = start;
  Axial here = axial(place, x);
  for (int i = 0; i < 12; ++i) {
    const double change = (loss - here.loss) / here.slope;
    x += change;
    here = axial(place, x);
    if (!(std::abs(change) > 1e-8 * (s + std::abs(x)))) break;
  }
  const double log_r = 0.5 * std::log(here.z), log_density = geometry_.log_density_at(log_r),
               log_place = T > 2.0 ? (T - 2.0) * std::log(place) : 0.0;
  const double log_value = log_density - T * log_r + log_place - geometry_.log_angle_scale;
  const double slope_terms = 2.0 * (s * here.first + std::abs(x * here.first_apart));
  const double units =
      60.0 +
      8.0 * (std::abs(log_density) + std::abs(geometry_.log_density) + std::abs(log_place) +
             T * (4.0 + std::abs(log_r)) + std::abs(geometry_.log_angle_scale)) +
      8.0 * std::abs(geometry_.log_density_slope(log_r)) * (std::abs(log_r) + 4.0) +
      slope_terms * (40.0 + 8.0 * p) / here.slope;
  return {std::exp(log_value) / here.slope, 2.0 * ulp * units,
          std::abs(here.loss - loss) + ulp * (here.rounding + std::abs(loss)), x};
}

double SphericalLevels::estimate(double place, double loss) const {
  const double found = root(place, loss);
  if (found == -infinity) return 0.0;
  const double value = at(place, loss, found).density;
  return std::isfinite(value) ? std::abs(value) : 0.0;
}

}  // namespace modicum
