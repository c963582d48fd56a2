// plot radial, gain, composition: kinds of spherical noise compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "interfaces/plot/optimal_noise.h"
#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "modicum/mechanisms/spherical_optimum.h"

namespace modicum {
namespace {

constexpr const char* dimension_help = "how many numbers an answer has";

void add_sensitivity(Fields& fields, double& sensitivity) {
  fields.add("sensitivity", sensitivity,
             "largest Euclidean distance of the answers on neighboring data sets, 1 by default");
}

void add_target(Fields& fields, double& epsilon, double& delta) {
  fields.add("epsilon", epsilon, "privacy loss bound, 1 by default");
  fields.add("delta", delta, "above 0 and below 1, 1e-5 by default");
}

// ---- radial: how far from the truth an answer is

struct RadialPlot : PlotJob {
  double dimension = 0.0, epsilon = 1.0, delta = 1e-5, points = 300.0, sensitivity = 1.0;
  std::optional<double> alpha = {}, beta = {}, p = {};

  void fields(Fields& fields) {
    fields.add("dimension", dimension, dimension_help).required();
    add_target(fields, epsilon, delta);
    fields.add("p", p, "one more shape: power of the radius in the exponent");
    fields.add("alpha", alpha, "of that shape: power of the radius; by default dimension - 1");
    fields.add("beta", beta, "of that shape; by default the largest that meets the target");
    add_points(fields, points);
    add_sensitivity(fields, sensitivity);
    place.fields(fields);
    certified_field(fields);
  }
};

struct NamedNoise {
  std::string name;
  SphericalNoise noise;
};

std::vector<NamedNoise> calibrated_kinds(const RadialPlot& plot) {
  const PrivacyTarget target(plot.epsilon, plot.delta);
  const double dimension = require_count("dimension", plot.dimension);
  const Calibration gaussian = calibrate_gaussian(target, plot.sensitivity, 1.0, plot.accuracy());
  const Calibration l2 = calibrate_l2(target, dimension, plot.sensitivity, 1.0, plot.accuracy());
  std::vector<NamedNoise> kinds{
      {"Gaussian", SphericalNoise::gaussian(dimension, gaussian.parameter)},
      {"l2", SphericalNoise::l2(dimension, l2.parameter)},
      {"optimized", optimize_spherical(target, dimension, plot.sensitivity).noise}};
  if (!plot.p && (plot.alpha || plot.beta))
    throw UsageError("`p` is missing, but must be given with `alpha` and `beta`");
  if (plot.p) {
    const double alpha = plot.alpha.value_or(dimension - 1.0);
    const double beta = plot.beta ? *plot.beta
                                  : calibrate_spherical(target, dimension, alpha, *plot.p,
                                                        plot.sensitivity, 1.0, plot.accuracy())
                                        .parameter;
    kinds.push_back({"chosen", {dimension, alpha, beta, *plot.p}});
  }
  return kinds;
}

Value noise_row(const NamedNoise& kind) {
  return {{"name", kind.name},
          {"alpha", kind.noise.alpha},
          {"beta", kind.noise.beta},
          {"p", kind.noise.p},
          {"mean_squared_error", kind.noise.mean_squared_error()}};
}

Picture drawn(const RadialPlot& plot, Progress& progress) {
  progress.begin("calibrating");
  const std::vector<NamedNoise> kinds = calibrated_kinds(plot);
  double largest_error = 0.0;
  for (const NamedNoise& kind : kinds)
    largest_error = std::max(largest_error, kind.noise.mean_squared_error());
  const std::size_t points = point_count(plot.points);
  const double end = 2.5 * std::sqrt(largest_error);
  Picture result;
  for (const NamedNoise& kind : kinds) {
    Series series{fmt::format("{}, p {:.4g}, error {:.4g}", kind.name, kind.noise.p,
                              kind.noise.mean_squared_error()),
                  even_steps(end / static_cast<double>(points), end, points),
                  {},
                  {},
                  {}};
    for (const double radius : series.x)
      series.y.push_back(std::exp(kind.noise.log_radial_density(radius)));
    result.chart.series.push_back(std::move(series));
    result.rows.push_back(noise_row(kind));
  }
  result.chart.title =
      plot.place.title_or(fmt::format("Length of the noise in dimension {}, epsilon {}, delta {}",
                                      plot.dimension, plot.epsilon, plot.delta));
  result.chart.horizontal = {"distance from the true answer", AxisScale::linear, {}};
  result.chart.vertical = {"density", AxisScale::linear, {}};
  return result;
}

// ---- gain: what the best shape saves over the better of Gaussian and l2 noise

struct GainPlot : PlotJob {
  double epsilon = 0.1;
  std::vector<double> dimensions{1, 2, 3, 5, 10, 20, 50, 100};
  bool against_delta = false;
  double points = 25.0, sensitivity = 1.0;

  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "privacy loss bound, 0.1 by default");
    add_numbers(fields, "dimension", dimensions, dimension_help);
    fields.add("against_delta", against_delta,
               "for one dimension: a curve from delta 1e-12 to 0.1");
    add_points(fields, points);
    add_sensitivity(fields, sensitivity);
    place.fields(fields);
  }
};

