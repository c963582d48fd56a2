#include "modicum/mechanisms/spherical_optimum.h"

#include <arb_hypgeom.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "mechanisms/optimal/whole_noise.h"
#include "modicum/numerics/bracketing.h"
#include "privacy/spherical/spherical_copies.h"

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

// What is asked of the noise.
struct SphericalTask {
  PrivacyTarget target;
  double dimension, sensitivity, count = 1.0;
  NoiseError measure = {};
};

double gaussian_error_in(const SphericalTask& task, Accuracy accuracy) {
  const double deviation =
      calibrate_gaussian(task.target, task.sensitivity, task.count, accuracy).parameter;
  return spherical_noise_error(SphericalNoise::gaussian(task.dimension, deviation), task.measure);
}

double error_of(const SphericalTask& task, const Shape& shape, Accuracy accuracy) {
  const Calibration found = calibrate_spherical(task.target, task.dimension, shape.alpha, shape.p,
                                                task.sensitivity, task.count, accuracy);
  return spherical_noise_error({task.dimension, shape.alpha, found.parameter, shape.p},
                               task.measure);
}

// Logarithms of errors of calibrated shapes for sensitivity 1, in doubles: for a search only.
class ErrorLandscape {
 public:
  explicit ErrorLandscape(const SphericalTask& task)
      : task_(task), power_(task.measure.kind == NoiseError::Kind::squared ? 2.0 : 1.0) {}

  /// Huge where a shape is too extreme to be calibrated: no minimum. The scale of the shape before
  /// is where the search for this one's begins.
  double at(const Point& point, double tolerance) {
    const double dimension = task_.dimension;
    const Shape shape = shape_at(dimension, point);
    const auto missing = [&](double log_scale) {
      const double beta = std::exp(-shape.p * log_scale);
      if (task_.count > 1.0 && beta > 1e-300 && beta < 1e300) {
        const SphericalPair pair(dimension, shape.alpha, Precise::exactly(beta), shape.p, 1.0);
        const double log_target = std::log(task_.target.delta);
        const auto found = quick_spherical_profile(pair, task_.count, task_.target.epsilon, saddle_,
                                                   log_target - 10.0);
        if (found && !found->only_bound) saddle_ = found->saddle;
        // A bound is enough to see that there is far too much noise.
        if (found && (!found->only_bound || found->log_delta < log_target - 2.0))
          return found->log_delta - log_target;
      }
      const PrivacyLoss loss =
          spherical_mechanism({dimension, shape.alpha, beta, shape.p}, 1.0).repeated(task_.count);
      return std::log(profile(loss, task_.target.epsilon, Accuracy::fast).delta().upper() /
                      task_.target.delta);
    };
    const double unit =
        std::log(spherical_noise_error({dimension, shape.alpha, 1.0, shape.p}, task_.measure));
    if (!std::isfinite(unit)) return 1e300;
    const double end = 700.0 / shape.p;  // beyond, beta is no double
    double low = std::clamp((log_error_ - unit) / power_, -end, end), high = low;
    if (task_.count > 1.0)
      if (const auto found = by_secants(missing, low, tolerance); found && std::abs(*found) < end)
        return log_error_ = unit + power_ * *found;
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
    log_error_ = unit + power_ * (found.high - 1.0 + low);
    return log_error_;
  }

  /// log of the scale beta^{-1/p} that calibrates it, from the last error found near it.
  double log_scale_of(const Shape& shape) {
    const Point point{std::log((shape.alpha + 1.0) / task_.dimension), std::log(shape.p)};
    const double unit = std::log(
        spherical_noise_error({task_.dimension, shape.alpha, 1.0, shape.p}, task_.measure));
    return (at(point, 1e-6) - unit) / power_;
  }

 private:
  // Several answers: their losses take long, and the scale of the shape before and the slope there
  // leave two or three to be looked at. Near p = 1, where delta soon is 0, slopes are of no use and
  // what lies on either side is halved.
  template <class Function>
  std::optional<double> by_secants(const Function& missing, double scale, double tolerance) {
    constexpr double longest = 0.5, steepest_start = -60.0, near = 4.0;
    double value = missing(scale), slope = std::max(slope_, steepest_start);
    double below = -infinity, above = infinity;
    for (int i = 0; i < 30; ++i) {
      if (std::isnan(value)) return std::nullopt;
      (value > 0.0 ? below : above) = scale;
      double next = scale + std::clamp(-value / slope, -longest, longest);
      if (above - below < infinity && (!(next > below && next < above) || i % 4 == 3))
        next = 0.5 * (below + above);
      if (!(std::abs(next - scale) > tolerance) || !(above - below > tolerance)) return next;
      const double after = missing(next), found = (after - value) / (next - scale);
      if (found < -0.1 && std::abs(value) < near && std::abs(after) < near) slope_ = slope = found;
      scale = next;
      value = after;
    }
    return std::nullopt;
  }

