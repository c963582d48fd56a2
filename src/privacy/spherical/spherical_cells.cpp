#include "privacy/spherical/spherical_cells.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/gauss_legendre.h"
#include "privacy/spherical/complex_expm1.h"

namespace modicum {
namespace {

constexpr std::size_t most_cells = 60000;
constexpr double negligible = 36.0;  // exp(-36) of the scale may lie outside the box

double real_part(double x) { return x; }
double real_part(const std::complex<double>& z) { return z.real(); }

}  // namespace

SphericalCells::SphericalCells(const SphericalGeometry& geometry,
                               const SphericalIntegrand& integrand)
    : geometry_(geometry),
      integrand_(integrand),
      size_(integrand.turn > 0.0 ? integrand.center + integrand.height
                                 : std::hypot(integrand.center, integrand.height)),
      flat_(geometry.dimension == 1.0),
      turned_(integrand.turn > 0.0) {
  choose_box(-negligible);
  choose_scale();
  choose_box(log_scale_ - negligible);
}

// log of (cos v)^{T-2} or |cosh(t + i turn)|^{1-T}, over B(1/2, (T-1)/2).
double SphericalCells::log_angle_density(double angle) const {
  return log_angle_ceiling(angle, 0.0);
}

// The largest within `reach`, in complex places too: |cos(a+ib)|^2 = cos(a)^2 + sinh(b)^2 and
// |cosh(a+ib)|^2 = cosh(a)^2 - sin(b)^2.
double SphericalCells::log_angle_ceiling(double angle, double reach) const {
  if (flat_) return -M_LN2;
  const double a = std::max(std::abs(angle) - reach, 0.0), power = geometry_.dimension - 1.0;
  if (turned_) {
    const double less = square(std::sin(integrand_.turn + reach));
    return -0.5 * power * std::log1p(square(std::sinh(a)) - less) - geometry_.log_angle_scale;
  }
  if (power == 1.0) return -geometry_.log_angle_scale;
  const double more = square(std::sinh(reach));
  const double log_square =
      a < 0.5 ? std::log1p(more - square(std::sin(a))) : std::log(square(std::cos(a)) + more);
  return 0.5 * (power - 1.0) * log_square - geometry_.log_angle_scale;
}

SphericalCells::Radius SphericalCells::radius_at(double x, double half) const {
  const double log_weight = geometry_.log_density_at(x), p = geometry_.p;
  return {log_weight,
          32.0 + 8.0 * (std::abs(log_weight) + std::abs(geometry_.log_density)) +
              4.0 * geometry_.shape * p * std::abs(std::expm1(p * x)) * (std::abs(x) + half),
          std::abs(x) + half, geometry_.shape * std::exp(p * x), geometry_.step * std::exp(-x)};
}

template <>
SphericalCells::Cosine<double> SphericalCells::cosine_at(double v, double half) const {
  if (flat_) return {v, 1.0 + v, -M_LN2, 1.0, 0.0};
  const double w = std::sin(v), log_weight = log_angle_density(v), size = std::abs(v) + half;
  // Halving cells may have moved v by 32 units of its size. |tan v| <= |w| (pi/2) / (pi/2 - |v|).
  const double slope = std::abs(std::cos(v));
  const double tangent = right_angle * std::abs(w) / std::max(right_angle - std::abs(v), 1e-300);
  return {w,
          2.0 * square(std::sin(0.5 * (v + right_angle))),
          log_weight,
          8.0 * (std::abs(log_weight) + std::abs(geometry_.log_angle_scale)) +
              (geometry_.dimension - 2.0) * std::min(32.0 * tangent * size, 1e15),
          slope * 32.0 * size + 1e3 * ulp,
          slope};
}

template <>
SphericalCells::Cosine<std::complex<double>> SphericalCells::cosine_at(double t,
                                                                       double half) const {
  const Complex place(t, integrand_.turn), w = std::tanh(place);
  const double log_weight = log_angle_density(t), size = std::abs(t) + half;
  return {w, 2.0 / (1.0 + std::exp(-2.0 * place)), log_weight,
          8.0 * (std::abs(log_weight) + std::abs(geometry_.log_angle_scale)) +
              32.0 * geometry_.dimension * size * std::abs(w),
          32.0 * size / (1.0 + square(std::sinh(t)) - square(std::sin(integrand_.turn)))};
}

// u = log(r2/r1) from q = r2^2/r1^2 = 1 + sigma (sigma + 2w) = (1 - sigma)^2 + 2 sigma (1 + w), and
// L = c u + growth (e^{pu} - 1), whose terms have the same sign.
template <class Number>
SphericalCells::Loss<Number> SphericalCells::loss_at(const Radius& radius,
                                                     const Cosine<Number>& cosine) const {
  const double sigma = radius.sigma, p = geometry_.p;
  const bool close = std::abs(1.0 - sigma) < 0.5;
  const Number q_less_one = sigma * (sigma + 2.0 * cosine.w);
  const Number q = close ? square(1.0 - sigma) + 2.0 * sigma * cosine.one_more : 1.0 + q_less_one;
  const Number u = close ? 0.5 * std::log(q) : 0.5 * log1p_of(q_less_one);
  const Number change = expm1_of(p * u);
  // Units: of the terms of q, of sigma with its place, of w with its own.
  const double size_q = std::abs(q), size_w = std::abs(cosine.w);
  const double terms =
      close ? 6.0 * std::abs(1.0 - sigma) + 8.0 * sigma * std::abs(cosine.one_more) + 2.0 * size_q
            : 4.0 * sigma * (sigma + 2.0 * size_w);
  const double by_sigma =
      2.0 * sigma * (close ? std::abs(1.0 - sigma) + std::abs(cosine.one_more) : sigma + size_w);
  const double of_u = 3.0 * std::abs(u) +
                      0.5 * (terms + by_sigma * (radius.size + 4.0) + 2.0 * sigma * cosine.moved) /
                          std::max(size_q, 1e-300);
  const double of_loss = geometry_.deficit * (4.0 * std::abs(u) + of_u) +
                         radius.growth * (std::abs(change) * (8.0 + 2.0 * p * radius.size) +
                                          std::abs(change + 1.0) * p * (of_u + 2.0 * std::abs(u)));
  return {geometry_.deficit * u + radius.growth * change, change, of_loss};
}

template SphericalCells::Loss<double> SphericalCells::loss_at(const Radius&,
                                                              const Cosine<double>&) const;
template SphericalCells::Loss<std::complex<double>> SphericalCells::loss_at(
    const Radius&, const Cosine<std::complex<double>>&) const;

template <class Number>
void SphericalCells::add_nodes(const Cell& cell, const Rule& rule,
                               const std::function<void(const CellNode&)>& add) const {
  const GaussRule& along = gauss_legendre(static_cast<int>(rule.along));
  std::vector<Cosine<Number>> cosines;
  std::vector<double> weights;
  if (flat_) {
    cosines.push_back(cosine_at<Number>(cell.angle, 0.0));
    weights.push_back(cell.half_x);
  } else {
    const GaussRule& across = gauss_legendre(static_cast<int>(rule.across));
    for (std::size_t j = 0; j < across.points.size(); ++j) {
      cosines.push_back(
          cosine_at<Number>(cell.angle + cell.half_angle * across.points[j], cell.half_angle));
      weights.push_back(across.weights[j] * cell.half_angle * cell.half_x);
    }
  }
  for (std::size_t i = 0; i < along.points.size(); ++i) {
    const Radius radius = radius_at(cell.x + cell.half_x * along.points[i], cell.half_x);
    for (std::size_t j = 0; j < cosines.size(); ++j) {
      const Loss<Number> loss = loss_at(radius, cosines[j]);
      const double exponent = radius.log_weight + cosines[j].log_weight + exponent_of(loss.value);
      add({real_part(loss.value), std::exp(exponent - log_scale_) * along.weights[i] * weights[j],
           ulp * (radius.rounding + cosines[j].rounding + 4.0 * std::abs(log_scale_) +
                  size_ * (loss.rounding + 2.0 * std::abs(loss.value)))});
    }
  }
}

double SphericalCells::visit(double tolerance, int points,
                             const std::function<void(const CellNode&)>& add) const {
  const double log_enough = std::log(tolerance) + log_scale_;
  double error = outside_ * std::exp(-log_scale_);
  if (!(error < infinity)) return infinity;
  const double x = 0.5 * (low_ + high_), half = 0.5 * (high_ - low_);
  std::vector<Cell> todo;
  if (flat_) todo = {{x, 1.0, half, 0.0}, {x, -1.0, half, 0.0}};
  else todo = {{x, 0.0, half, end_}};
  for (std::size_t cells = 0; !todo.empty(); ++cells) {
    if (cells > most_cells) return infinity;
    const Cell cell = todo.back();
    todo.pop_back();
    const double log_area =
        std::log(flat_ ? 2.0 * cell.half_x : 4.0 * cell.half_x * cell.half_angle);
    const double by_bound = log_real_bound(cell) + log_area;
    if (by_bound <= log_enough) {
      error += std::exp(by_bound - log_scale_) * (1.0 + 1e-6);
      continue;
    }
    const Rule rule = rule_for(cell, log_enough, points);
    if (rule.works()) {
      error += std::exp(rule.log_error - log_scale_) * (1.0 + 1e-6);
      if (turned_) add_nodes<Complex>(cell, rule, add);
      else add_nodes<double>(cell, rule, add);
      continue;
    }
    Cell first = cell, second = cell;
    if (halves_radius(cell, rule)) {
      first.half_x = second.half_x = 0.5 * cell.half_x;
      first.x -= first.half_x;
      second.x += first.half_x;
    } else {
      first.half_angle = second.half_angle = 0.5 * cell.half_angle;
      first.angle -= first.half_angle;
      second.angle += first.half_angle;
    }
    todo.push_back(first);
    todo.push_back(second);
  }
  return error * (1.0 + 1e-6);
}

}  // namespace modicum
