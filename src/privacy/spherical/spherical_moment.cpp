#include <algorithm>
#include <cmath>

#include "privacy/spherical/spherical_estimate.h"

namespace modicum {
namespace {

constexpr double negligible_drop = 45.0;  // exp(-45) of the largest integrand does not count

double log_cosh(double t) {
  const double size = std::abs(t);
  return size < 1.0 ? std::log1p(2.0 * std::pow(std::sinh(size / 2.0), 2.0))
                    : size + std::log1p(std::exp(-2.0 * size)) - M_LN2;
}

// Golden section, for a function with one maximum.
template <class Function>
double largest_place(const Function& f, double low, double high) {
  const double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = f(left), at_right = f(right);
  for (int i = 0; i < 45 && high - low > 1e-6 * std::abs(low); ++i) {
    if (at_left > at_right) {
      high = right, right = left, at_right = at_left;
      left = high - golden * (high - low), at_left = f(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + golden * (high - low), at_right = f(right);
    }
  }
  return (low + high) / 2.0;
}

// step * sum of exp(exponent - peak) over start + j step.
template <class Function>
double trapezoid(const Function& exponent, double peak, double start, double step) {
  double sum = 0.0;
  for (const int side : {-1, 1})
    for (int j = side < 0 ? -1 : 0;; j += side) {
      const double value = std::exp(exponent(start + j * step) - peak);
      sum += value;
      if (value < 1e-18 * sum || std::abs(j) > 100000) break;
    }
  return step * sum;
}

}  // namespace

// With w = tanh t and q the smaller of r1/step and step/r1, r2^2 is the square of the larger times
// (1 - q)^2 + 2q (1 + w).
double SphericalEstimate::loss_at(double x, double t) const {
  const double offset = x - std::log(geometry_.step), q = std::exp(-std::abs(offset));
  const double one_more = 2.0 / (1.0 + std::exp(-2.0 * t));
  const double u = q < 0.5 ? std::log1p(q * (q + 2.0 * std::tanh(t))) / 2.0
                           : std::log((1.0 - q) * (1.0 - q) + 2.0 * q * one_more) / 2.0;
  return geometry_.loss_at(x, offset > 0.0 ? u : u - offset);
}

// log E[exp(order L) | R]: with w = tanh t the density of t is proportional to cosh(t)^{1-T}. The
// trapezoidal rule converges geometrically; its step is halved until two sums agree.
SphericalEstimate::LogSample SphericalEstimate::log_mean_given_radius(double x,
                                                                      double order) const {
  const double power = geometry_.dimension - 1.0;
  if (power == 0.0) {
    const double up = order * loss_at(x, 400.0), down = order * loss_at(x, -400.0);
    const double larger = std::max(up, down);
    return {larger + std::log1p(std::exp(-std::abs(up - down))) - M_LN2, ulp * std::abs(larger)};
  }
  const auto exponent = [&](double t) { return order * loss_at(x, t) - power * log_cosh(t); };
  const double tilt = std::abs(order * (loss_at(x, 400.0) - loss_at(x, -30.0)));
  const double end = std::log(2.0) + (negligible_drop + tilt) / power;
  const double mode = largest_place(exponent, -end, end), peak = exponent(mode);
  const double apart = 0.1 / std::sqrt(power);
  const double bend = 2.0 * peak - exponent(mode + apart) - exponent(mode - apart);
  double step = 0.7 * std::min(apart / std::sqrt(std::max(bend, 1e-6)), 0.6);
  double sum = trapezoid(exponent, peak, mode, step), error = sum;
  for (int level = 0; level < 6 && error > 1e-14 * sum; ++level) {
    const double between = trapezoid(exponent, peak, mode + step / 2.0, step);
    error = std::abs(sum - between);
    sum = (sum + between) / 2.0, step /= 2.0;
  }
  return {peak + std::log(sum) - geometry_.log_angle_scale,
          error / sum + ulp * (8.0 + std::abs(peak))};
}

// Outwards from the mode of the density, until the integrand has fallen for good. Steps resolve
// the density, whose width shrinks to the right.
std::vector<double> SphericalEstimate::moment_range(double order) const {
  const double unit = 1.0 / (geometry_.p * std::sqrt(geometry_.shape + 1.0));
  double largest = -infinity;
  std::vector<double> places{std::log(geometry_.step)};
  const auto falling = [&](double x) {
    const double height = geometry_.log_density_at(x) + log_mean_given_radius(x, order).value;
    largest = std::max(largest, height);
    places.push_back(x);
    return !(height > largest - negligible_drop);
  };
  for (double x = 0.0; places.size() < 2000 && !falling(x);)
    x += 2.0 * unit * std::exp(-geometry_.p * x / 2.0);
  for (double distance = unit; places.size() < 3000 && !falling(-distance);)
    distance = 1.5 * distance + unit;
  std::sort(places.begin(), places.end());
  return places;
}

ScaledEstimate SphericalEstimate::moment(double order) const {
  const std::vector<double> places = moment_range(order);
  const auto exponent = [&](double x) {
    LogSample sample = log_mean_given_radius(x, order);
    sample.value += geometry_.log_density_at(x);
    return sample;
  };
  ScaledEstimate result;
  result.log_scale = -infinity;
  for (const double x : places) result.log_scale = std::max(result.log_scale, exponent(x).value);
  // Only every second place, so that a panel holds about one width of the density.
  std::vector<double> breakpoints;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (i % 2 == 0 || i + 1 == places.size()) breakpoints.push_back(places[i]);
  const auto f = [&](double x) -> Sample {
    const LogSample sample = exponent(x);
    const double value = std::exp(sample.value - result.log_scale);
    const double relative = ulp * std::abs(geometry_.log_density_slope(x) * x);
    return {value, value * (sample.error + relative + ulp * std::abs(sample.value))};
  };
  const auto ceiling = [](double, double) { return HUGE_VAL; };
  const QuadratureEstimate found = integrate_adaptively(f, ceiling, breakpoints, {1e-12, 200});
  result.value = found.value;
  result.error = found.error + 1e-13 * found.value;
  return result;
}

}  // namespace modicum