  SphericalTask task_;
  double power_, log_error_ = 0.0;
  double slope_ = -20.0;  // of log delta by log scale
  double saddle_ = 1.0;   // of several answers, at the scale before
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

// From where a search has ended: a few proofs, each closer by the slope between the last two. None
// where they do not settle; what is returned has been proved.
std::optional<Calibration> calibrated_near(const SphericalTask& task, const Shape& shape,
                                           double log_scale) {
  double slope = -20.0, before = 0.0, value_before = 0.0;
  for (int i = 0; i < 8; ++i) {
    const double beta = std::exp(-shape.p * log_scale);
    if (!(beta > 1e-300 && beta < 1e300)) return std::nullopt;
    const SphericalNoise noise(task.dimension, shape.alpha, beta, shape.p);
    const ProfilePoint found = profile(
        spherical_mechanism(noise, task.sensitivity).repeated(task.count), task.target.epsilon);
    const double delta = found.delta().upper(), value = std::log(delta / task.target.delta);
    if (found.proof != Proof::certified || !std::isfinite(value)) return std::nullopt;
    // No closer than delta itself is known.
    const double close_enough = std::max(1e-9, 2.0 * found.delta().relative_width());
    if (!(close_enough < 1e-3)) return std::nullopt;
    if (delta <= task.target.delta && value > -close_enough) return Calibration{beta, found};
    if (i > 0 && (value - value_before) / (log_scale - before) < -0.1)
      slope = (value - value_before) / (log_scale - before);
    before = log_scale;
    value_before = value;
    log_scale -= (value + 0.5 * close_enough) / slope;
  }
  return std::nullopt;
}

// The Gaussian and the l2 mechanism beside it; where the enclosure of the best shape is too wide, a
// member that is known is better.
SphericalOptimum certified_optimum(const SphericalTask& task, const Shape& best,
                                   std::optional<double> log_scale = {}) {
  const double dimension = task.dimension;
  const double gaussian = gaussian_error_in(task, Accuracy::certified);
  const double l2 = error_of(task, {dimension - 1.0, 1.0}, Accuracy::certified);
  std::optional<SphericalOptimum> result;
  for (const Shape& shape : {best, Shape{dimension - 1.0, 2.0}, Shape{dimension - 1.0, 1.0}}) {
    if (result && !(result->error > std::min(gaussian, l2) * (1.0 + 1e-9))) break;
    try {
      std::optional<Calibration> near;
      if (log_scale) near = calibrated_near(task, shape, *std::exchange(log_scale, {}));
      const Calibration found = near ? *near
                                     : calibrate_spherical(task.target, dimension, shape.alpha,
                                                           shape.p, task.sensitivity, task.count);
      const SphericalNoise noise(dimension, shape.alpha, found.parameter, shape.p);
      const double error = spherical_noise_error(noise, task.measure);
      if (!result || error < result->error)
        result = SphericalOptimum{noise, error, gaussian, l2, found.achieved};
    } catch (const CalibrationFailed&) {
    }
  }
  if (!result) throw CalibrationFailed("no spherical noise could be proved to meet the target");
  return *result;
}

}  // namespace

double SphericalOptimum::gain() const { return 1.0 - error / std::min(gaussian_error, l2_error); }

// R^p beta has the gamma distribution of shape (alpha + 1)/p.
double spherical_noise_error(const SphericalNoise& noise, const NoiseError& error) {
  require_error(error);
  const double shape = (noise.alpha + 1.0) / noise.p;
  if (error.kind == NoiseError::Kind::squared) return noise.mean_squared_error();
  if (error.kind == NoiseError::Kind::absolute)
    return std::exp(std::lgamma(shape + 1.0 / noise.p) - std::lgamma(shape) -
                    std::log(noise.beta) / noise.p);
  const auto missing = [&](double log_gamma) {
    const PrecisionScope scope(96);
    Ball beyond;
    const Ball place = exp(Ball(log_gamma)), k = shape;
    arb_hypgeom_gamma_upper(beyond.raw(), k.raw(), place.raw(), 1, PrecisionScope::bits());
    return beyond.middle() - (1.0 - error.level);
  };
  double low = std::log(shape), high = low;
  for (double step = 0.5; missing(high) > 0.0 && high < 700.0; step *= 2.0) high += step;
  for (double step = 0.5; !(missing(low) > 0.0) && low > -1e6; step *= 2.0) low -= step;
  while (high - low > 1e-11 * (1.0 + std::abs(low))) {
    const double middle = low + (high - low) / 2.0;
    (missing(middle) > 0.0 ? low : high) = middle;
  }
  return std::exp((high - std::log(noise.beta)) / noise.p);
}

