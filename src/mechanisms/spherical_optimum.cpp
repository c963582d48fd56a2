#include "modicum/mechanisms/spherical_optimum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

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

// The plane to shapes: (alpha + 1)/T = e^u, p = e^v, kept within what is worth a look.
constexpr double least_log_share = -6.0, least_power = 0.2;
Shape shape_at(double dimension, const Point& point) {
  const double share = std::exp(std::clamp(point[0], least_log_share, 0.0));
  return {std::clamp(dimension * share - 1.0, -0.999, dimension - 1.0),
          std::exp(std::clamp(point[1], std::log(least_power), std::log(largest_spherical_power)))};
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

// Logarithms of errors of calibrated shapes for sensitivity 1, in doubles: for a search only.
class ErrorLandscape {
 public:
  ErrorLandscape(const PrivacyTarget& target, double dimension)
      : target_(target), dimension_(dimension) {}

  /// Huge where a shape is too extreme to be calibrated: no minimum. The scale of the shape before
  /// is where the search for this one's begins.
  double at(const Point& point, double tolerance) {
    const Shape shape = shape_at(dimension_, point);
    const auto missing = [&](double log_scale) {
      const double beta = std::exp(-shape.p * log_scale);
      const PrivacyLoss loss = spherical_mechanism({dimension_, shape.alpha, beta, shape.p}, 1.0);
      return std::log(profile(loss, target_.epsilon, Accuracy::fast).delta().upper() /
                      target_.delta);
    };
    const double unit =
        std::lgamma((shape.alpha + 3.0) / shape.p) - std::lgamma((shape.alpha + 1.0) / shape.p);
    const double end = 700.0 / shape.p;  // beyond, beta is no double
    double low = std::clamp(0.5 * (log_error_ - unit), -end, end), high = low;
    for (double step = 0.1; missing(high) > 0.0; step *= 2.0) {
      if (high == end) return 1e300;
      low = std::exchange(high, std::min(end, high + step));
    }
    for (double step = 0.1; !(missing(low) > 0.0); step *= 2.0) {
      if (low == -end) return 1e300;
      high = std::exchange(low, std::max(-end, low - step));
    }
    // Written to be narrowed relative to its ends.
    const Bracket found = narrow_bracket([&](double t) { return missing(t - 1.0 + low); },
                                         {1.0, high - low + 1.0}, tolerance);
    log_error_ = unit + 2.0 * (found.high - 1.0 + low);
    return log_error_;
  }

 private:
  PrivacyTarget target_;
  double dimension_, log_error_ = 0.0;
};

// Starts of local searches: all minima of a grid that are near its least value, best first. The
// landscape has several: long flat valleys, and corners of small alpha or large p.
std::vector<Vertex> promising_starts(ErrorLandscape& landscape) {
  constexpr double shares[] = {0.0, -0.01, -0.05, -0.15, -0.4, -1.0, -2.5};
  constexpr double powers[] = {0.25, 0.5, 0.8,  1.1,  1.5,   2.0,  3.0,
                               5.0,  9.0, 17.0, 40.0, 150.0, 400.0};
  constexpr std::size_t rows = std::size(shares), columns = std::size(powers);
  std::array<std::array<Vertex, columns>, rows> grid;
  double least = 1e300;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t k = i % 2 == 0 ? j : columns - 1 - j;  // neighbors one after the other
      const Point at{shares[i], std::log(powers[k])};
      grid[i][k] = {at, landscape.at(at, 1e-3)};
      least = std::min(least, grid[i][k].value);
    }
  const auto is_least_around = [&](std::size_t i, std::size_t j) {
    for (std::size_t a = i == 0 ? 0 : i - 1; a < std::min(i + 2, rows); ++a)
      for (std::size_t b = j == 0 ? 0 : j - 1; b < std::min(j + 2, columns); ++b)
        if (grid[a][b].value < grid[i][j].value) return false;
    return true;
  };
  std::vector<Vertex> result;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      if (grid[i][j].value < least + 0.3 && is_least_around(i, j)) result.push_back(grid[i][j]);
  std::ranges::sort(result, {}, &Vertex::value);
  if (result.size() > 3) result.resize(3);
  return result;
}

// The Gaussian and the l2 mechanism beside it; where the enclosure of the best shape is too wide, a
// member that is known is better.
SphericalOptimum certified_optimum(const PrivacyTarget& target, double dimension,
                                   double sensitivity, const Shape& best) {
  const double gaussian = gaussian_error(target, dimension, sensitivity, Accuracy::certified);
  const double l2 =
      error_of(target, dimension, {dimension - 1.0, 1.0}, sensitivity, Accuracy::certified);
  std::optional<SphericalOptimum> result;
  for (const Shape& shape : {best, Shape{dimension - 1.0, 2.0}, Shape{dimension - 1.0, 1.0}}) {
    if (result && !(result->mean_squared_error > std::min(gaussian, l2) * (1.0 + 1e-9))) break;
    try {
      const Calibration found =
          calibrate_spherical(target, dimension, shape.alpha, shape.p, sensitivity);
      const SphericalNoise noise(dimension, shape.alpha, found.parameter, shape.p);
      const double error = noise.mean_squared_error();
      if (!result || error < result->mean_squared_error)
        result = SphericalOptimum{noise, error, gaussian, l2, found.achieved};
    } catch (const CalibrationFailed&) {
    }
  }
  if (!result) throw CalibrationFailed("no spherical noise could be proved to meet the target");
  return *result;
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
  ErrorLandscape landscape(target, dimension);
  const auto log_error = [&](const Point& point) { return landscape.at(point, 1e-9); };
  Vertex best{{0.0, std::log(2.0)}, log_error({0.0, std::log(2.0)})};
  const auto improve = [&](const Vertex& found) {
    if (found.value < best.value) best = found;
  };
  for (const Vertex& start : promising_starts(landscape))
    improve(simplex_search(log_error, start.at, -0.1, 40));
  for (const double size : {0.05, -0.02}) improve(simplex_search(log_error, best.at, size, 45));
  return certified_optimum(target, dimension, sensitivity, shape_at(dimension, best.at));
}

// The least of a coarse grid, then between its neighbors by golden sections.
SphericalOptimum optimize_generalized_gaussian(const PrivacyTarget& target, double dimension,
                                               double sensitivity) {
  require_positive("delta", target.delta);
  require_count("dimension", dimension);
  require_positive("sensitivity", sensitivity);
  ErrorLandscape landscape(target, dimension);
  const auto log_error = [&](double log_p) { return landscape.at({0.0, log_p}, 1e-9); };
  constexpr double step = 0.5, golden = 0.6180339887498949;
  double best = 0.0, least = 1e300;
  for (double log_p = std::log(least_power); log_p < std::log(largest_spherical_power);
       log_p += step)
    if (const double value = log_error(log_p); value < least) {
      least = value;
      best = log_p;
    }
  double low = best - step, high = best + step;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = log_error(left), at_right = log_error(right);
  while (high - low > 1e-4) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      at_left = log_error(left = high - golden * (high - low));
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      at_right = log_error(right = low + golden * (high - low));
    }
  }
  return certified_optimum(target, dimension, sensitivity,
                           shape_at(dimension, {0.0, 0.5 * (low + high)}));
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

}  // namespace modicum
