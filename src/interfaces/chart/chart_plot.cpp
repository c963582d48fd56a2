#include "interfaces/chart/chart_plot.h"

namespace modicum::chart_detail {
namespace {

// The runs of points that pass `shown`. Far points are drawn in to where printers can follow.
template <class Shown>
std::vector<Run> runs(const Plot& plot, const std::vector<double>& x, const std::vector<double>& y,
                      Shown shown) {
  std::vector<Run> result(1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (plot.horizontal.shows(x[i]) && shown(i))
      result.back().push_back({std::clamp(plot.across(plot.horizontal.position(x[i])), -1e5, 1e5),
                               std::clamp(plot.down(plot.vertical.position(y[i])), -1e5, 1e5)});
    else if (!result.back().empty()) result.emplace_back();
  }
  if (result.back().empty()) result.pop_back();
  return result;
}

// The values 1, 2, .. with room for a bar, and the text in place of their numbers.
Scale category_scale(const Axis& axis) {
  Scale scale{AxisScale::linear, 0.5, static_cast<double>(axis.categories.size()) + 0.5, {}};
  for (const auto& text : axis.categories) {
    const double position = static_cast<double>(scale.ticks.size()) + 1.0;
    if (!text.empty())
      scale.ticks.push_back({position, text.front(), "", {text.begin() + 1, text.end()}});
  }
  return scale;
}

// Beyond the first.
double lines_below(const Scale& scale) {
  std::size_t most = 0;
  for (const Tick& tick : scale.ticks) most = std::max(most, tick.below.size());
  return static_cast<double>(most);
}

}  // namespace

int horizontal_ticks(double width) { return std::max(1, static_cast<int>(width / 80)); }

Plot lay_out(const Chart& chart) {
  std::vector<double> x, y;
  for (const Series& series : chart.series) {
    x.insert(x.end(), series.x.begin(), series.x.end());
    for (const auto* values : {&series.y, &series.y_lower, &series.y_upper})
      y.insert(y.end(), values->begin(), values->end());
    if (series.drawing == Drawing::bars) y.push_back(0.0);  // bars tell by their length
  }
  Plot plot{chart.horizontal.categories.empty()
                ? make_scale(chart.horizontal, x, horizontal_ticks(chart.width))
                : category_scale(chart.horizontal),
            make_scale(chart.vertical, y, chart.height / 50),
            {}};
  double widest = 0.0;
  for (const auto& [position, text, exponent, below] : plot.vertical.ticks)
    widest = std::max(widest, text_width(text, tick_size) + text_width(exponent, exponent_size));
  plot.frame.left = widest + (chart.vertical.label.empty() ? 20.0 : 44.0);
  plot.frame.top = chart.title.empty() ? 20.0 : 46.0;
  plot.frame.right = chart.width - 28.0;
  plot.frame.bottom = chart.height - (chart.horizontal.label.empty() ? 34.0 : 58.0) -
                      tick_line * lines_below(plot.horizontal);
  return plot;
}

std::vector<Run> lines(const Plot& plot, const Series& series) {
  return runs(plot, series.x, series.y,
              [&](std::size_t i) { return plot.vertical.shows(series.y[i]); });
}

std::vector<Run> bars(const Plot& plot, const Series& series) {
  constexpr double half_width = 0.3;  // of the distance from bar to bar
  const double half = half_width * (plot.across(1.0) - plot.across(0.0));
  const double base = plot.down(std::max(plot.vertical.lower, 0.0));
  std::vector<Run> outlines;
  for (const Run& line : lines(plot, series))
    for (const auto& [x, y] : line)
      outlines.push_back({{x - half, base}, {x - half, y}, {x + half, y}, {x + half, base}});
  return outlines;
}

std::vector<Run> whiskers(const Plot& plot, const Series& series) {
  std::vector<Run> result;
  for (std::size_t i = 0; series.whiskers && i < series.y_lower.size(); ++i) {
    const double low = series.y_lower[i], high = series.y_upper[i];
    if (!plot.horizontal.shows(series.x[i]) || std::isnan(low) || std::isnan(high)) continue;
    const double x = plot.across(plot.horizontal.position(series.x[i]));
    const auto y = [&](double value) {
      const double shown = std::clamp(value, -largest_value, largest_value);
      return std::clamp(plot.down(plot.vertical.position(shown)), -1e5, 1e5);
    };
    result.push_back({{x, y(low)}, {x, y(high)}});
  }
  return result;
}

std::vector<Run> bands(const Plot& plot, const Series& series) {
  if (series.whiskers) return {};
  const auto shown = [&](std::size_t i) {
    return !std::isnan(series.y_lower[i]) && !std::isnan(series.y_upper[i]);
  };
  auto outlines = runs(plot, series.x, series.y_lower, shown);
  const auto tops = runs(plot, series.x, series.y_upper, shown);
  for (std::size_t i = 0; i < tops.size(); ++i)
    outlines[i].insert(outlines[i].end(), tops[i].rbegin(), tops[i].rend());
  return outlines;
}

std::vector<Run> reference_line(const Plot& plot) {
  Series line;
  for (int i = -60; i <= 60; ++i) {
    const double log_odds = 740.0 * std::pow(i / 60.0, 3);
    line.x.push_back(1.0 / (1.0 + std::exp(-log_odds)));
    line.y.push_back(1.0 / (1.0 + std::exp(log_odds)));
  }
  return lines(plot, line);
}

}  // namespace modicum::chart_detail
