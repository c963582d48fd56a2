// How many nodes Gauss's rule needs on a cell, proved (docs/derivations/spherical.md#compositions).
#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/gauss_legendre.h"
#include "privacy/spherical/complex_expm1.h"
#include "privacy/spherical/spherical_cells.h"

namespace modicum {
namespace {

constexpr double turned_spread = 3.0;
constexpr double fewest_points = 3.0;

struct Points {
  double count, log_error;
};

// The fewest for an error of at most `log_enough`, relative to the length, given bounds by spread.
template <class Bound>
Points points_for(const Bound& bound, double log_enough) {
  Points best{infinity, infinity};
  for (const double spread : gauss_spreads) {
    const double log_bound = bound(spread), rho = sum_of_axes(spread);
    if (!(log_bound < infinity)) break;  // on larger ones too
    const double excess = log_bound + log_gauss_error(rho, 0.0) - log_enough;
    const double count = std::max(fewest_points, std::ceil(0.5 * excess / std::log(rho)));
    if (count < best.count) best = {count, log_bound + log_gauss_error(rho, count)};
  }
  return best;
}

}  // namespace

template <class Number>
SphericalCells::Middle<Number> SphericalCells::middle_of(const Cell& cell) const {
  const Radius radius = radius_at(cell.x, 0.0);
  const Cosine<Number> cosine = cosine_at<Number>(cell.angle, 0.0);
  const double sigma = radius.sigma;
  const Number q = std::abs(1.0 - sigma) < 0.5 ? square(1.0 - sigma) + 2.0 * sigma * cosine.one_more
                                               : 1.0 + sigma * (sigma + 2.0 * cosine.w);
  return {radius, cosine, loss_at(radius, cosine), std::abs(q)};
}

// How much the loss may change where log radius and angle, complex as they may be, are within
// `reach` and `turn` of the middle; infinite where r2 may vanish.
template <class Number>
double SphericalCells::change_within(const Cell& cell, const Middle<Number>& at, double reach,
                                     double turn) const {
  const double p = geometry_.p, sigma = at.radius.sigma, size_w = std::abs(at.cosine.w);
  if (!(p * reach < 30.0) || !(integrand_.turn + turn < 1.5)) return infinity;
  double d_w = 0.0;
  if (turned_)
    d_w = turn / (1.0 + square(std::sinh(std::max(std::abs(cell.angle) - turn, 0.0))) -
                  square(std::sin(integrand_.turn + turn)));
  else if (!flat_ && turn > 0.0)
    d_w = size_w * 2.0 * square(std::sinh(turn / 2.0)) + at.cosine.slope * std::sinh(turn);
  const double grown = std::expm1(reach), d_sigma = sigma * grown;
  const double change =
      2.0 * (sigma + d_sigma) * d_w +
      d_sigma * (d_sigma + 2.0 * std::min(sigma + size_w,
                                          std::abs(1.0 - sigma) + std::abs(at.cosine.one_more)));
  const double relative = change * (1.0 + 1e-9) / at.size_q;
  if (!(relative < 0.95)) return infinity;
  const double d_u = -0.5 * std::log1p(-relative), p_grown = std::expm1(p * reach);
  return geometry_.deficit * d_u +
         at.radius.growth *
             (p_grown * std::abs(at.loss.change) +
              (1.0 + p_grown) * std::abs(at.loss.change + 1.0) * std::expm1(p * d_u));
}

// Along a turned line, both variables complex.
double SphericalCells::log_turned_bound(const Cell& cell) const {
  const double k = geometry_.shape, p = geometry_.p, reach = turned_spread * cell.half_x,
               turn = turned_spread * cell.half_angle;
  const Middle<Complex> at = middle_of<Complex>(cell);
  const double change = change_within(cell, at, reach, turn);
  if (!(change < infinity)) return infinity;
  return raised(at.radius.log_weight + k * p * std::abs(std::expm1(p * cell.x)) * reach +
                at.radius.growth * expm1_minus(p * reach) + log_angle_ceiling(cell.angle, turn) +
                exponent_of(at.loss.value) + size_ * change);
}

// Sizes of the derivatives of the loss in x and v. With q = (r2/r1)^2 = 1 + sigma (sigma + 2w),
// G = log q, F = q^{p/2} and K = k e^{px} it is c G/2 + K (F - 1).
SphericalCells::Bends SphericalCells::bends_at(const Middle<double>& at) const {
  const double p = geometry_.p, half = 0.5 * p, sigma = at.radius.sigma, w = at.cosine.w,
               q = at.size_q, growth = at.radius.growth, c = 0.5 * geometry_.deficit;
  const double sum =
      std::abs(1.0 - sigma) < 0.5 ? sigma - 1.0 + at.cosine.one_more : sigma + w;  // sigma + w
  const double g_x = -2.0 * sigma * sum / q, g_xx = 2.0 * sigma * (sigma + sum) / q - square(g_x);
  const double g_w = 2.0 * sigma / q, g_ww = -square(g_w), g_xw = -g_w - g_x * g_w;
  const double f_less = at.loss.change, f = f_less + 1.0, f_x = half * f * g_x,
               f_w = half * f * g_w;
  const double f_xx = half * f * (g_xx + half * square(g_x)),
               f_ww = half * f * (g_ww + half * square(g_w)),
               f_xw = half * f * (g_xw + half * g_x * g_w);
  const auto size = [](std::initializer_list<double> terms) {
    double total = 0.0, sizes = 0.0;
    for (const double term : terms) {
      total += term;
      sizes += std::abs(term);
    }
    return std::abs(total) + 1e-11 * sizes;  // for the rounding of what cancels
  };
  const double l_w = c * g_w + growth * f_w, slope = at.cosine.slope;
  Bends bends{size({c * g_x, growth * p * f_less, growth * f_x}), 0.0,
              size({c * g_xx, growth * p * p * f_less, growth * 2.0 * p * f_x, growth * f_xx}), 0.0,
              0.0};
  if (flat_) return bends;
  bends.v = size({l_w * slope});
  bends.xv = size({c * g_xw, growth * p * f_w, growth * f_xw}) * slope;
  bends.vv = size({(c * g_ww + growth * f_ww) * square(slope), -l_w * w});
  return bends;
}

// By how much the loss leaves its Taylor polynomial of degree two, within `reach` and `turn` of the
// middle: D (m^-3 + m^-4 + ...) if it changes by at most D within m times that.
double SphericalCells::rest_within(const Cell& cell, const Middle<double>& at, double reach,
                                   double turn) const {
  double least = infinity;
  for (const double wider : {2.0, 4.0, 12.0}) {
    const double change = change_within(cell, at, wider * reach, wider * turn);
    if (!(change < infinity)) break;
    least = std::min(least, change / (square(wider) * (wider - 1.0)));
  }
  return least;
}

// The integrand where x lies in an ellipse around the cell and v in the cell: there the imaginary
// part of the loss, which meets the height, is that of x alone.
double SphericalCells::log_bound_along(const Cell& cell, const Middle<double>& at,
                                       const Bends& bends, double spread) const {
  const double k = geometry_.shape, p = geometry_.p;
  const double a = spread * cell.half_x, b = std::sqrt(square(spread) - 1.0) * cell.half_x;
  const double turn = flat_ ? 0.0 : cell.half_angle;
  if (!(p * a < 30.0)) return infinity;
  const double rest = rest_within(cell, at, a, turn);
  if (!(rest < infinity)) return infinity;
  const double real = bends.x * a + bends.v * turn + 0.5 * bends.xx * square(a) +
                      bends.xv * a * turn + 0.5 * bends.vv * square(turn);
  const double imaginary = b * (bends.x + 0.5 * bends.xx * a + bends.xv * turn);
  return raised(at.radius.log_weight + k * p * std::abs(std::expm1(p * cell.x)) * a +
                at.radius.growth * expm1_minus(p * a) +
                log_angle_density(std::max(std::abs(cell.angle) - turn, 0.0)) +
                exponent_of(at.loss.value) + integrand_.center * real +
                integrand_.height * imaginary + size_ * rest);
}

// And where v lies in an ellipse and x in the cell. The logarithm of the density of x is concave.
double SphericalCells::log_bound_across(const Cell& cell, const Middle<double>& at,
                                        const Bends& bends, double spread) const {
  const double reach = cell.half_x, a = spread * cell.half_angle,
               b = std::sqrt(square(spread) - 1.0) * cell.half_angle;
  const double rest = rest_within(cell, at, reach, a);
  if (!(rest < infinity)) return infinity;
  const double real = bends.x * reach + bends.v * a + 0.5 * bends.xx * square(reach) +
                      bends.xv * a * reach + 0.5 * bends.vv * square(a);
  const double imaginary = b * (bends.v + 0.5 * bends.vv * a + bends.xv * reach);
  const double slope = geometry_.shape * geometry_.p * std::abs(std::expm1(geometry_.p * cell.x));
  return raised(at.radius.log_weight + slope * reach + log_angle_ceiling(cell.angle, a) +
                exponent_of(at.loss.value) + integrand_.center * real +
                integrand_.height * imaginary + size_ * rest);
}

// One direction after the other: an error along for every angle, and one across for every node of
// the rule along, whose weights are positive.
SphericalCells::Rule SphericalCells::rule_for(const Cell& cell, double log_enough,
                                              int points) const {
  if (turned_) return turned_rule(cell, log_enough, points);
  const Middle<double> at = middle_of<double>(cell);
  const Bends bends = bends_at(at);
  const double log_area = std::log(flat_ ? 2.0 * cell.half_x : 4.0 * cell.half_x * cell.half_angle);
  const double each = log_enough - log_area - (flat_ ? 0.0 : M_LN2);
  const Points along =
      points_for([&](double spread) { return log_bound_along(cell, at, bends, spread); }, each);
  const Points across =
      flat_ ? Points{1.0, -infinity}
            : points_for([&](double spread) { return log_bound_across(cell, at, bends, spread); },
                         each);
  Rule rule{along.count, across.count, infinity};
  if (std::max(rule.along, rule.across) <= points)
    rule.log_error = log_area + std::max(along.log_error, across.log_error) + (flat_ ? 0.0 : M_LN2);
  return rule;
}

SphericalCells::Rule SphericalCells::turned_rule(const Cell& cell, double log_enough,
                                                 int points) const {
  const double log_error = log_turned_bound(cell) +
                           log_gauss_error(sum_of_axes(turned_spread), points) + M_LN2 +
                           std::log(4.0 * cell.half_x * cell.half_angle);
  if (!(log_error <= log_enough)) return {};
  return {static_cast<double>(points), static_cast<double>(points), log_error};
}

// The side that needs more nodes; where none will do, whichever makes the change of the loss
// smaller, the longer one where neither does.
bool SphericalCells::halves_radius(const Cell& cell, const Rule& rule) const {
  if (flat_) return true;
  if (rule.along != rule.across) return rule.along > rule.across;
  const auto change_of = [&](double reach, double turn) {
    if (turned_) return change_within(cell, middle_of<Complex>(cell), reach, turn);
    return change_within(cell, middle_of<double>(cell), reach, turn);
  };
  const double reach = turned_spread * cell.half_x, turn = turned_spread * cell.half_angle;
  const double by_radius = change_of(0.5 * reach, turn), by_angle = change_of(reach, 0.5 * turn);
  if (by_radius == by_angle) return cell.half_x >= cell.half_angle;
  return by_radius < by_angle;
}

// The integrand on the real cell: L is at most Phi(log r2) for the largest r2 less Phi(log r1) for
// the least r1. Along a turned line |r2| <= r1 + s.
double SphericalCells::log_real_bound(const Cell& cell) const {
  const double left = cell.x - cell.half_x, right = cell.x + cell.half_x, s = geometry_.step;
  const double w =
      turned_ ? 1.0
      : flat_ ? cell.angle
              : std::min(1.0,
                         std::sin(std::min(cell.angle + cell.half_angle, right_angle)) + 4.0 * ulp);
  const auto squared = [&](double x) {
    const double r = std::exp(x);
    return square(r - s) + 2.0 * r * s * (1.0 + w);
  };
  const double rounding = 1e-14 * square(s + std::exp(right));
  const double far = 0.5 * std::log(std::max(squared(left), squared(right)) + rounding) - left;
  const double loss = geometry_.deficit * far + geometry_.shape * std::exp(geometry_.p * left) *
                                                    std::expm1(geometry_.p * far);
  return raised(geometry_.log_density_at(std::clamp(0.0, left, right)) +
                log_angle_density(std::max(std::abs(cell.angle) - cell.half_angle, 0.0)) +
                integrand_.center * loss + size_ * 1e-13 * std::abs(loss));
}

}  // namespace modicum
