// The box beyond which the double integral weighs nothing, and its scale.
#include <algorithm>
#include <cmath>
#include <vector>

#include "privacy/spherical/spherical_cells.h"

namespace modicum {
double SphericalCells::largest_loss_at(double x) const {
  const double u = std::log1p(geometry_.step * std::exp(-x));
  return geometry_.deficit * u +
         geometry_.shape * std::exp(geometry_.p * x) * std::expm1(geometry_.p * u);
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
  double sum = outside_ * std::exp(-largest);
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

}  // namespace modicum
