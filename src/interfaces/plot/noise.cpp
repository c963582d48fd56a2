// plot radial, gain, composition: kinds of spherical noise compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "interfaces/plot.h"
#include "modicum/mechanisms/spherical_optimum.h"

namespace modicum {
namespace {

struct NoiseRequest : PictureRequest {
  NumberOptions numbers;
  std::string points;
  std::vector<std::string> dimensions, counts;
  bool against_delta = false;
  bool alpha_given = false;

  double sensitivity() const { return numbers.at("--sensitivity"); }
};

// ---- radial: how far from the truth an answer is

struct NamedNoise {
  std::string name;
  SphericalNoise noise;
};

std::vector<NamedNoise> calibrated_kinds(const NoiseRequest& request) {
  const PrivacyTarget target(request.numbers.at("--epsilon"), request.numbers.at("--delta"));
  const double dimension = require_count("dimension", request.numbers.at("--dimension"));
  const double sensitivity = request.sensitivity();
  const ProgressLine progress("calibrating");
  const double deviation =
      calibrate_gaussian(target, sensitivity, 1.0, request.accuracy()).parameter;
  const double scale =
      calibrate_l2(target, dimension, sensitivity, 1.0, request.accuracy()).parameter;
  return {{"Gaussian", SphericalNoise::gaussian(dimension, deviation)},
          {"l2", SphericalNoise::l2(dimension, scale)},
          {"optimized", optimize_spherical(target, dimension, sensitivity).noise}};
}

Value noise_row(const NamedNoise& kind) {
  return {{"name", kind.name},
          {"alpha", kind.noise.alpha},
          {"beta", kind.noise.beta},
          {"p", kind.noise.p},
          {"mean_squared_error", kind.noise.mean_squared_error()}};
}

Picture radial_picture(const NoiseRequest& request) {
  const std::vector<NamedNoise> kinds = calibrated_kinds(request);
  double largest_error = 0.0;
  for (const NamedNoise& kind : kinds)
    largest_error = std::max(largest_error, kind.noise.mean_squared_error());
  const std::size_t points = point_count(request.points);
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
      request.title_or(fmt::format("Length of the noise in dimension {}, epsilon {}, delta {}",
                                   request.numbers.at("--dimension"),
                                   request.numbers.at("--epsilon"), request.numbers.at("--delta")));
  result.chart.horizontal = {"distance from the true answer", AxisScale::linear, {}};
  result.chart.vertical = {"density", AxisScale::linear, {}};
  return result;
}

// ---- gain: what the best shape saves over the better of Gaussian and l2 noise

Value gain_row(double dimension, double delta, const SphericalOptimum& optimum) {
  return {{"dimension", dimension},
          {"delta", delta},
          {"alpha", optimum.noise.alpha},
          {"beta", optimum.noise.beta},
          {"p", optimum.noise.p},
          {"gain_percent", 100.0 * optimum.gain()},
          {"mean_squared_error", optimum.mean_squared_error},
          {"gaussian_mean_squared_error", optimum.gaussian_mean_squared_error},
          {"l2_mean_squared_error", optimum.l2_mean_squared_error}};
}

const Axis gain_axis{"gain in per cent", AxisScale::linear, {}};

// One bar a dimension, at the delta where Gaussian and l2 have the same error.
Picture gain_by_dimension(const NoiseRequest& request) {
  const double epsilon = request.numbers.at("--epsilon");
  const auto dimensions = parse_numbers("--dimension", request.dimensions);
  ProgressLine progress("optimizing");
  Picture result;
  Series bars;
  bars.drawing = Drawing::bars;
  for (const double dimension : dimensions) {
    progress.report(bars.x.size(), dimensions.size());
    const SphericalAdvantage best =
        largest_spherical_advantage(epsilon, dimension, request.sensitivity());
    const double percent = 100.0 * best.optimum.gain();
    bars.x.push_back(static_cast<double>(bars.x.size()) + 1.0);
    bars.y.push_back(percent);
    result.chart.horizontal.categories.push_back(
        {fmt::format("T = {}", dimension), fmt::format("{:.2f} %", percent),
         fmt::format("delta {:.2g}", best.delta), fmt::format("p {:.3f}", best.optimum.noise.p)});
    result.rows.push_back(gain_row(dimension, best.delta, best.optimum));
  }
  result.chart.series.push_back(std::move(bars));
  result.chart.title = request.title_or(
      fmt::format("Gain over Gaussian and l2 where these break even, epsilon {}", epsilon));
  result.chart.horizontal.label = "dimension T, gain, delta of the break-even, best p";
  result.chart.vertical = gain_axis;
  result.chart.width = std::max(720, 110 * static_cast<int>(dimensions.size()) + 80);
  return result;
}

Picture gain_by_delta(const NoiseRequest& request) {
  constexpr double smallest = 1e-12, largest = 0.1;
  const auto dimensions = parse_numbers("--dimension", request.dimensions);
  if (dimensions.size() != 1)
    throw InvalidParameter("--dimension", fmt::format("given {} values", dimensions.size()),
                           "must be one number with --against-delta");
  const double epsilon = request.numbers.at("--epsilon"), dimension = dimensions.front();
  std::vector<double> deltas;
  for (const double log_delta :
       even_steps(std::log10(smallest), std::log10(largest), point_count(request.points)))
    deltas.push_back(std::pow(10.0, log_delta));
  ProgressLine progress("optimizing");
  // The curve has a kink where the better of the two changes.
  deltas.push_back(largest_spherical_advantage(epsilon, dimension, request.sensitivity()).delta);
  std::ranges::sort(deltas);
  Picture result;
  Series curve;
  for (const double delta : deltas) {
    progress.report(curve.x.size(), deltas.size());
    const SphericalOptimum optimum =
        optimize_spherical({epsilon, delta}, dimension, request.sensitivity());
    curve.x.push_back(delta);
    curve.y.push_back(100.0 * optimum.gain());
    result.rows.push_back(gain_row(dimension, delta, optimum));
  }
  result.chart.series.push_back(std::move(curve));
  result.chart.title = request.title_or(fmt::format(
      "Gain over the better of Gaussian and l2, T = {}, epsilon {}", dimension, epsilon));
  result.chart.horizontal = {"delta", AxisScale::logarithmic, std::pair{smallest, largest}};
  result.chart.vertical = gain_axis;
  return result;
}

Picture gain_picture(const NoiseRequest& request) {
  return request.against_delta ? gain_by_delta(request) : gain_by_dimension(request);
}

// ---- composition: the noise of many answers, by exact accounting and by splitting the target

double least_error(const NoiseRequest& request, const PrivacyTarget& target, double count) {
  const double dimension = request.numbers.at("--dimension"), p = request.numbers.at("--p");
  const double alpha = request.alpha_given ? request.numbers.at("--alpha") : dimension - 1.0;
  const Calibration found = calibrate_spherical(target, dimension, alpha, p, request.sensitivity(),
                                                count, request.accuracy());
  return SphericalNoise(dimension, alpha, found.parameter, p).mean_squared_error();
}

Picture composition_picture(const NoiseRequest& request) {
  const PrivacyTarget target(request.numbers.at("--epsilon"), request.numbers.at("--delta"));
  auto counts = parse_numbers("--count", request.counts);
  std::ranges::sort(counts);
  ProgressLine progress("calibrating");
  Series exact{"exact composition", {}, {}, {}, {}, Drawing::line_with_dots};
  Series split{"splitting (epsilon/k, delta/k)", {}, {}, {}, {}, Drawing::line_with_dots};
  Picture result;
  for (const double count : counts) {
    progress.report(exact.x.size(), counts.size());
    require_count("--count", count);
    exact.x.push_back(count);
    split.x.push_back(count);
    exact.y.push_back(least_error(request, target, count));
    split.y.push_back(least_error(request, {target.epsilon / count, target.delta / count}, 1.0));
    result.rows.push_back({{"count", count},
                           {"mean_squared_error", exact.y.back()},
                           {"split_mean_squared_error", split.y.back()},
                           {"ratio", split.y.back() / exact.y.back()}});
  }
  result.chart.series = {std::move(split), std::move(exact)};
  result.chart.title = request.title_or(
      fmt::format("Error of each of k answers, epsilon {} and delta {} in total, T = {}",
                  target.epsilon, target.delta, request.numbers.at("--dimension")));
  result.chart.horizontal = {"number of answers k", AxisScale::logarithmic, {}};
  if (counts.front() < counts.back())
    result.chart.horizontal.range = std::pair{0.9 * counts.front(), 1.1 * counts.back()};
  result.chart.vertical = {"mean squared error", AxisScale::logarithmic, {}};
  return result;
}

// ---- the commands

CLI::App* add_noise_plot(CLI::App& plot, CommandResult& output, const std::string& name,
                         const std::string& what, const std::string& example,
                         Picture (*make)(const NoiseRequest&),
                         const std::shared_ptr<NoiseRequest>& request) {
  CLI::App* command = add_command(
      plot, name, what, fmt::format("  modicum plot {}{} --output {}.svg", name, example, name));
  command->callback(
      [&output, make, request] { output = picture(*request, [&] { return make(*request); }); });
  return command;
}

void add_sensitivity_and_picture(CLI::App& command, NoiseRequest& request) {
  request.numbers.add(command, "--sensitivity",
                      "largest Euclidean distance of the answers on neighboring data sets, 1 by "
                      "default",
                      "1");
  add_picture_options(command, request);
}

void add_target(CLI::App& command, NoiseRequest& request) {
  request.numbers.add(command, "--epsilon", "privacy loss bound, 1 by default", "1");
  request.numbers.add(command, "--delta", "above 0 and below 1, 1e-5 by default", "1e-5");
}

void add_radial(CLI::App& plot, CommandResult& output) {
  const auto request = std::make_shared<NoiseRequest>();
  CLI::App* command = add_noise_plot(plot, output, "radial",
                                     "density of the length of Gaussian, l2 and optimized noise",
                                     " --dimension 3", radial_picture, request);
  request->numbers.add(*command, "--dimension", "how many numbers an answer has");
  add_target(*command, *request);
  request->points = "300";
  add_points_option(*command, request->points);
  add_sensitivity_and_picture(*command, *request);
}

void add_gain(CLI::App& plot, CommandResult& output) {
  const auto request = std::make_shared<NoiseRequest>();
  CLI::App* command = add_noise_plot(
      plot, output, "gain", "gain of the best spherical noise over the better of Gaussian and l2",
      " --epsilon 0.1 --dimension 2 3 5 10", gain_picture, request);
  request->numbers.add(*command, "--epsilon", "privacy loss bound, 0.1 by default", "0.1");
  request->dimensions = {"1", "2", "3", "5", "10", "20", "50", "100"};
  add_numbers_option(*command, "--dimension", request->dimensions,
                     "how many numbers an answer has");
  command->add_flag("--against-delta", request->against_delta,
                    "for one dimension: a curve from delta 1e-12 to 0.1");
  request->points = "25";
  add_points_option(*command, request->points);
  add_sensitivity_and_picture(*command, *request);
}

void add_composition(CLI::App& plot, CommandResult& output) {
  const auto request = std::make_shared<NoiseRequest>();
  CLI::App* command = add_noise_plot(plot, output, "composition",
                                     "error of k answers: exact composition against splitting",
                                     " --dimension 10 --count 2 4 8", composition_picture, request);
  request->numbers.add(*command, "--dimension", "how many numbers an answer has");
  add_target(*command, *request);
  request->counts = {"2", "4", "8", "16", "32"};
  add_numbers_option(*command, "--count", request->counts, "how many answers");
  request->numbers.add(*command, "--p", "tail of the noise, 1 by default: l2", "1");
  request->numbers
      .add(*command, "--alpha", "density of the radius r^alpha near 0; by default dimension - 1")
      ->required(false)
      ->each([request](const std::string&) { request->alpha_given = true; });
  add_sensitivity_and_picture(*command, *request);
}

}  // namespace

void add_noise_plots(CLI::App& plot, CommandResult& output) {
  add_radial(plot, output);
  add_gain(plot, output);
  add_composition(plot, output);
}

}  // namespace modicum
