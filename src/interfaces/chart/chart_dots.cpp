#include "interfaces/chart/chart_dots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace modicum::chart_detail {
namespace {

constexpr std::size_t many_dots = 20000;
constexpr std::size_t shapes = 4;  // with seven colors: 28 looks
constexpr double radius = 2.5, legend_radius = 5.0;

// Circle, square, triangle and diamond of about one area.
std::string shape(std::size_t index, const Point& place, double size) {
  const auto [x, y] = place;
  const double half = 0.88 * size, diagonal = 1.24 * size;
  switch (index % shapes) {
    case 0:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}'/>\n", x, y, size);
    case 1:
      return fmt::format("<path d='M{0:.1f},{1:.1f}h{2:.1f}v{2:.1f}h-{2:.1f}z'/>\n", x - half,
                         y - half, 2.0 * half);
    case 2:
      return fmt::format("<path d='M{:.1f},{:.1f}l{:.1f},{:.1f}h-{:.1f}z'/>\n", x, y - 1.4 * size,
                         1.3 * size, 2.3 * size, 2.6 * size);
    default:
      return fmt::format(
          "<path d='M{0:.1f},{1:.1f}l{2:.1f},{2:.1f}-{2:.1f},{2:.1f}-{2:.1f}-{2:.1f}z'/>\n", x,
          y - diagonal, diagonal);
  }
}

bool precedes(const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }
bool same_place(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

}  // namespace

bool has_many_dots(const Chart& chart) {
  std::size_t count = 0;
  for (const Series& series : chart.series)
    if (series.drawing == Drawing::dots) count += series.x.size();
  return count > many_dots;
}

Run dots(const Plot& plot, const Series& series, bool once) {
  constexpr double slack = 1e-6;  // of a point: a value at the end of its axis is inside
  const auto [left, top, right, bottom] = plot.frame;
  Run result;
  for (const Run& run : lines(plot, series))
    for (const auto& [x, y] : run)
      if (x > left - slack && x < right + slack && y > top - slack && y < bottom + slack)
        result.push_back({std::round(10.0 * x) / 10.0, std::round(10.0 * y) / 10.0});
  if (!once) return result;
  std::sort(result.begin(), result.end(), precedes);
  result.erase(std::unique(result.begin(), result.end(), same_place), result.end());
  return result;
}

std::string draw_dots(const Run& dots, std::size_t index, std::string_view color) {
  std::string out = fmt::format("<g class='dots' fill='{}' fill-opacity='0.5'>\n", color);
  for (const Point& dot : dots) out += shape(index, dot, radius);
  return out + "</g>\n";
}

std::string draw_legend_dot(const Point& place, std::size_t index, std::string_view color) {
  return fmt::format("<g fill='{}'>{}</g>\n", color, shape(index, place, legend_radius));
}

}  // namespace modicum::chart_detail
