#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "interfaces/chart/svg_checks.h"
#include "modicum/interfaces/chart.h"

namespace modicum::chart_dots_test {
namespace {

using testing::count;
using testing::expect_clean;
using testing::part_between;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Chart scatter(std::size_t groups) {
  Chart chart;
  for (std::size_t i = 0; i < groups; ++i) {
    const auto x = static_cast<double>(i);
    chart.series.push_back({"group " + std::to_string(i), {x, x + 0.5}, {0, 1}, {}, {}});
    chart.series.back().drawing = Drawing::dots;
  }
  return chart;
}

TEST(ChartDots, AreHalfTransparentAndNotJoined) {
  const std::string svg = render_svg(scatter(1));
  expect_clean(svg);
  EXPECT_EQ(count(svg, "class='dots'"), 1);
  EXPECT_EQ(count(svg, "fill-opacity='0.5'"), 1);
  EXPECT_EQ(count(svg, "class='curve'"), 0);
  EXPECT_EQ(count(svg, "<circle"), 3);  // two dots, and the legend's
  EXPECT_EQ(count(svg, "Scatter plot."), 1);
  EXPECT_EQ(count(svg, "Dots: group 0."), 1);
}

TEST(ChartDots, LookDifferentInThirteenGroups) {
  const std::string svg = render_svg(scatter(13));
  expect_clean(svg);
  std::vector<std::string> looks;
  for (std::size_t at = svg.find("<g class='dots'"); at != svg.npos;
       at = svg.find("<g class='dots'", at + 1)) {
    const std::string shape = part_between(svg, ">\n<", "'", at);
    // Behind its place, what is left of a path is its outline.
    const std::string outline = shape == "circle cx=" ? "" : part_between(svg, "d='M", "z", at);
    const auto kind = outline.substr(std::min(outline.find_first_of("hl"), outline.size()));
    looks.push_back(part_between(svg, "fill='", "'", at) + shape + kind);
  }
  ASSERT_EQ(looks.size(), 13u);
  std::ranges::sort(looks);
  EXPECT_EQ(std::ranges::adjacent_find(looks), looks.end());
}

TEST(ChartDots, LieWhereTheAxesSay) {
  Chart chart;
  chart.horizontal.range = chart.vertical.range = {{0.0, 10.0}};
  chart.series = {{"", {0, 10, 5}, {0, 10, 5}, {}, {}, Drawing::dots}};
  const std::string svg = render_svg(chart);
  // The frame as the axes draw it, from top left by bottom left to bottom right.
  const std::size_t right_end = svg.rfind('H', svg.find("stroke='#333333'"));
  const double right = std::stod(svg.substr(right_end + 1));
  const double bottom = std::stod(svg.substr(svg.rfind('V', right_end) + 1));
  const std::size_t start = svg.rfind('M', right_end);
  const double left = std::stod(svg.substr(start + 1));
  const double top = std::stod(svg.substr(svg.find(',', start) + 1));
  const std::vector<std::pair<double, double>> expected{
      {left, bottom}, {right, top}, {0.5 * (left + right), 0.5 * (top + bottom)}};
  std::size_t at = svg.find("class='dots'");
  for (const auto& [x, y] : expected) {
    at = svg.find("<circle", at + 1);
    ASSERT_NE(at, svg.npos);
    EXPECT_NEAR(std::stod(part_between(svg, "cx='", "'", at)), x, 0.051 + 0.005);
    EXPECT_NEAR(std::stod(part_between(svg, "cy='", "'", at)), y, 0.051 + 0.005);
  }
}

TEST(ChartDots, LeavesOutWhatTheAxesCannotShow) {
  Chart chart;
  chart.horizontal.range = chart.vertical.range = {{0.0, 1.0}};
  chart.series = {{"",
                   {0.5, 2, 0.5, not_a_number, 0, 0.5},
                   {0.5, 0.5, infinity, 0.5, 1, -1e300},
                   {},
                   {},
                   Drawing::dots}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "<circle"), 2);
}

TEST(ChartDots, AreDrawnOnceAPlaceWhereThereAreManyOnly) {
  Chart chart;
  chart.series = {{"", {}, {}, {}, {}, Drawing::dots}, {"", {0.0}, {0.0}, {}, {}, Drawing::dots}};
  for (int i = 0; i < 19999; ++i) {
    chart.series[0].x.push_back(i % 2);
    chart.series[0].y.push_back(i % 2);
  }
  EXPECT_EQ(count(render_svg(chart), "<circle"), 19999);
  chart.series[0].x.push_back(0.0);
  chart.series[0].y.push_back(0.0);
  const std::string svg = render_svg(chart);  // 20,001 dots, and two groups in one place
  EXPECT_EQ(count(svg, "<circle"), 2);
  EXPECT_EQ(count(svg, "class='dots'"), 2);
}

TEST(ChartDots, OfAThousandGenomesTakeLittleRoom) {
  Chart chart;
  for (int group = 0; group < 12; ++group) {
    chart.series.push_back({"group", {}, {}, {}, {}, Drawing::dots});
    for (int i = 0; i < 209; ++i) {
      chart.series.back().x.push_back(std::sin(1.7 * i + group));
      chart.series.back().y.push_back(std::cos(2.3 * i * i + group));
    }
  }
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_LT(svg.size(), 300000u);
  EXPECT_EQ(render_svg(chart), svg);
}

TEST(ChartDots, AreNotUnderTheLegend) {
  Chart chart;
  chart.series = {{"one", {}, {}, {}, {}, Drawing::dots}};
  const auto moved = [&](double x, double y) {
    chart.series[0].x.push_back(x);
    chart.series[0].y.push_back(y);
    const std::string svg = render_svg(chart);
    const std::size_t at = svg.find("rx='3'");
    const std::size_t start = svg.rfind("<rect", at);
    return std::pair{std::stod(part_between(svg, "x='", "'", start)),
                     std::stod(part_between(svg, "y='", "'", start))};
  };
  const auto middle = moved(0, 0);
  chart.horizontal.range = chart.vertical.range = {{-1.0, 1.0}};
  const auto top_right = moved(0, 0), bottom_right = moved(0.95, 0.9);
  EXPECT_EQ(top_right.second, middle.second);
  EXPECT_EQ(bottom_right.first, top_right.first);
  EXPECT_GT(bottom_right.second, top_right.second);
  const auto top_left = moved(0.95, -0.9);
  EXPECT_LT(top_left.first, top_right.first);
  moved(-0.95, 0.9);
  EXPECT_GT(moved(-0.95, -0.9).first, top_right.first);  // beside the frame
}

TEST(Chart, DrawsWhatIsMutedInGrayBeneathTheOthers) {
  Chart chart = scatter(2);
  chart.series[1].muted = true;
  const std::string svg = render_svg(chart);
  const std::size_t first = svg.find("class='dots'"), second = svg.find("class='dots'", first + 1);
  EXPECT_EQ(part_between(svg, "fill='", "'", first), "#999999");
  EXPECT_EQ(part_between(svg, "fill='", "'", second), "#0072b2");
  EXPECT_LT(svg.find(">group 0<"), svg.find(">group 1<"));  // the legend keeps the order
}

}  // namespace
}  // namespace modicum::chart_dots_test
