#include "privacy/spherical/spherical_estimate.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

constexpr double largest_drop = 800.0;  // tails below exp(-800) are not resolved

}  // namespace

double ScaledEstimate::log() const { return log_scale + std::log(value); }

// Neither probabilities nor moments are negative.
Ball ScaledEstimate::ball() const {
  const Ball result = exp(Ball(log_scale)) * Ball(value).widened(Ball(error));
  if (result.surely_positive() || !result.finite()) return result;
  return Ball::between(0.0, result.upper());
}

double SphericalEstimate::log_tail(const Cosine& w, Side side) const {
  return side == Side::above ? angle_.log_upper(w.value)
                             : angle_.log_upper(-w.value, w.above_minus_one);
}

double SphericalEstimate::log_integrand(double x, double loss, Side side) const {
  return geometry_.log_density_at(x) + log_tail(geometry_.cosine(x, loss), side);
}

// The noise: rounding of the exponents, of x itself and of the cosine, each times the derivative of
// the logarithm in it.
Sample SphericalEstimate::sample(double x, const Cosine& w, Side side, double log_scale) const {
  const double log_density = geometry_.log_density_at(x), logarithm = log_tail(w, side);
  const double value = std::exp(log_density + logarithm - log_scale);
  // Where r1 is tiny the cosine may have no digits left: then all of the density is in doubt.
  const double blur = w.noise * ulp;
  if (blur > 1e-3 && std::abs(w.value) < 1.0 + blur)
    return {value, std::exp(log_density - log_scale)};
  if (value == 0.0) return {0.0, 0.0};
  double relative = 8.0 + std::abs(log_density) + std::abs(logarithm) +
                    std::abs(geometry_.log_density_slope(x) * x);
  if (std::abs(w.value) < 1.0 && geometry_.dimension > 1.0) {
    const double t = geometry_.dimension, square = (1.0 - w.value) * w.above_minus_one;
    const double hazard = std::sqrt(t) + t * std::abs(w.value) / square;
    relative += w.noise * std::min(hazard, std::exp(-logarithm - 0.5 * std::log(square)) * t);
  }
  return {value, 2.0 * value * relative * ulp};
}

Side SphericalEstimate::smaller_side(double loss) const {
  return log_integrand(0.0, loss, Side::above) < log_integrand(0.0, loss, Side::below)
             ? Side::above
             : Side::below;
}

// How well the place x where w reaches -1 or 1 is known, times how much the tail jumps there: all
// of it in one dimension or where r1 is tiny, nothing where the tail is smooth.
double SphericalEstimate::place_error(double x, double loss, Side side) const {
  const double narrow = 1e-10 * std::max(1.0, std::abs(x));
  const auto tail_at = [&](double place) {
    return std::exp(log_tail(geometry_.cosine(place, loss), side));
  };
  const double jump = std::abs(tail_at(x + narrow) - tail_at(x - narrow));
  return jump * geometry_.crossing_error(x, loss);
}

double SphericalEstimate::largest_log_integrand(const std::vector<double>& places, double loss,
                                                Side side) const {
  double largest = -largest_drop;
  for (std::size_t i = 1; i < places.size(); ++i)
    for (const double part : {0.1, 0.5, 0.9}) {
      const double x = places[i - 1] + part * (places[i] - places[i - 1]);
      largest = std::max(largest, log_integrand(x, loss, side));
    }
  return largest;
}

// The window around the other center, with x measured from there.
QuadratureEstimate SphericalEstimate::pole_part(const PoleWindow& window, double loss, Side side,
                                                double log_scale) const {
  const double center = std::log(geometry_.step);
  const auto f = [&](double offset) {
    return sample(center + offset, geometry_.cosine_near_pole(offset, loss), side, log_scale);
  };
  const auto ceiling = [](double, double) { return HUGE_VAL; };
  return integrate_adaptively(f, ceiling, {window.from, 0.0, window.to});
}

// Where a negative loss is reached around the other center alone, and from where on again.
SphericalEstimate::PoleSplit SphericalEstimate::pole_split(
    double loss, Side side, double high, const std::vector<double>& crossings) const {
  const double center = std::log(geometry_.step);
  if (side == Side::above || !(center < high)) return {std::nullopt, -HUGE_VAL};
  const std::optional<PoleWindow> window = geometry_.pole_window(loss);
  if (!window) return {std::nullopt, -HUGE_VAL};
  double reached_from = HUGE_VAL;
  const double beyond = center + window->to * (1.0 + 1e-6) + 1e-12 * std::abs(center);
  for (const double x : crossings)
    if (x > beyond) reached_from = std::min(reached_from, x);
  return {window, reached_from};
}

ScaledEstimate SphericalEstimate::tail(double loss, Side side) const {
  const double low = geometry_.where_density_drops(largest_drop, -1.0);
  const double high = geometry_.where_density_drops(largest_drop, 1.0);
  const std::vector<double> crossings = geometry_.crossings(low, high, loss);
  std::vector<double> places = crossings;
  for (const double drop : {8.0, 40.0, 200.0, largest_drop})
    for (const double sign : {-1.0, 1.0})
      places.push_back(geometry_.where_density_drops(drop, sign));
  std::sort(places.begin(), places.end());
  const PoleSplit pole = pole_split(loss, side, high, crossings);

  ScaledEstimate result;
  result.log_scale = largest_log_integrand(places, loss, side);
  if (pole.window)
    result.log_scale =
        std::max(result.log_scale, geometry_.log_density_at(std::log(geometry_.step)) +
                                       log_tail(geometry_.cosine_near_pole(0.0, loss), side));
  const auto f = [&](double x) -> Sample {
    if (x < pole.reached_from) return {0.0, 0.0};
    return sample(x, geometry_.cosine(x, loss), side, result.log_scale);
  };
  const auto ceiling = [&](double from, double to) {
    return std::exp(geometry_.log_density_at(std::clamp(0.0, from, to)) - result.log_scale);
  };
  QuadratureEstimate found = integrate_adaptively(f, ceiling, places);
  result.value = found.value;
  result.error = found.error;
  result.panels = std::move(found.panels);
  if (pole.window) {
    found = pole_part(*pole.window, loss, side, result.log_scale);
    result.value += found.value;
    result.error += found.error;
  }
  // The logarithm of the density is concave: beyond an end it falls at least as fast as there.
  for (const double end : {places.front(), places.back()})
    result.error += ceiling(end, end) / std::abs(geometry_.log_density_slope(end));
  for (const double x : crossings) result.error += ceiling(x, x) * place_error(x, loss, side);
  if (result.log_scale <= -largest_drop) result.error += 1.0;
  return result;
}

}  // namespace modicum
