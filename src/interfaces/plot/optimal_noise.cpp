// plot optimality, optimum: noise beside what is possible at all.
#include "interfaces/plot/optimal_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "modicum/mechanisms/calibrate_discrete.h"
#include "modicum/mechanisms/gaussian_optimality.h"
#include "modicum/mechanisms/optimal_disc_noise.h"
#include "modicum/mechanisms/optimal_noise.h"
#include "modicum/mechanisms/spherical_optimum.h"

namespace modicum {
namespace {

// ---- optimality: how good the Gaussian is among all additive noises

struct OptimalityPlot : PlotJob {
  std::optional<double> epsilon = {}, delta = {};
  double points = 60.0;

  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "with delta: what is possible at each dimension");
    fields.add("delta", delta, "above 0 and below 1");
    add_points(fields, points);
    place.fields(fields);
  }
};

// Up to delta_star nothing beats the Gaussian in the limit of high dimension.
Picture limit_of_optimality(const OptimalityPlot& plot) {
  Picture result;
  Series curve;
  for (const double log_epsilon : even_steps(-2.0, 3.0, point_count(plot.points))) {
    const double epsilon = std::pow(10.0, log_epsilon);
    const double star = gaussian_optimal_up_to(epsilon).lower();
    curve.x.push_back(epsilon);
    curve.y.push_back(star);
    result.rows.push_back({{"epsilon", epsilon}, {"delta_star", star}});
  }
  result.chart.series.push_back(std::move(curve));
  result.chart.title =
      plot.place.title_or("Up to this delta Gaussian noise is optimal in the limit");
  result.chart.horizontal = {"epsilon", AxisScale::logarithmic, std::pair{1e-2, 1e3}};
  result.chart.vertical = {"delta", AxisScale::linear, std::pair{0.0, 1.0}};
  return result;
}

// What is proved at a finite dimension, and what the best shape gains there.
Picture gap_of_gaussian(const OptimalityPlot& plot, Progress& progress) {
  const PrivacyTarget target(*plot.epsilon, *plot.delta);
  const double deviation = calibrate_gaussian(target, 1.0).parameter;
  Series possible{"no additive noise gains more", {}, {}, {}, {}};
  Series found{"gained by spherical noise", {}, {}, {}, {}, Drawing::line_with_dots};
  Picture result;
  for (double dimension = 2.0; dimension <= 4096.0; dimension *= 2.0) {
    progress.report(possible.x.size(), 12);
    const double gaussian = dimension * deviation * deviation;
    const double most = 100.0 * (1.0 - additive_error_floor(target, dimension) / gaussian);
    const double gain = 100.0 * (1.0 - optimize_spherical(target, dimension, 1.0).error / gaussian);
    possible.x.push_back(dimension);
    possible.y.push_back(most);
    found.x.push_back(dimension);
    found.y.push_back(std::max(0.0, gain));
    result.rows.push_back(
        {{"dimension", dimension}, {"largest_gain_percent", most}, {"gain_percent", gain}});
  }
  result.chart.series = {std::move(possible), std::move(found)};
  result.chart.title = plot.place.title_or(
      fmt::format("Gain over Gaussian noise, epsilon {}, delta {}", target.epsilon, target.delta));
  result.chart.horizontal = {"dimension", AxisScale::logarithmic, std::pair{2.0, 4096.0}};
  result.chart.vertical = {"gain in per cent", AxisScale::linear, std::pair{0.0, 100.0}};
  return result;
}

Picture drawn(const OptimalityPlot& plot, Progress& progress) {
  if (plot.epsilon.has_value() != plot.delta.has_value())
    throw UsageError("`epsilon` and `delta` must be given together");
  progress.begin("bounding");
  return plot.epsilon ? gap_of_gaussian(plot, progress) : limit_of_optimality(plot);
}

// ---- optimum: what the least noise saves over the best known kinds

struct OptimumPlot : PlotJob {
  double epsilon = 0.1, points = 25.0;
  std::vector<double> sensitivities{1}, dimensions{1};

  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "privacy loss bound, 0.1 by default");
    add_numbers(fields, "dimension", dimensions,
                "of answers that are not whole; from 3 on the best spherical noise");
    add_numbers(fields, "sensitivity", sensitivities, "of whole numbers");
    add_points(fields, points);
    place.fields(fields);
  }
};

