#include "modicum/interfaces/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "interfaces/chart/chart_dots.h"
#include "interfaces/chart/chart_legend.h"
#include "interfaces/chart/chart_style.h"

namespace modicum {
namespace {

using namespace chart_detail;

std::string path_data(const Run& run) {
  std::string data;
  for (const auto& [x, y] : run)
    data += fmt::format("{}{:.2f},{:.2f}", data.empty() ? 'M' : 'L', x, y);
  return data;
}

// With dots at its points where these are few and meant to be seen, or where one stands alone.
std::string draw_line(const Chart& chart, const Plot& plot, std::size_t index) {
  std::string out;
  for (const Run& line : lines(plot, chart.series[index])) {
    if (line.size() > 1)
      out += fmt::format("<path class='curve' d='{}' {}/>\n", path_data(line),
                         line_style(chart, index));
    const bool dots = chart.series[index].drawing == Drawing::line_with_dots;
    if (line.size() > 1 && !dots) continue;
    for (const auto& [x, y] : line)
      out += fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='{}' fill='{}'/>\n", x, y,
                         dots ? 4.0 : 2.5, color_of(chart, index));
  }
  return out;
}

std::string draw_bars(const Chart& chart, const Plot& plot, std::size_t index) {
  std::string out;
  for (const Run& bar : bars(plot, chart.series[index]))
    out += fmt::format("<path class='bar' d='{}Z' fill='{}'/>\n", path_data(bar),
                       color_of(chart, index));
  return out;
}

// Few, and each to be seen.
std::string draw_single_dots(const Chart& chart, const Plot& plot, std::size_t index) {
  std::string out;
  for (const Point& place : dots(plot, chart.series[index], false))
    out += draw_legend_dot(place, index, color_of(chart, index));
  return out;
}

std::string draw_series(const Chart& chart, const Plot& plot, std::size_t index) {
  switch (chart.series[index].drawing) {
    case Drawing::bars:
      return draw_bars(chart, plot, index);
    case Drawing::dots:
      if (chart.series[index].whiskers) return draw_single_dots(chart, plot, index);
      return draw_dots(dots(plot, chart.series[index], has_many_dots(chart)), index,
                       color_of(chart, index));
    default:
      return draw_line(chart, plot, index);
  }
}

// With a bar at both ends.
std::string draw_whiskers(const Plot& plot, const Series& series) {
  constexpr double half = 5.0;
  std::string out;
  for (const Run& whisker : whiskers(plot, series)) {
    const auto [x, from] = whisker.front();
    out += fmt::format(
        "<path class='whisker' "
        "d='M{0:.2f},{2:.2f}h{4}M{1:.2f},{2:.2f}V{3:.2f}M{0:.2f},{3:.2f}h{4}' "
        "fill='none' stroke='#222222' stroke-width='1.5'/>\n",
        x - half, x, from, whisker.back().y, 2 * half);
  }
  return out;
}

std::string draw_curves(const Chart& chart, const Plot& plot) {
  std::string out;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    for (const Run& band : bands(plot, chart.series[i]))
      out += fmt::format("<path class='band' d='{0}Z' fill='{1}' stroke='{1}' opacity='0.2'/>\n",
                         path_data(band), color_of(chart, i));
  if (chart.diagonal)
    for (const Run& line : reference_line(plot))
      out += fmt::format("<path d='{}' fill='none' stroke='#888888' stroke-dasharray='4 4'/>\n",
                         path_data(line));
  for (const bool muted : {true, false})
    for (std::size_t i = 0; i < chart.series.size(); ++i)
      if (chart.series[i].muted == muted) out += draw_series(chart, plot, i);
  for (const Series& series : chart.series) out += draw_whiskers(plot, series);
  return out;
}

std::string tick_label(const Tick& tick, double x, double y, std::string_view anchor) {
  return fmt::format(
      "<text class='tick' x='{:.2f}' y='{:.2f}' text-anchor='{}' font-size='{}'>{}"
      "<tspan dy='-5' font-size='{}'>{}</tspan></text>\n",
      x, y, anchor, tick_size, escaped(tick.text), exponent_size, tick.exponent);
}

std::string lines_below(const Tick& tick, double x, double y) {
  std::string out;
  for (const std::string& line : tick.below) {
    y += tick_line;
    out += fmt::format(
        "<text class='tick' x='{:.2f}' y='{:.2f}' text-anchor='middle' font-size='{}'>{}</text>\n",
        x, y, tick_size, escaped(line));
  }
  return out;
}

std::string draw_axes(const Plot& plot) {
  const auto [left, top, right, bottom] = plot.frame;
  std::string grid, marks, labels;
  for (const Tick& tick : plot.horizontal.ticks) {
    const double x = plot.across(tick.position);
    marks += fmt::format("M{:.2f},{:.2f}v{}", x, bottom, tick.text.empty() ? 3 : 6);
    if (tick.text.empty()) continue;
    grid += fmt::format("M{:.2f},{:.2f}V{:.2f}", x, top, bottom);
    labels += tick_label(tick, x, bottom + 20, "middle") + lines_below(tick, x, bottom + 20);
  }
  for (const Tick& tick : plot.vertical.ticks) {
    const double y = plot.down(tick.position);
    marks += fmt::format("M{:.2f},{:.2f}h-{}", left, y, tick.text.empty() ? 3 : 6);
    if (tick.text.empty()) continue;
    grid += fmt::format("M{:.2f},{:.2f}H{:.2f}", left, y, right);
    labels += tick_label(tick, left - 10, y + 4, "end");
  }
  marks += fmt::format("M{:.2f},{:.2f}V{:.2f}H{:.2f}", left, top, bottom, right);
  return fmt::format(
      "<path d='{}' stroke='#e6e6e6'/>\n<path d='{}' fill='none' stroke='#333333'/>\n{}", grid,
      marks, labels);
}

std::string draw_titles(const Chart& chart, const Plot& plot) {
  const auto [left, top, right, bottom] = plot.frame;
  const double middle = 0.5 * (left + right), center = 0.5 * (top + bottom);
  const double breadth = 2.0 * std::min(middle, chart.width - middle);
  const double length = 2.0 * std::min(center - 40.0, chart.height - center);
  const auto centered = [](double x, double y, std::string_view more) {
    return fmt::format("x='{:.2f}' y='{:.2f}' text-anchor='middle' {}", x, y, more);
  };
  return fitted_text(chart.title, title_size, 0.9 * chart.width,
                     centered(0.5 * chart.width, 28, "font-weight='bold'")) +
         fitted_text(chart.horizontal.label, label_size, breadth,
                     centered(middle, chart.height - 14.0, "")) +
         fitted_text(
             chart.vertical.label, label_size, length,
             centered(20, center, fmt::format("transform='rotate(-90 20 {:.2f})'", center)));
}

void require_consistent(const Chart& chart) {
  if (chart.width < 400 || chart.height < 300)
    throw std::invalid_argument(
        fmt::format("a chart of {} by {} is smaller than 400 by 300", chart.width, chart.height));
  for (const auto& [label, x, y, lower, upper, drawing, muted, whiskers] : chart.series)
    if (x.size() != y.size() || lower.size() != upper.size() ||
        (!lower.empty() && lower.size() != x.size()))
      throw std::invalid_argument(
          fmt::format("series \"{}\" has {} x, {} y, {} y_lower and {} y_upper, which must agree",
                      label, x.size(), y.size(), lower.size(), upper.size()));
}

bool has(const Chart& chart, Drawing drawing) {
  return std::ranges::any_of(chart.series,
                             [drawing](const Series& series) { return series.drawing == drawing; });
}

// What a reader who cannot see the picture is told.
std::string describe(const Chart& chart) {
  std::string out = has(chart, Drawing::bars)   ? "Bar chart."
                    : has(chart, Drawing::dots) ? "Scatter plot."
                                                : "Line chart.";
  const auto add = [&out](std::string_view role, std::string_view text) {
    if (!text.empty()) out += fmt::format(" {}: {}.", role, escaped(text));
  };
  add("Horizontal axis", chart.horizontal.label);
  add("Vertical axis", chart.vertical.label);
  for (const Series& series : chart.series)
    add(series.drawing == Drawing::dots ? "Dots" : "Curve", series.label);
  return out;
}

}  // namespace

std::string render_svg(const Chart& chart) {
  require_consistent(chart);
  Plot plot = lay_out(chart);
  const Box legend = place_legend(chart, plot);
  const std::string curves = draw_curves(chart, plot);
  // A page may hold several charts, so the name of the clipping path depends on what it clips.
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char byte : curves) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
  const auto [left, top, right, bottom] = plot.frame;
  const double beyond =
      has(chart, Drawing::dots) ? dot_reach : 1;  // a dot on the border is seen whole
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "role='img' font-family='sans-serif' fill='#222222'>\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n",
      chart.width, chart.height, escaped(chart.title), describe(chart));
  out += fmt::format(
      "<rect width='100%' height='100%' fill='#ffffff'/>\n<clipPath id='frame-{:08x}'>"
      "<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}'/></clipPath>\n",
      hash, left - beyond, top - beyond, right - left + 2 * beyond, bottom - top + 2 * beyond);
  out += draw_axes(plot);
  out += fmt::format("<g clip-path='url(#frame-{:08x})' stroke-linejoin='round'>\n{}</g>\n", hash,
                     curves);
  return out + draw_legend(chart, legend) + draw_titles(chart, plot) + "</svg>\n";
}

}  // namespace modicum
