// plot profile, plot tradeoff: curves of one or several descriptions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <set>

#include "interfaces/plot.h"

namespace modicum {
namespace {

struct CurveRequest : PictureRequest {
  std::vector<std::string> files, labels;
  std::string points = "200";
  std::optional<std::string> epsilon_from, epsilon_to;
};

// Where a curve leaves the picture, if nobody says otherwise.
constexpr double smallest_delta_shown = 1e-10;

std::vector<Description> load_all(const CurveRequest& request) {
  std::vector<Description> result;
  for (const std::string& file : request.files)
    result.push_back(load_description(file, request.flags));
  return result;
}

// As given; else what the descriptions say, or the names of the files where that is not distinct.
std::vector<std::string> labels(const CurveRequest& request,
                                const std::vector<Description>& descriptions) {
  if (!request.labels.empty() && request.labels.size() != request.files.size())
    throw InvalidParameter("--label", fmt::format("given {} times", request.labels.size()),
                           fmt::format("must be given once for each of the {} files, or not at all",
                                       request.files.size()));
  if (!request.labels.empty()) return request.labels;
  std::vector<std::string> result;
  result.reserve(descriptions.size());
  for (const Description& description : descriptions) result.push_back(description.label);
  if (std::set(result.begin(), result.end()).size() == result.size()) return result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = std::filesystem::path(request.files[i]).stem().string();
  return result;
}

// Up to where delta becomes small for the slowest of them.
double automatic_epsilon_to(const std::vector<Description>& descriptions) {
  double result = 0.0;
  for (const Description& description : descriptions)
    for (const double delta : {smallest_delta_shown, 1e-6, 1e-3, 0.1}) try {
        result =
            std::max(result, epsilon_at(description.loss, delta, Accuracy::fast).value.upper());
        break;
      } catch (const TargetUnreachable&) {  // never so small: try a larger one
      }
  return result > 0.0 ? 1.05 * result : 1.0;
}

// From 0 to 1, close together at both ends, where trade-off curves are steep or flat.
std::vector<double> steps_towards_ends(std::size_t count) {
  std::vector<double> result;
  for (const double step : even_steps(0.0, 1.0, count)) {
    const double sine = std::sin(0.5 * std::numbers::pi * step);
    result.push_back(step == 1.0 ? 1.0 : sine * sine);
  }
  return result;
}

// A bounded loss: delta is 0 from its largest value on. More points towards it show how it drops.
std::vector<double> with_largest_loss(std::vector<double> places, const PrivacyLoss& loss) {
  try {
    const double largest = epsilon_at(loss, 0.0, Accuracy::fast).value.upper();
    const double span = largest - places.front();
    if (!(span > 0.0 && largest <= places.back())) return places;
    for (int halvings = 3; halvings < 40; ++halvings)
      places.push_back(largest - std::ldexp(span, -halvings));
    places.push_back(largest);
    std::ranges::sort(places);
  } catch (const TargetUnreachable&) {  // not bounded
  }
  return places;
}

std::vector<Series> profile_curves(const CurveRequest& request,
                                   const std::vector<Description>& descriptions,
                                   const std::vector<double>& places) {
  const std::vector<std::string> names = labels(request, descriptions);
  ProgressLine progress("plotting");
  std::vector<Series> result;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    Series series{names[i], with_largest_loss(places, descriptions[i].loss), {}, {}, {}};
    for (const double epsilon : series.x) {
      progress.report(i * places.size() + series.y.size(), descriptions.size() * places.size());
      series.y.push_back(
          profile(descriptions[i].loss, epsilon, request.accuracy()).delta().upper());
    }
    if (std::ranges::count(series.y, 0.0) == std::ssize(series.y))
      series.label += ": delta exactly zero";  // no place on a logarithmic axis
    result.push_back(std::move(series));
  }
  return result;
}

// Down to 1e-10, or less far where all curves stay above. Where the user chose the right end and
// all curves are below that there, down to the largest of them.
std::pair<double, double> delta_range(const std::vector<Series>& curves, bool end_chosen) {
  double largest = 0.0, smallest = 1.0, largest_at_end = 0.0;
  for (const Series& series : curves) {
    largest_at_end = std::max(largest_at_end, series.y.back());
    for (const double delta : series.y) {
      largest = std::max(largest, delta);
      smallest = std::min(smallest, delta);
    }
  }
  const bool all_go_further =
      end_chosen && largest_at_end > 0.0 && largest_at_end < smallest_delta_shown;
  const double top = largest > 0.01 || !(largest > 0.0) ? 1.0 : 2.0 * largest;
  const double floor = all_go_further ? largest_at_end : std::max(smallest, smallest_delta_shown);
  return {std::min(floor, 0.1 * top), top};
}

// A logarithmic axis has no place for the first zero after a curve: far below the picture.
void drop_at_zero(std::vector<Series>& curves) {
  for (Series& series : curves)
    for (std::size_t i = series.y.size(); i-- > 1;)
      if (series.y[i] == 0.0 && series.y[i - 1] > 0.0) series.y[i] = 1e-300;
}

Chart profile_chart(const CurveRequest& request) {
  const std::size_t points = point_count(request.points);
  const double from =
      request.epsilon_from ? parse_number("--epsilon-from", *request.epsilon_from) : 0.0;
  const std::optional<double> end =
      request.epsilon_to ? std::optional(parse_number("--epsilon-to", *request.epsilon_to))
                         : std::nullopt;
  if (end && !(*end > from))
    throw InvalidParameter("--epsilon-to", *end,
                           fmt::format("must be above --epsilon-from, {}", from));
  const std::vector<Description> descriptions = load_all(request);
  const double to = end ? *end : std::max(automatic_epsilon_to(descriptions), from + 1e-3);
  Chart chart;
  chart.title = request.title.empty() ? "Privacy profile" : request.title;
  chart.series = profile_curves(request, descriptions, even_steps(from, to, points));
  chart.horizontal = {"epsilon", AxisScale::linear, std::pair{from, to}};
  chart.vertical = {"delta", AxisScale::logarithmic, delta_range(chart.series, end.has_value())};
  drop_at_zero(chart.series);
  if (chart.series.size() > 4) chart.width = 960;  // room for a legend at the side
  return chart;
}

Chart tradeoff_chart(const CurveRequest& request) {
  const std::vector<double> places = steps_towards_ends(point_count(request.points));
  const std::vector<Description> descriptions = load_all(request);
  const std::vector<std::string> names = labels(request, descriptions);
  ProgressLine progress("plotting");
  Chart chart;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    Series series{names[i], places, {}, {}, {}};
    for (const double type1 : places) {
      progress.report(i * places.size() + series.y.size(), descriptions.size() * places.size());
      series.y.push_back(tradeoff(descriptions[i].loss, type1, request.accuracy()).value.lower());
    }
    chart.series.push_back(std::move(series));
  }
  chart.title = request.title.empty() ? "Trade-off between errors" : request.title;
  chart.horizontal = {"type I error", AxisScale::linear, std::pair{0.0, 1.0}};
  chart.vertical = {"type II error", AxisScale::linear, std::pair{0.0, 1.0}};
  chart.diagonal = true;
  chart.height = 640;
  return chart;
}