// The least error of what others offer for whole numbers.
double usual_error(const PrivacyTarget& target, double sensitivity) {
  const double laplace = whole_noise_error(
      Staircase{1.0 / calibrate_discrete_laplace(target, sensitivity).parameter, 1.0, 1.0}, {});
  try {
    const double sigma = calibrate_discrete_gaussian(target, sensitivity).parameter;
    return std::min(laplace, whole_noise_error(DiscreteGaussianNoise{sigma}, {}));
  } catch (const TargetUnreachable&) {
    return laplace;
  }
}

// Of Gaussian and l2 noise, of the least noise that is known, and a bound.
using ThreeErrors = std::tuple<double, double, double>;
ThreeErrors errors_at(const PrivacyTarget& target, double dimension) {
  const double deviation = calibrate_gaussian(target, 1.0).parameter;
  const double scale = calibrate_l2(target, dimension, 1.0).parameter;
  const double usual = std::min(dimension * deviation * deviation,
                                SphericalNoise::l2(dimension, scale).mean_squared_error());
  if (dimension == 1.0) {
    const OptimalGridNoise least = optimal_grid_noise(target, 1.0);
    return {usual, least.error, least.lower_bound};
  }
  if (dimension == 2.0) {
    const auto least = optimal_disc_noise(target, 1.0);
    return {usual, least->error, least->lower_bound};
  }
  return {usual, optimize_spherical(target, dimension, 1.0).error,
          additive_error_floor(target, dimension)};
}

std::string answers_in_words(double dimension) {
  if (dimension == 1.0) return "real number";
  return dimension == 2.0 ? "two numbers" : fmt::format("{} numbers, spherical", dimension);
}

Picture drawn(const OptimumPlot& plot, Progress& progress) {
  constexpr double smallest = 1e-9, largest = 0.3;
  progress.begin("optimizing");
  Picture result;
  std::vector<double> deltas;
  for (const double log_delta :
       even_steps(std::log10(smallest), std::log10(largest), point_count(plot.points)))
    deltas.push_back(std::pow(10.0, log_delta));
  const auto add_curve = [&](const std::string& name, const auto& errors) {
    Series curve{name, deltas, {}, {}, {}};
    for (const double delta : deltas) {
      progress.report(curve.y.size(), deltas.size());
      const auto [usual, least, bound] = errors(PrivacyTarget(plot.epsilon, delta));
      curve.y.push_back(100.0 * (1.0 - least / usual));
      result.rows.push_back({{"kind", name},
                             {"delta", delta},
                             {"mean_squared_error", least},
                             {"usual_mean_squared_error", usual},
                             {"lower_bound", bound},
                             {"gain_percent", curve.y.back()}});
    }
    result.chart.series.push_back(std::move(curve));
  };
  for (const double sensitivity : plot.sensitivities)
    add_curve(
        fmt::format("whole numbers, sensitivity {}", sensitivity),
        [&](const PrivacyTarget& target) {
          const auto least = optimal_integer_noise(target, sensitivity);
          return std::tuple{usual_error(target, sensitivity), least->error, least->lower_bound};
        });
  for (const double dimension : plot.dimensions)
    add_curve(answers_in_words(require_count("dimension", dimension)),
              [&](const PrivacyTarget& target) { return errors_at(target, dimension); });
  result.chart.title = plot.place.title_or(fmt::format(
      "Gain of the least noise over Gaussian and Laplace or l2, epsilon {}", plot.epsilon));
  result.chart.horizontal = {"delta", AxisScale::logarithmic, std::pair{smallest, largest}};
  result.chart.vertical = Axis{"gain in per cent", AxisScale::linear, {}};
  return result;
}

}  // namespace

std::vector<JobKind> optimum_plots() {
  return {job_kind<OptimalityPlot>(
              "plot optimality", "how good Gaussian noise is among all additive noises",
              "  modicum plot optimality --epsilon 1 --delta 1e-5 --output optimality.svg"),
          job_kind<OptimumPlot>("plot optimum", "gain of the least noise over the usual kinds",
                                "  modicum plot optimum --epsilon 0.1 --output optimum.svg")};
}

}  // namespace modicum
