#include "privacy/spherical/spherical_cells.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

constexpr double spread =
    3.0;  // radius of the disc on which the integrand is bounded, in half cells
constexpr std::size_t most_cells = 60000;
constexpr double margin = 1e-6;  // of logarithms of bounds, for their own rounding
constexpr double right_angle = 1.5707963267948966;
constexpr double negligible = 36.0;  // exp(-36) of the scale may lie outside the box

// Of Gauss's rule in two directions, relative to area times bound: polynomials of degree 2n - 1
// come as close as 2 rho^{1-2n}/(rho - 1) to a function that is at most 1 on the disc, and the rule
// is exact for them.
double gauss_factor(int points) {
  const double rho = spread + std::sqrt(spread * spread - 1.0);
  return 8.0 * std::pow(rho, 1.0 - 2.0 * points) / (rho - 1.0);
}

double square(double x) { return x * x; }
double log1p_of(double x) { return std::log1p(x); }
Complex log1p_of(const Complex& z) {
  return {0.5 * std::log1p(z.real() * (2.0 + z.real()) + square(z.imag())),
          std::atan2(z.imag(), 1.0 + z.real())};
}
double expm1_of(double x) { return std::expm1(x); }
Complex expm1_of(const Complex& z) {
  const double grown = std::expm1(z.real());
  return {grown - 2.0 * square(std::sin(z.imag() / 2.0)) * (grown + 1.0),
          (grown + 1.0) * std::sin(z.imag())};
}
double real_part(double x) { return x; }
double real_part(const Complex& z) { return z.real(); }
double raised(double log_bound) { return log_bound + margin * (1.0 + std::abs(log_bound)); }

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
  const double tangent = right_angle * std::abs(w) / std::max(right_angle - std::abs(v), 1e-300);
  return {w, 2.0 * square(std::sin(0.5 * (v + right_angle))), log_weight,
          8.0 * (std::abs(log_weight) + std::abs(geometry_.log_angle_scale)) +
              (geometry_.dimension - 2.0) * std::min(32.0 * tangent * size, 1e15),
          std::abs(std::cos(v)) * 32.0 * size + 1e3 * ulp};
}

