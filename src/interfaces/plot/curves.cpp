// plot profile, plot tradeoff: curves of one or several descriptions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <set>

#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "modicum/privacy/tradeoff_curve.h"
#include "modicum/release/loss_source.h"

namespace modicum {
namespace {

// What both are asked.
struct CurvePlot : PlotJob {
  LossSources sources = {};
  std::vector<std::string> labels = {};
  double points = 200.0;

  void fields(Fields& fields) {
    sources.fields(fields);
    fields.add("label", labels, "name in the legend, once for each FILE").is_repeated = true;
    add_points(fields, points);
    place.fields(fields);
    certified_field(fields);
  }
};

struct ProfilePlot : CurvePlot {
  double epsilon_from = 0.0;
  std::optional<double> epsilon_to = {};

  void fields(Fields& fields) {
    CurvePlot::fields(fields);
    fields.add("epsilon_from", epsilon_from, "left end, 0 by default");
    fields.add("epsilon_to", epsilon_to, "right end, by default where the largest delta is 1e-10");
  }
};

struct TradeoffPlot : CurvePlot {};

// Where a curve leaves the picture, if nobody says otherwise.
constexpr double smallest_delta_shown = 1e-10;

struct NamedLoss {
  std::string name;
  PrivacyLoss loss;
};

// What tells a description from others that look the same.
std::string name_of_source(const LossSource& source, const std::string& label, std::size_t number) {
  return source.path.empty() ? fmt::format("{} ({})", label, number)
                             : std::filesystem::path(source.path).stem().string();
}

// Named as was said; else by what the descriptions say, or by files where that is not distinct.
std::vector<NamedLoss> load_all(const CurvePlot& plot) {
  const std::vector<LossSource>& sources = plot.sources.all;
  std::vector<NamedLoss> result;
  std::set<std::string> names;
  for (const LossSource& source : sources) {
    Description description =
        source.load(plot.certified ? Accuracy::certified : Accuracy::automatic);
    names.insert(description.label);
    result.push_back({std::move(description.label), std::move(description.loss)});
  }
  if (!plot.labels.empty() && plot.labels.size() != sources.size())
    throw InvalidParameter(
        "label", fmt::format("given {} times", plot.labels.size()),
        fmt::format("must be given once for each of the {} files, or not at all", sources.size()));
  const bool distinct = names.size() == result.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::string& name = result[i].name;
    if (!plot.labels.empty()) name = plot.labels[i];
    else if (!distinct) name = name_of_source(sources[i], name, i + 1);
  }
  return result;
}

// Up to where delta becomes small for the slowest of them.
double automatic_epsilon_to(const std::vector<NamedLoss>& losses) {
  double result = 0.0;
  for (const NamedLoss& each : losses)
    for (const double delta : {smallest_delta_shown, 1e-6, 1e-3, 0.1}) try {
        result = std::max(result, epsilon_at(each.loss, delta, Accuracy::fast).value.upper());
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

// The curve of each loss: `places_of` says where it is asked, `curve_of` what is drawn there.
template <class PlacesOf, class CurveOf>
std::vector<Series> curves(const std::vector<NamedLoss>& losses, Progress& progress,
                           const PlacesOf& places_of, const CurveOf& curve_of) {
  progress.begin("plotting");
  std::vector<Series> result;
  for (const NamedLoss& each : losses) {
    Series series{each.name, places_of(each.loss), {}, {}, {}};
    auto curve = curve_of(each.loss);
    for (const double place : series.x) {
      progress.report(result.size() * series.x.size() + series.y.size(),
                      losses.size() * series.x.size());
      series.y.push_back(curve(place));
    }
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

void settle_zeros(std::vector<Series>& curves) {
  for (Series& series : curves) {
    if (std::ranges::count(series.y, 0.0) == std::ssize(series.y))
      series.label += ": delta exactly zero";
    for (std::size_t i = series.y.size(); i-- > 1;)
      if (series.y[i] == 0.0 && series.y[i - 1] > 0.0) series.y[i] = far_below;
  }
}

Picture drawn(const ProfilePlot& plot, Progress& progress) {
  const std::size_t points = point_count(plot.points);
  const double from = plot.epsilon_from;
  if (plot.epsilon_to && !(*plot.epsilon_to > from))
    throw InvalidParameter("epsilon_to", *plot.epsilon_to,
                           fmt::format("must be above `epsilon_from`, {}", from));
  const std::vector<NamedLoss> losses = load_all(plot);
  const double to =
      plot.epsilon_to ? *plot.epsilon_to : std::max(automatic_epsilon_to(losses), from + 1e-3);
  const std::vector<double> places = even_steps(from, to, points);
  Chart chart;
  chart.title = plot.place.title_or("Privacy profile");
  chart.series = curves(
      losses, progress, [&](const PrivacyLoss& loss) { return with_largest_loss(places, loss); },
      [&](const PrivacyLoss& loss) {
        return [curve = ProfileCurve(loss, plot.accuracy())](double epsilon) mutable {
          return curve.at(epsilon).delta().upper();
        };
      });
  chart.horizontal = {"epsilon", AxisScale::linear, std::pair{from, to}};
  chart.vertical = {"delta", AxisScale::logarithmic,
                    delta_range(chart.series, plot.epsilon_to.has_value())};
  settle_zeros(chart.series);
  if (chart.series.size() > 4) chart.width = 960;  // room for a legend at the side
  return {chart};
}

Picture drawn(const TradeoffPlot& plot, Progress& progress) {
  const std::vector<double> places = steps_towards_ends(point_count(plot.points));
  Chart chart;
  chart.series = curves(
      load_all(plot), progress, [&](const PrivacyLoss&) { return places; },
      [&](const PrivacyLoss& loss) {
        return [curve = TradeoffCurve(loss, plot.accuracy())](double type1) mutable {
          return curve.lower(type1);
        };
      });
  chart.title = plot.place.title_or("Trade-off between errors");
  chart.horizontal = {"type I error", AxisScale::linear, std::pair{0.0, 1.0}};
  chart.vertical = {"type II error", AxisScale::linear, std::pair{0.0, 1.0}};
  chart.diagonal = true;
  chart.height = 640;
  return {chart};
}

}  // namespace

std::vector<JobKind> curve_plots() {
  const char* const example = "  modicum plot {0} first.json second.json --output {0}.svg";
  return {job_kind<ProfilePlot>("plot profile", "delta against epsilon, delta on a log scale",
                                fmt::format(fmt::runtime(example), "profile")),
          job_kind<TradeoffPlot>("plot tradeoff", "type II against type I error",
                                 fmt::format(fmt::runtime(example), "tradeoff"))};
}

}  // namespace modicum
