#include "modicum/interfaces/chart.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <stdexcept>

#include "interfaces/chart_plot.h"

namespace modicum {
namespace {

using namespace chart_detail;

constexpr double legend_row = 20, legend_sample = 44, legend_padding = 8, legend_inset = 10;

// Okabe-Ito without its yellow, too pale for a line. Seven colours, six dashes: 42 styles.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                             "#e69f00", "#56b4e9", "#000000"};
constexpr std::array dashes{"none", "9 3", "2 2.5", "9 3 2 3", "16 4", "9 3 2 3 2 3"};

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

// A corner of the frame that no curve enters, or else a margin taken from the frame's right.
Box place_legend(const Chart& chart, Plot& plot) {
  double widest = 0.0, rows = 0.0;
  std::vector<Run> obstacles;
  if (chart.diagonal) obstacles = reference_line(plot);
  for (const Series& series : chart.series) {
    const bool filled = series.drawing == Drawing::bars;
    std::ranges::move(filled ? bars(plot, series) : lines(plot, series),
                      std::back_inserter(obstacles));
    std::ranges::move(bands(plot, series), std::back_inserter(obstacles));
    if (series.label.empty()) continue;
    widest = std::max(widest, text_width(series.label, tick_size));
    ++rows;
  }
  if (rows == 0.0) return {};
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

std::string line_style(std::size_t index) {
  return fmt::format("fill='none' stroke='{}' stroke-width='2' stroke-dasharray='{}'",
                     colours[index % colours.size()], dashes[index % dashes.size()]);
}

// One row a labelled curve; rows close up when there are very many.
std::string draw_legend(const Chart& chart, const Box& box) {
  const auto labelled = [](const Series& series) { return !series.label.empty(); };
  const auto rows = std::ranges::count_if(chart.series, labelled);
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
    if (!labelled(chart.series[i])) continue;
    out += fmt::format("<path d='M{:.2f},{:.2f}h{}' {}/>\n", start, y, legend_sample - 8,
                       line_style(i));
    out += fitted_text(chart.series[i].label, size, room,
                       fmt::format("x='{:.2f}' y='{:.2f}'", start + legend_sample, y + size / 3));
    y += pitch;
  }
  return out;
}

std::string path_data(const Run& run) {
  std::string data;
  for (const auto& [x, y] : run)
    data += fmt::format("{}{:.2f},{:.2f}", data.empty() ? 'M' : 'L', x, y);
  return data;
}

// With dots at its points where these are few and meant to be seen, or where one stands alone.
std::string draw_line(const Plot& plot, const Series& series, std::size_t index) {
  std::string out;
  for (const Run& line : lines(plot, series)) {
    if (line.size() > 1)
      out += fmt::format("<path class='curve' d='{}' {}/>\n", path_data(line), line_style(index));
    const bool dots = series.drawing == Drawing::line_with_dots;
    if (line.size() > 1 && !dots) continue;
    for (const auto& [x, y] : line)
      out += fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='{}' fill='{}'/>\n", x, y,
                         dots ? 4.0 : 2.5, colours[index % colours.size()]);
  }
  return out;
}

std::string draw_bars(const Plot& plot, const Series& series, std::size_t index) {
  std::string out;
  for (const Run& bar : bars(plot, series))
    out += fmt::format("<path class='bar' d='{}Z' fill='{}'/>\n", path_data(bar),
                       colours[index % colours.size()]);
  return out;
}

std::string draw_curves(const Chart& chart, const Plot& plot) {
  std::string out;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    for (const Run& band : bands(plot, chart.series[i]))
      out += fmt::format("<path class='band' d='{0}Z' fill='{1}' stroke='{1}' opacity='0.2'/>\n",
                         path_data(band), colours[i % colours.size()]);
  if (chart.diagonal)
    for (const Run& line : reference_line(plot))
      out += fmt::format("<path d='{}' fill='none' stroke='#888888' stroke-dasharray='4 4'/>\n",
                         path_data(line));
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    out += chart.series[i].drawing == Drawing::bars ? draw_bars(plot, chart.series[i], i)
                                                    : draw_line(plot, chart.series[i], i);
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
  const double middle = 0.5 * (left + right), centre = 0.5 * (top + bottom);
  const double breadth = 2.0 * std::min(middle, chart.width - middle);
  const double length = 2.0 * std::min(centre - 40.0, chart.height - centre);
  const auto centred = [](double x, double y, std::string_view more) {
    return fmt::format("x='{:.2f}' y='{:.2f}' text-anchor='middle' {}", x, y, more);
  };
  return fitted_text(chart.title, title_size, 0.9 * chart.width,
                     centred(0.5 * chart.width, 28, "font-weight='bold'")) +
         fitted_text(chart.horizontal.label, label_size, breadth,
                     centred(middle, chart.height - 14.0, "")) +
         fitted_text(chart.vertical.label, label_size, length,
                     centred(20, centre, fmt::format("transform='rotate(-90 20 {:.2f})'", centre)));
}

void require_consistent(const Chart& chart) {
  if (chart.width < 400 || chart.height < 300)
    throw std::invalid_argument(
        fmt::format("a chart of {} by {} is smaller than 400 by 300", chart.width, chart.height));
  for (const auto& [label, x, y, lower, upper, drawing] : chart.series)
    if (x.size() != y.size() || lower.size() != upper.size() ||
        (!lower.empty() && lower.size() != x.size()))
      throw std::invalid_argument(
          fmt::format("series \"{}\" has {} x, {} y, {} y_lower and {} y_upper, which must agree",
                      label, x.size(), y.size(), lower.size(), upper.size()));
}

// What a reader who cannot see the picture is told.
std::string describe(const Chart& chart) {
  const bool filled = std::ranges::any_of(
      chart.series, [](const Series& series) { return series.drawing == Drawing::bars; });
  std::string out = filled ? "Bar chart." : "Line chart.";
  const auto add = [&out](std::string_view role, std::string_view text) {
    if (!text.empty()) out += fmt::format(" {}: {}.", role, escaped(text));
  };
  add("Horizontal axis", chart.horizontal.label);
  add("Vertical axis", chart.vertical.label);
  for (const Series& series : chart.series) add("Curve", series.label);
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
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "role='img' font-family='sans-serif' fill='#222222'>\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n",
      chart.width, chart.height, escaped(chart.title), describe(chart));
  out += fmt::format(
      "<rect width='100%' height='100%' fill='#ffffff'/>\n<clipPath id='frame-{:08x}'>"
      "<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}'/></clipPath>\n",
      hash, left - 1, top - 1, right - left + 2, bottom - top + 2);
  out += draw_axes(plot);
  out += fmt::format("<g clip-path='url(#frame-{:08x})' stroke-linejoin='round'>\n{}</g>\n", hash,
                     curves);
  return out + draw_legend(chart, legend) + draw_titles(chart, plot) + "</svg>\n";
}

}  // namespace modicum