template <>
SphericalCells::Cosine<Complex> SphericalCells::cosine_at(double t, double half) const {
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

double SphericalCells::largest_loss_at(double x) const {
  const double u = std::log1p(geometry_.step * std::exp(-x));
  return geometry_.deficit * u +
         geometry_.shape * std::exp(geometry_.p * x) * std::expm1(geometry_.p * u);
}

// log of a bound on the integrand where radius and angle, complex as they may be, are within
// `spread` half widths of the middle; infinite where r2 may vanish.
template <class Number>
double SphericalCells::log_bound_of(const Cell& cell) const {
  const double k = geometry_.shape, p = geometry_.p, reach = spread * cell.half_x,
               turn = spread * cell.half_angle;
  if (!(p * reach < 30.0) || !(integrand_.turn + turn < 1.5)) return infinity;
  const Radius radius = radius_at(cell.x, 0.0);
  const Cosine<Number> cosine = cosine_at<Number>(cell.angle, 0.0);
  const double sigma = radius.sigma, size_w = std::abs(cosine.w);
  double d_w = 0.0;
  if (turned_)
    d_w = turn / (1.0 + square(std::sinh(std::max(std::abs(cell.angle) - turn, 0.0))) -
                  square(std::sin(integrand_.turn + turn)));
  else if (!flat_)
    d_w = size_w * 2.0 * square(std::sinh(turn / 2.0)) +
          std::abs(std::cos(cell.angle)) * std::sinh(turn);
  const double d_sigma = sigma * std::expm1(reach);
  const Number q = std::abs(1.0 - sigma) < 0.5 ? square(1.0 - sigma) + 2.0 * sigma * cosine.one_more
                                               : 1.0 + sigma * (sigma + 2.0 * cosine.w);
  const double change =
      2.0 * (sigma + d_sigma) * d_w +
      d_sigma * (d_sigma +
                 2.0 * std::min(sigma + size_w, std::abs(1.0 - sigma) + std::abs(cosine.one_more)));
  const double relative = change * (1.0 + 1e-9) / std::abs(q);
  if (!(relative < 0.95)) return infinity;
  const double d_u = -0.5 * std::log1p(-relative);
  const Loss<Number> loss = loss_at(radius, cosine);
  const double d_loss =
      geometry_.deficit * d_u +
      radius.growth * (std::expm1(p * reach) * std::abs(loss.change) +
                       std::exp(p * reach) * std::pow(std::abs(q), 0.5 * p) * std::expm1(p * d_u));
  return raised(radius.log_weight + k * p * std::abs(std::expm1(p * cell.x)) * reach +
                radius.growth * expm1_minus(p * reach) + log_angle_ceiling(cell.angle, turn) +
                exponent_of(loss.value) + size_ * d_loss);
}

double SphericalCells::log_bound(const Cell& cell) const {
  return turned_ ? log_bound_of<Complex>(cell) : log_bound_of<double>(cell);
}

// The same on the real cell: L is at most Phi(log r2) for the largest r2 less Phi(log r1) for the
// least r1. Along a turned line |r2| <= r1 + s.
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

// E[exp(center L1); x < place], L1 the largest loss. The logarithm of the density is concave; and
// (1 + s/r)^c grows leftwards at most as r^-c, while (r+s)^p - r^p falls for p >= 1 and stays below
// s^p for p < 1.
double SphericalCells::mass_left_of(double x) const {
  const double p = geometry_.p, s = geometry_.step;
  const double rate = geometry_.log_density_slope(x) * (1.0 - 1e-9) -
                      integrand_.center * geometry_.deficit * (1.0 + 1e-9);
  if (!(rate > 0.0)) return infinity;
  const double u = std::log1p(s * std::exp(-x));
  const double grown = p >= 1.0 ? geometry_.shape * std::exp(p * x) * std::expm1(p * u)
                                : geometry_.shape * std::pow(s, p);
  const double exponent =
      geometry_.log_density_at(x) + integrand_.center * (geometry_.deficit * u + grown);
  return std::exp(raised(exponent)) / rate;
}

// To the right (1 + s/r)^p - 1 and log(1 + s/r) fall: with their values at the place the exponent
// is concave, below its tangent.
double SphericalCells::mass_right_of(double x) const {
  const double k = geometry_.shape, p = geometry_.p, u = std::log1p(geometry_.step * std::exp(-x));
  const double gain = std::expm1(p * u), growth = k * std::exp(p * x);
  const double slope = p * (growth * (1.0 - integrand_.center * gain) - k);
  if (!(integrand_.center * gain < 1.0 && slope > 1e-9 * p * k)) return infinity;
  const double exponent =
      geometry_.log_density_at(x) + integrand_.center * (geometry_.deficit * u + growth * gain);
  return std::exp(raised(exponent)) / (slope * (1.0 - 1e-3));
}

// Of |t| on a turned line: the logarithm of the density falls with the slope (T-1) tanh t or
// faster. The ends of v are rounded: cos v is at most 2^-53 beyond.
double SphericalCells::log_mass_beyond_angle(double angle) const {
  if (turned_)
    return raised(log_angle_density(angle) + M_LN2 -
                  std::log((geometry_.dimension - 1.0) * std::tanh(angle)));
  return raised((geometry_.dimension - 1.0) * std::log(0x1p-52) - geometry_.log_angle_scale);
}

// log E[exp(center L1)] from above: L1 falls, then rises, so that the ends of a panel bound it.
double SphericalCells::log_largest_moment() const {
  constexpr int panels = 256;
  const double width = (high_ - low_) / panels;
  std::vector<double> logs;
  for (int i = 0; i < panels; ++i) {
    const double left = low_ + i * width, right = left + width;
    const double loss = std::max(largest_loss_at(left), largest_loss_at(right));
    logs.push_back(geometry_.log_density_at(std::clamp(0.0, left, right)) +
                   integrand_.center * loss);
  }
  const double largest = std::max(0.0, *std::max_element(logs.begin(), logs.end()));
  double sum = outside_;
  for (const double each : logs) sum += width * std::exp(each - largest);
  return raised(largest + std::log(sum));
}

void SphericalCells::choose_box(double log_tolerance) {
  // On a turned line |cosh(t + i theta)| >= cosh(t) cos(theta), so that the angle has at most
  // cos(theta)^(1-T) in all where it else has 1.
  const double log_angles =
      turned_ ? raised((1.0 - geometry_.dimension) * std::log(std::cos(integrand_.turn))) : 0.0;
  const double enough = std::exp(log_tolerance - log_angles);
  const double unit = 0.5 / (geometry_.p * std::sqrt(geometry_.shape + 1.0));
  double low = -unit, high = unit;
  for (double step = unit; !(mass_left_of(low) <= enough) && low > -1e5; step *= 1.15) low -= step;
  for (double step = unit; !(mass_right_of(high) <= enough) && high < 600.0; step *= 1.05)
    high += step;
  // Multiples of a power of two, so that halving a cell is exact.
  const double place = std::exp2(std::ceil(std::log2(high - low)) - 12.0);
  low_ = std::floor(low / place) * place;
  high_ = low_ + 2.0 * place * std::ceil((high - low_) / (2.0 * place));
  outside_ = (mass_left_of(low_) + mass_right_of(high_)) * std::exp(log_angles);
  end_ = right_angle;
  if (flat_) return;
  const double log_most = log_largest_moment();
  if (turned_) {
    const double step = 0.5 / std::sqrt(geometry_.dimension);
    end_ = integrand_.turn + step;
    while (!(log_mass_beyond_angle(end_) + log_most <= log_tolerance) && end_ < 400.0)
      end_ += std::max(step, 0.05 * end_);
  }
  outside_ += std::exp(log_mass_beyond_angle(end_) + log_most);
}

// By the midpoint rule on a coarse grid: it decides how sharp the result is, never whether it
// holds.
void SphericalCells::choose_scale() {
  constexpr int along = 64, across = 33;
  std::vector<double> logs;
  double largest = -infinity, sum = 0.0;
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j) {
      const Radius radius = radius_at(low_ + (high_ - low_) * (i + 0.5) / along, 0.0);
      const double angle =
          flat_ ? (j % 2 == 0 ? -1.0 : 1.0) : end_ * (2.0 * (j + 0.5) / across - 1.0);
      const auto log_value = [&](const auto& cosine) {
        return radius.log_weight + cosine.log_weight + exponent_of(loss_at(radius, cosine).value);
      };
      logs.push_back(turned_ ? log_value(cosine_at<Complex>(angle, 0.0))
                             : log_value(cosine_at<double>(angle, 0.0)));
      if (std::isfinite(logs.back())) largest = std::max(largest, logs.back());
    }
  for (const double each : logs)
    if (std::isfinite(each)) sum += std::exp(each - largest);
  const double area = (high_ - low_) * (flat_ ? 2.0 : 2.0 * end_);
  log_scale_ = largest + std::log(sum * area / (along * across));
  if (!turned_) log_scale_ = std::max(log_scale_, 0.0);  // E[exp(center L)] >= 1
}