namespace {

// Without a pole: the least of a coarse grid, then between its neighbors by golden sections. For
// several answers, whose losses take longer, p from 1 to 2.9.
double best_log_power(ErrorLandscape& landscape, bool several) {
  const auto log_error = [&](double log_p) {
    return landscape.at({0.0, log_p}, several ? 1e-5 : 1e-9);
  };
  constexpr double golden = 0.6180339887498949;
  const double step = several ? 0.35 : 0.5, close = several ? 4e-3 : 1e-4;
  const double first = several ? 0.0 : std::log(least_power);
  const double last = several ? 2.0 * step : std::log(largest_spherical_power);
  double best = 0.0, least = 1e300;
  for (double log_p = first; log_p <= last; log_p += step) {
    const double at = several ? first + last - log_p : log_p;  // p = 1 is the hardest
    if (const double value = log_error(at); value < least) {
      least = value;
      best = at;
    }
  }
  double low = best - step, high = best + step;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = log_error(left), at_right = log_error(right);
  while (high - low > close) {
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
  return 0.5 * (low + high);
}

// Several answers: the landscape is that of a Gaussian ever more. From the best p one short search.
Shape shape_for_several(ErrorLandscape& landscape, double dimension) {
  const auto log_error = [&](const Point& point) { return landscape.at(point, 1e-5); };
  const Point start{0.0, best_log_power(landscape, true)};
  return shape_at(dimension, simplex_search(log_error, start, -0.04, 10).at);
}

}  // namespace

SphericalOptimum optimize_spherical(const PrivacyTarget& target, double dimension,
                                    double sensitivity, double count, const NoiseError& error) {
  require_usable(target);
  require_count("dimension", dimension);
  require_positive("sensitivity", sensitivity);
  require_count("count", count);
  require_error(error);
  const SphericalTask task{target, dimension, sensitivity, count, error};
  ErrorLandscape landscape(task);
  if (count > 1.0) {
    const Shape shape = shape_for_several(landscape, dimension);
    const double log_scale = landscape.log_scale_of(shape) + std::log(sensitivity);
    return certified_optimum(task, shape, log_scale);
  }
  const auto log_error = [&](const Point& point) { return landscape.at(point, 1e-9); };
  Vertex best{{0.0, std::log(2.0)}, log_error({0.0, std::log(2.0)})};
  const auto improve = [&](const Vertex& found) {
    if (found.value < best.value) best = found;
  };
  for (const Vertex& start : promising_starts(landscape))
    improve(simplex_search(log_error, start.at, -0.1, 40));
  for (const double size : {0.05, -0.02}) improve(simplex_search(log_error, best.at, size, 45));
  return certified_optimum(task, shape_at(dimension, best.at));
}

SphericalOptimum optimize_generalized_gaussian(const PrivacyTarget& target, double dimension,
                                               double sensitivity, double count) {
  require_positive("delta", target.delta);
  require_count("dimension", dimension);
  require_positive("sensitivity", sensitivity);
  require_count("count", count);
  const SphericalTask task{target, dimension, sensitivity, count};
  ErrorLandscape landscape(task);
  const Shape shape = shape_at(dimension, {0.0, best_log_power(landscape, count > 1.0)});
  if (!(count > 1.0)) return certified_optimum(task, shape);
  return certified_optimum(task, shape, landscape.log_scale_of(shape) + std::log(sensitivity));
}

SphericalAdvantage largest_spherical_advantage(double epsilon, double dimension,
                                               double sensitivity) {
  require_positive("epsilon", epsilon);
  // For small delta the l2 mechanism has the smaller error, for large delta the Gaussian: where
  // they meet, the search over all shapes gains most. Written to fall from positive to negative.
  const auto lead_of_l2 = [&](double log_delta) {
    const SphericalTask task{{epsilon, std::exp(log_delta)}, dimension, sensitivity};
    return std::log(gaussian_error_in(task, Accuracy::fast) /
                    error_of(task, {dimension - 1.0, 1.0}, Accuracy::fast));
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
