#include "interfaces/chart/chart_legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "interfaces/chart/chart_dots.h"
#include "interfaces/chart/chart_style.h"

namespace modicum::chart_detail {
namespace {

constexpr double legend_row = 20, legend_sample = 44, legend_padding = 8, legend_inset = 10;

// Whether some segment meets the box: neither lies wholly to one side of the other.
bool touches(const Run& run, const Box& box) {
  const auto [left, top, right, bottom] = box;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Point a = run[i], b = run[i > 0 ? i - 1 : 0];
    if (std::max(a.x, b.x) < left || std::min(a.x, b.x) > right || std::max(a.y, b.y) < top ||
        std::min(a.y, b.y) > bottom)
      continue;
    const auto side = [&](double x, double y) {
      return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
    };
    const auto [least, greatest] =
        std::minmax({side(left, top), side(right, top), side(left, bottom), side(right, bottom)});
    if (least <= 0.0 && greatest >= 0.0) return true;
  }
  return false;
}

// Around a dot.
Run outline(const Point& dot) {
  const auto [x, y] = dot;
  return {{x - dot_reach, y}, {x, y - dot_reach}, {x + dot_reach, y}, {x, y + dot_reach}};
}

// What the legend must not cover: curves, and the dots one by one.
std::vector<Run> obstacles_in(const Chart& chart, const Plot& plot) {
  std::vector<Run> obstacles;
  if (chart.diagonal) obstacles = reference_line(plot);
  for (const Series& series : chart.series) {
    if (series.drawing == Drawing::dots)
      for (const Point& dot : dots(plot, series, true)) obstacles.push_back(outline(dot));
    else
      std::ranges::move(series.drawing == Drawing::bars ? bars(plot, series) : lines(plot, series),
                        std::back_inserter(obstacles));
    std::ranges::move(bands(plot, series), std::back_inserter(obstacles));
    std::ranges::move(whiskers(plot, series), std::back_inserter(obstacles));
  }
  return obstacles;
}

// Left of a label, `start` being its left end.
std::string legend_mark(const Chart& chart, std::size_t index, double start, double y) {
  if (chart.series[index].drawing == Drawing::dots)
    return draw_legend_dot({start + 0.5 * (legend_sample - 8), y}, index, color_of(chart, index));
  return fmt::format("<path d='M{:.2f},{:.2f}h{}' {}/>\n", start, y, legend_sample - 8,
                     line_style(chart, index));
}

}  // namespace

Box place_legend(const Chart& chart, Plot& plot) {
  double widest = 0.0, rows = 0.0;
  for (const Series& series : chart.series) {
    if (series.label.empty()) continue;
    widest = std::max(widest, text_width(series.label, tick_size));
    ++rows;
  }
  if (rows == 0.0) return {};
  const std::vector<Run> obstacles = obstacles_in(chart, plot);
  auto& [left, top, right, bottom] = plot.frame;
  const double width = std::min(widest, 0.4 * chart.width) + legend_sample + 2 * legend_padding;
  const double height = std::min(rows * legend_row + legend_padding, bottom - top);
  for (const double x : {right - legend_inset - width, left + legend_inset})
    for (const double y : {top + legend_inset, bottom - legend_inset - height}) {
      const Box box{x, y, x + width, y + height};
      const auto covered = [&](const Run& run) { return touches(run, box); };
      if (x > left && std::ranges::none_of(obstacles, covered)) return box;
    }
  const double margin = std::min(width, 0.6 * (right - left));
  right -= margin + legend_inset;
  if (chart.horizontal.categories.empty())
    plot.horizontal.ticks = make_ticks(plot.horizontal, horizontal_ticks(right - left));
  return {right + 2 * legend_inset, top, right + 2 * legend_inset + margin, top + height};
}

std::string draw_legend(const Chart& chart, const Box& box) {
  const auto labeled = [](const Series& series) { return !series.label.empty(); };
  const auto rows = std::ranges::count_if(chart.series, labeled);
  if (rows == 0) return "";
  const double pitch = (box.bottom - box.top - legend_padding) / static_cast<double>(rows);
  const double size = std::min(tick_size, 0.8 * pitch), start = box.left + legend_padding;
  const double room = box.right - box.left - legend_sample - 2 * legend_padding;
  std::string out = fmt::format(
      "<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}' rx='3' fill='#ffffff' "
      "stroke='#d0d0d0'/>\n",
      box.left, box.top, box.right - box.left, box.bottom - box.top);
  double y = box.top + 0.5 * (legend_padding + pitch);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (!labeled(chart.series[i])) continue;
    out += legend_mark(chart, i, start, y);
    out += fitted_text(chart.series[i].label, size, room,
                       fmt::format("x='{:.2f}' y='{:.2f}'", start + legend_sample, y + size / 3));
    y += pitch;
  }
  return out;
}

}  // namespace modicum::chart_detail