CLI::App* add_curves(CLI::App& parent, CommandResult& output, const std::string& name,
                     const std::string& what, Chart (*make)(const CurveRequest&),
                     const std::shared_ptr<CurveRequest>& request) {
  CLI::App* command = add_command(
      parent, name, what,
      fmt::format("  modicum plot {} first.json second.json --output {}.svg", name, name));
  command
      ->add_option("FILE", request->files, "mechanism descriptions in JSON, - for standard input")
      ->type_name("")
      ->required();
  command->add_option("--label", request->labels, "name in the legend, once for each FILE")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  add_points_option(*command, request->points);
  add_picture_options(*command, *request);
  command->callback([&output, make, request] {
    output = picture(*request, [&] { return Picture{make(*request), {}}; });
  });
  return command;
}

}  // namespace

void add_curve_plots(CLI::App& plot, CommandResult& output) {
  const auto request = std::make_shared<CurveRequest>();
  CLI::App* profile =
      add_curves(plot, output, "profile", "delta against epsilon, delta on a log scale",
                 profile_chart, request);
  profile->add_option("--epsilon-from", request->epsilon_from, "left end, 0 by default")
      ->type_name("NUMBER");
  profile
      ->add_option("--epsilon-to", request->epsilon_to,
                   "right end, by default where the largest delta is 1e-10")
      ->type_name("NUMBER");
  add_curves(plot, output, "tradeoff", "type II against type I error", tradeoff_chart,
             std::make_shared<CurveRequest>());
}

}  // namespace modicum
