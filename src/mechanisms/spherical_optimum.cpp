#include "modicum/mechanisms/spherical_optimum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "modicum/numerics/bracketing.h"

namespace modicum {
namespace {

using Point = std::array<double, 2>;

struct Vertex {
  Point at;
  double value;
};

// Nelder and Mead's simplex search for a minimum, from `start` with edges of `size`.
template <class Function>
Vertex simplex_search(const Function& f, Point start, double size, int evaluations) {
  std::array<Vertex, 3> simplex{
      {{start, f(start)}, {{start[0] + size, start[1]}, 0.0}, {{start[0], start[1] + size}, 0.0}}};
  for (std::size_t i = 1; i < 3; ++i) simplex[i].value = f(simplex[i].at);
  const auto order = [&] { std::ranges::sort(simplex, {}, &Vertex::value); };
  order();
  for (int used = 3; used < evaluations; ++used) {
    const double spread = simplex[2].value - simplex[0].value;
    if (spread < 1e-9 * std::abs(simplex[0].value)) break;
    const Point center{0.5 * (simplex[0].at[0] + simplex[1].at[0]),
                       0.5 * (simplex[0].at[1] + simplex[1].at[1])};
    const auto along = [&](double factor) {
      const Point point{center[0] + factor * (center[0] - simplex[2].at[0]),
                        center[1] + factor * (center[1] - simplex[2].at[1])};
      return Vertex{point, f(point)};
    };
    Vertex moved = along(1.0);
    if (moved.value < simplex[0].value) {
      const Vertex further = along(2.0);
      if (further.value < moved.value) moved = further;
      ++used;
    } else if (moved.value >= simplex[1].value) {
      moved = along(moved.value < simplex[2].value ? 0.5 : -0.5);
      ++used;
    }
    if (moved.value < simplex[2].value) {
      simplex[2] = moved;
    } else {
      for (std::size_t i = 1; i < 3; ++i) {
        for (std::size_t k = 0; k < 2; ++k)
          simplex[i].at[k] = 0.5 * (simplex[i].at[k] + simplex[0].at[k]);
        simplex[i].value = f(simplex[i].at);
        ++used;
      }
    }
    order();
  }
  return simplex[0];
}

struct Shape {
  double alpha, p;
};

// The plane to shapes: (alpha + 1)/T = min(1, e^u), p = e^v, kept within what is worth a look.
Shape shape_at(double dimension, const Point& point) {
  const double share = std::exp(std::clamp(point[0], -6.0, 0.0));
  return {std::clamp(dimension * share - 1.0, -0.999, dimension - 1.0),
          std::exp(std::clamp(point[1], std::log(0.2), std::log(20.0)))};
}

void require_usable(const PrivacyTarget& target) {
  require_positive("epsilon", target.epsilon);
  require_positive("delta", target.delta);
}

double gaussian_error(const PrivacyTarget& target, double dimension, double sensitivity,
                      Accuracy accuracy) {
  const double deviation = calibrate_gaussian(target, sensitivity, 1.0, accuracy).parameter;
  return dimension * deviation * deviation;
}

double error_of(const PrivacyTarget& target, double dimension, const Shape& shape,
                double sensitivity, Accuracy accuracy) {
  const Calibration found =
      calibrate_spherical(target, dimension, shape.alpha, shape.p, sensitivity, 1.0, accuracy);
  return SphericalNoise(dimension, shape.alpha, found.parameter, shape.p).mean_squared_error();
}

}  // namespace

double SphericalOptimum::gain() const {
  return 1.0 - mean_squared_error / std::min(gaussian_mean_squared_error, l2_mean_squared_error);
}

SphericalOptimum optimize_spherical(const PrivacyTarget& target, double dimension,
                                    double sensitivity) {
  require_usable(target);
  require_count("dimension", dimension);
  require_positive("sensitivity", sensitivity);
  const auto log_error = [&](const Point& point) {
    try {
      return std::log(
          error_of(target, dimension, shape_at(dimension, point), sensitivity, Accuracy::fast));
    } catch (const CalibrationFailed&) {
      return 1e300;  // too extreme a shape to be calibrated: no minimum
    }
  };
  // The valley is long and flat: a coarse grid finds it, two searches of different size follow it.
  Vertex best{{0.0, std::log(2.0)}, log_error({0.0, std::log(2.0)})};
  const auto improve = [&](const Vertex& found) {
    if (found.value < best.value) best = found;
  };
  for (const double u : {0.0, -0.015, -0.05, -0.12, -0.25, -0.5})
    for (const double p : {0.8, 1.0, 1.25, 1.5, 1.8, 2.5, 4.5})
      improve({{u, std::log(p)}, log_error({u, std::log(p)})});
  for (const double size : {-0.1, 0.05, -0.02})
    improve(simplex_search(log_error, best.at, size, 60));
  const Shape shape = shape_at(dimension, best.at);
  const Calibration found =
      calibrate_spherical(target, dimension, shape.alpha, shape.p, sensitivity);
  const SphericalNoise noise(dimension, shape.alpha, found.parameter, shape.p);
  return {noise, noise.mean_squared_error(),
          gaussian_error(target, dimension, sensitivity, Accuracy::certified),
          error_of(target, dimension, {dimension - 1.0, 1.0}, sensitivity, Accuracy::certified),
          found.achieved};
}

SphericalAdvantage largest_spherical_advantage(double epsilon, double dimension,
                                               double sensitivity) {
  require_positive("epsilon", epsilon);
  // For small delta the l2 mechanism has the smaller error, for large delta the Gaussian: where
  // they meet, the search over all shapes gains most. Written to fall from positive to negative.
  const auto lead_of_l2 = [&](double log_delta) {
    const PrivacyTarget target(epsilon, std::exp(log_delta));
    return std::log(
        gaussian_error(target, dimension, sensitivity, Accuracy::fast) /
        error_of(target, dimension, {dimension - 1.0, 1.0}, sensitivity, Accuracy::fast));
  };
  Bracket bracket{std::log(1e-15), std::log(0.1)};
  double log_delta = bracket.high;
  if (!(lead_of_l2(bracket.low) > 0.0)) log_delta = bracket.low;
  else if (!(lead_of_l2(bracket.high) > 0.0))
    log_delta = narrow_bracket(lead_of_l2, bracket, 1e-9).high;
  const double delta = std::exp(log_delta);
  return {delta, optimize_spherical({epsilon, delta}, dimension, sensitivity)};
}

// With mu = 1/sqrt(u), g(u) = delta(mu) and g'(u) = -mu^3 phi(mu/2 - epsilon/mu)/2: the tangent at
// u meets the axis at g(u) - u g'(u) = delta + mu phi/2. It is 1 = g(0) where the tangent just
// touches (docs/derivations/spherical.md); from there on, as u grows, it stays below g.
double gaussian_optimal_up_to(double epsilon) {
  require_non_negative("epsilon", epsilon);
  const auto delta_of = [&](double mu) {
    return directed_delta(PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0)).forward(),
                          epsilon, Accuracy::certified)
        .value.lower();
  };
  const auto room = [&](double mu) {
    const double x = 0.5 * mu - epsilon / mu;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    return 1.0 - delta_of(mu) - 0.5 * mu * density;
  };
  Bracket bracket{1e-3, 1.0};
  while (room(bracket.high) > 0.0 && bracket.high < 1e6)
    bracket = {bracket.high, 2.0 * bracket.high};
  bracket = narrow_bracket(room, bracket, 1e-14);
  return delta_of(bracket.low);
}

}  // namespace modicum