Value gain_row(double dimension, double delta, const SphericalOptimum& optimum) {
  return {{"dimension", dimension},
          {"delta", delta},
          {"alpha", optimum.noise.alpha},
          {"beta", optimum.noise.beta},
          {"p", optimum.noise.p},
          {"gain_percent", 100.0 * optimum.gain()},
          {"mean_squared_error", optimum.error},
          {"gaussian_mean_squared_error", optimum.gaussian_error},
          {"l2_mean_squared_error", optimum.l2_error}};
}

const Axis gain_axis{"gain in per cent", AxisScale::linear, {}};

// One bar a dimension, at the delta where Gaussian and l2 have the same error.
Picture gain_by_dimension(const GainPlot& plot, Progress& progress) {
  Picture result;
  Series bars;
  bars.drawing = Drawing::bars;
  for (const double dimension : plot.dimensions) {
    progress.report(bars.x.size(), plot.dimensions.size());
    const SphericalAdvantage best =
        largest_spherical_advantage(plot.epsilon, dimension, plot.sensitivity);
    const double percent = 100.0 * best.optimum.gain();
    bars.x.push_back(static_cast<double>(bars.x.size()) + 1.0);
    bars.y.push_back(percent);
    result.chart.horizontal.categories.push_back(
        {fmt::format("T = {}", dimension), fmt::format("{:.2f} %", percent),
         fmt::format("delta {:.2g}", best.delta), fmt::format("p {:.3f}", best.optimum.noise.p)});
    result.rows.push_back(gain_row(dimension, best.delta, best.optimum));
  }
  result.chart.series.push_back(std::move(bars));
  result.chart.title = plot.place.title_or(
      fmt::format("Gain over Gaussian and l2 where these break even, epsilon {}", plot.epsilon));
  result.chart.horizontal.label = "dimension T, gain, delta of the break-even, best p";
  result.chart.vertical = gain_axis;
  result.chart.width = std::max(720, 110 * static_cast<int>(plot.dimensions.size()) + 80);
  return result;
}

Picture gain_by_delta(const GainPlot& plot, Progress& progress) {
  constexpr double smallest = 1e-12, largest = 0.1;
  if (plot.dimensions.size() != 1)
    throw InvalidParameter("dimension", fmt::format("given {} values", plot.dimensions.size()),
                           "must be one number with `against_delta`");
  const double epsilon = plot.epsilon, dimension = plot.dimensions.front();
  std::vector<double> deltas;
  for (const double log_delta :
       even_steps(std::log10(smallest), std::log10(largest), point_count(plot.points)))
    deltas.push_back(std::pow(10.0, log_delta));
  // The curve has a kink where the better of the two changes.
  deltas.push_back(largest_spherical_advantage(epsilon, dimension, plot.sensitivity).delta);
  std::ranges::sort(deltas);
  Picture result;
  Series curve;
  for (const double delta : deltas) {
    progress.report(curve.x.size(), deltas.size());
    const SphericalOptimum optimum =
        optimize_spherical({epsilon, delta}, dimension, plot.sensitivity);
    curve.x.push_back(delta);
    curve.y.push_back(100.0 * optimum.gain());
    result.rows.push_back(gain_row(dimension, delta, optimum));
  }
  result.chart.series.push_back(std::move(curve));
  result.chart.title = plot.place.title_or(fmt::format(
      "Gain over the better of Gaussian and l2, T = {}, epsilon {}", dimension, epsilon));
  result.chart.horizontal = {"delta", AxisScale::logarithmic, std::pair{smallest, largest}};
  result.chart.vertical = gain_axis;
  return result;
}