template <class Number>
void SphericalCells::add_nodes(const Cell& cell, int points,
                               const std::function<void(const CellNode&)>& add) const {
  const GaussRule& gauss = gauss_legendre(points);
  std::vector<Cosine<Number>> cosines;
  std::vector<double> weights;
  if (flat_) {
    cosines.push_back(cosine_at<Number>(cell.angle, 0.0));
    weights.push_back(cell.half_x);
  }
  for (std::size_t j = 0; !flat_ && j < gauss.points.size(); ++j) {
    cosines.push_back(
        cosine_at<Number>(cell.angle + cell.half_angle * gauss.points[j], cell.half_angle));
    weights.push_back(gauss.weights[j] * cell.half_angle * cell.half_x);
  }
  for (std::size_t i = 0; i < gauss.points.size(); ++i) {
    const Radius radius = radius_at(cell.x + cell.half_x * gauss.points[i], cell.half_x);
    for (std::size_t j = 0; j < cosines.size(); ++j) {
      const Loss<Number> loss = loss_at(radius, cosines[j]);
      const double exponent = radius.log_weight + cosines[j].log_weight + exponent_of(loss.value);
      add({real_part(loss.value), std::exp(exponent - log_scale_) * gauss.weights[i] * weights[j],
           ulp * (radius.rounding + cosines[j].rounding + 4.0 * std::abs(log_scale_) +
                  size_ * (loss.rounding + 2.0 * std::abs(loss.value)))});
    }
  }
}

// Halves whichever side makes the bound smaller, the longer one where neither does.
bool SphericalCells::halves_radius(const Cell& cell) const {
  if (flat_) return true;
  Cell narrow = cell, low = cell;
  narrow.half_x *= 0.5;
  low.half_angle *= 0.5;
  const double by_radius = log_bound(narrow), by_angle = log_bound(low);
  if (by_radius == by_angle) return cell.half_x >= cell.half_angle;
  return by_radius < by_angle;
}

double SphericalCells::visit(double tolerance, int points,
                             const std::function<void(const CellNode&)>& add) const {
  const double factor = gauss_factor(points), log_enough = std::log(tolerance) + log_scale_;
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
    const double by_rule = log_bound(cell) + log_area + std::log(factor);
    const double by_bound = log_real_bound(cell) + log_area;
    if (std::min(by_rule, by_bound) <= log_enough) {
      error += std::exp(std::min(by_rule, by_bound) - log_scale_) * (1.0 + 1e-6);
      if (by_bound <= by_rule) continue;
      if (turned_) add_nodes<Complex>(cell, points, add);
      else add_nodes<double>(cell, points, add);
      continue;
    }
    Cell first = cell, second = cell;
    if (halves_radius(cell)) {
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
