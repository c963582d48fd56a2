#include "interfaces/chart/chart_style.h"

#include <fmt/format.h>

#include <array>

namespace modicum::chart_detail {
namespace {

// Okabe-Ito without its yellow, too pale for a line. Seven colors, six dashes: 42 styles.
constexpr std::array colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                            "#e69f00", "#56b4e9", "#000000"};
constexpr const char* muted_color = "#999999";
constexpr std::array dashes{"none", "9 3", "2 2.5", "9 3 2 3", "16 4", "9 3 2 3 2 3"};

}  // namespace

const char* color_of(const Chart& chart, std::size_t index) {
  return chart.series[index].muted ? muted_color : colors[index % colors.size()];
}

std::string line_style(const Chart& chart, std::size_t index) {
  return fmt::format("fill='none' stroke='{}' stroke-width='2' stroke-dasharray='{}'",
                     color_of(chart, index), dashes[index % dashes.size()]);
}

}  // namespace modicum::chart_detail