Picture drawn(const GainPlot& plot, Progress& progress) {
  progress.begin("optimizing");
  return plot.against_delta ? gain_by_delta(plot, progress) : gain_by_dimension(plot, progress);
}

// ---- composition: the noise of many answers, by exact accounting and by splitting the target

struct CompositionPlot : PlotJob {
  double dimension = 0.0, epsilon = 1.0, delta = 1e-5;
  std::vector<double> counts{2, 4, 8, 16, 32};
  double p = 1.0;
  std::optional<double> alpha = {};
  double sensitivity = 1.0;

  void fields(Fields& fields) {
    fields.add("dimension", dimension, dimension_help).required();
    add_target(fields, epsilon, delta);
    add_numbers(fields, "count", counts, "how many answers");
    fields.add("p", p, "tail of the noise, 1 by default: l2");
    fields.add("alpha", alpha, "density of the radius r^alpha near 0; by default dimension - 1");
    add_sensitivity(fields, sensitivity);
    place.fields(fields);
    certified_field(fields);
  }
};

double least_error(const CompositionPlot& plot, const PrivacyTarget& target, double count) {
  const double alpha = plot.alpha.value_or(plot.dimension - 1.0);
  const Calibration found = calibrate_spherical(target, plot.dimension, alpha, plot.p,
                                                plot.sensitivity, count, plot.accuracy());
  return SphericalNoise(plot.dimension, alpha, found.parameter, plot.p).mean_squared_error();
}

Picture drawn(const CompositionPlot& plot, Progress& progress) {
  const PrivacyTarget target(plot.epsilon, plot.delta);
  std::vector<double> counts = plot.counts;
  std::ranges::sort(counts);
  progress.begin("calibrating");
  Series exact{"exact composition", {}, {}, {}, {}, Drawing::line_with_dots};
  Series split{"splitting (epsilon/k, delta/k)", {}, {}, {}, {}, Drawing::line_with_dots};
  Picture result;
  for (const double count : counts) {
    progress.report(exact.x.size(), counts.size());
    require_count("count", count);
    exact.x.push_back(count);
    split.x.push_back(count);
    exact.y.push_back(least_error(plot, target, count));
    split.y.push_back(least_error(plot, {target.epsilon / count, target.delta / count}, 1.0));
    result.rows.push_back({{"count", count},
                           {"mean_squared_error", exact.y.back()},
                           {"split_mean_squared_error", split.y.back()},
                           {"ratio", split.y.back() / exact.y.back()}});
  }
  result.chart.series = {std::move(split), std::move(exact)};
  result.chart.title = plot.place.title_or(
      fmt::format("Error of each of k answers, epsilon {} and delta {} in total, T = {}",
                  plot.epsilon, plot.delta, plot.dimension));
  result.chart.horizontal = {"number of answers k", AxisScale::logarithmic, {}};
  if (counts.front() < counts.back())
    result.chart.horizontal.range = std::pair{0.9 * counts.front(), 1.1 * counts.back()};
  result.chart.vertical = {"mean squared error", AxisScale::logarithmic, {}};
  return result;
}

template <class Plot>
JobKind kind(const std::string& name, const std::string& what, const std::string& own) {
  return job_kind<Plot>("plot " + name, what,
                        fmt::format("  modicum plot {} {} --output {}.svg", name, own, name));
}

}  // namespace

std::vector<JobKind> noise_plots() {
  std::vector<JobKind> kinds{
      kind<RadialPlot>("radial", "density of the length of Gaussian, l2 and optimized noise",
                       "--dimension 3"),
      kind<GainPlot>("gain", "gain of the best spherical noise over the better of Gaussian and l2",
                     "--epsilon 0.1 --dimension 2 3 5 10"),
      kind<CompositionPlot>("composition",
                            "error of k answers: exact composition against splitting",
                            "--dimension 10 --count 2 4 8")};
  return joined({std::move(kinds), optimum_plots()});
}

}  // namespace modicum
