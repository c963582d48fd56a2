#include "modicum/interfaces/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "interfaces/chart/svg_checks.h"

namespace modicum::chart_test {
namespace {

using testing::count;
using testing::expect_clean;
using testing::well_formed;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Chart profile_chart(double smallest_delta) {
  Chart chart{.title = "Privacy profiles",
              .horizontal = {.label = "epsilon", .scale = {}, .range = {}},
              .vertical = {.label = "delta", .scale = AxisScale::logarithmic, .range = {}},
              .series = {}};
  Series series{.label = "Gaussian", .x = {}, .y = {}, .y_lower = {}, .y_upper = {}};
  for (int i = 0; i <= 10; ++i) {
    series.x.push_back(i);
    series.y.push_back(std::pow(smallest_delta, i / 10.0));
  }
  chart.series.push_back(series);
  return chart;
}

TEST(ChartWellFormed, TheCheckItselfRejectsBrokenDocuments) {
  EXPECT_TRUE(well_formed("<a><b c='d'/>x &amp; y</a>"));
  EXPECT_FALSE(well_formed("<a><b></a></b>"));
  EXPECT_FALSE(well_formed("<a>"));
  EXPECT_FALSE(well_formed("<a>x & y is not escaped</a>"));
}

TEST(Chart, IsOneWellFormedScalableDocument) {
  const std::string svg = render_svg(profile_chart(1e-12));
  expect_clean(svg);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_EQ(count(svg, "viewBox='0 0 720 480'"), 1);
  EXPECT_EQ(count(svg, "<title>Privacy profiles</title>"), 1);
  EXPECT_EQ(count(svg, "<desc>"), 1);
}

TEST(Chart, WithoutSeriesStillHasAxes) {
  const std::string svg = render_svg(Chart{});
  expect_clean(svg);
  EXPECT_GE(count(svg, "class='tick'"), 6);
  EXPECT_EQ(count(svg, "class='curve'"), 0);
}

TEST(Chart, WithEmptySeriesOnLogarithmicAxesStillHasAxes) {
  Chart chart;
  chart.horizontal.scale = chart.vertical.scale = AxisScale::logarithmic;
  chart.series.resize(2);
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_GE(count(svg, "class='tick'"), 4);
}

TEST(Chart, EscapesText) {
  Chart chart = profile_chart(1e-6);
  chart.title = chart.horizontal.label = chart.series[0].label = "a<b & \"c\">d";
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "a<b"), 0);
  EXPECT_GE(count(svg, "a&lt;b &amp; &quot;c&quot;&gt;d"), 4);
}

TEST(Chart, KeepsUtf8AndBlanksWhatXmlForbids) {
  Chart chart;
  chart.title = "ε and δ";
  chart.horizontal.label =
      "a\x01"
      "b\xFF"
      "c\xE2\x82";
  const std::string svg = render_svg(chart);
  EXPECT_EQ(count(svg, "ε and δ"), 2);
  EXPECT_EQ(count(svg, "a b c  <"), 1);
}

TEST(Chart, CutsLongTextBetweenCharacters) {
  Chart chart = profile_chart(1e-6);
  for (int i = 0; i < 200; ++i) chart.series[0].label += "δ";
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "δ…</text>"), 1);
}

TEST(Chart, ThinsLabelsOverThreeHundredDecades) {
  const std::string svg = render_svg(profile_chart(1e-300));
  expect_clean(svg);
  const int decade_labels = count(svg, ">10<tspan");
  EXPECT_GE(decade_labels, 4);
  EXPECT_LE(decade_labels, 12);
  EXPECT_EQ(count(svg, ">−300</tspan>"), 1);
}

TEST(Chart, LabelsRangesWithinOneDecade) {
  Chart chart = profile_chart(0.5);
  chart.vertical.range = {{0.31, 0.39}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, ">0.32<"), 1);
}

TEST(Chart, WritesRoundLinearTicks) {
  Chart chart;
  chart.series = {{"", {-0.93, 1.87}, {0, 2.4e6}, {}, {}}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  for (const auto* label : {">−1.0<", ">−0.5<", ">0<", ">2.0<", ">2.5×10<"})
    EXPECT_GE(count(svg, label), 1) << label;
}

TEST(Chart, BreaksTheLineWhereAPointCannotBeShown) {
  Chart chart;
  chart.vertical.scale = AxisScale::logarithmic;
  const std::vector<double> y{1, 0.5, not_a_number, 0.2, 0.1, 0, 0.05, infinity, 0.02, 0.01, -1};
  chart.series = {{"curve", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y, {}, {}}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "class='curve'"), 3);
  EXPECT_EQ(count(svg, "<circle"), 1);
}

TEST(Chart, StaysFiniteForExtremeValues) {
  for (const auto scale : {AxisScale::linear, AxisScale::logarithmic})
    for (const double value : {0.0, 5e-324, 1e-300, -1e-300, 1.0, -1e300, 1e300, 1.7e308}) {
      Chart chart;
      chart.horizontal.scale = chart.vertical.scale = scale;
      chart.series = {{"constant", {value, value}, {value, value}, {}, {}},
                      {"pair", {value, 1.0}, {1.0, value}, {}, {}}};
      expect_clean(render_svg(chart));
    }
}

TEST(Chart, ClipsWhatLiesOutsideTheRange) {
  Chart chart;
  chart.vertical.range = {{0.0, 1.0}};
  chart.series = {{"steep", {0, 1}, {0, 1e200}, {}, {}}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "clip-path='url(#frame-"), 1);
  EXPECT_EQ(count(svg, "-100000.00"), 1);
}

TEST(Chart, ShadesBandsAndRunsUnboundedEdgesToTheBorder) {
  Chart chart = profile_chart(1e-6);
  Series& series = chart.series[0];
  for (const double y : series.y) {
    series.y_lower.push_back(y / 2);
    series.y_upper.push_back(y * 2);
  }
  EXPECT_EQ(count(render_svg(chart), "class='band'"), 1);
  series.y_lower[3] = 0;
  series.y_upper[4] = infinity;
  EXPECT_EQ(count(render_svg(chart), "class='band'"), 1);
  series.y_lower[5] = not_a_number;
  const std::string svg = render_svg(chart);
  EXPECT_EQ(count(svg, "class='band'"), 2);
  expect_clean(svg);
}

TEST(Chart, DrawsTheReferenceLineOnEveryScale) {
  for (const auto scale : {AxisScale::linear, AxisScale::logarithmic}) {
    Chart chart;
    chart.diagonal = true;
    chart.horizontal.scale = chart.vertical.scale = scale;
    const std::string svg = render_svg(chart);
    expect_clean(svg);
    EXPECT_EQ(count(svg, "stroke-dasharray='4 4'"), 1);
  }
}

TEST(Chart, PutsTheLegendBesideTheFrameWhenCurvesFillIt) {
  Chart chart;
  Series zigzag{"zigzag", {}, {}, {}, {}};
  for (int i = 0; i <= 100; ++i) {
    zigzag.x.push_back(i);
    zigzag.y.push_back(i % 2);
  }
  chart.series = {zigzag};
  EXPECT_EQ(count(render_svg(chart), "H692.00"), 0);  // the frame gave up its right margin
  chart.series[0].label = "";
  EXPECT_GT(count(render_svg(chart), "H692.00"), 0);
}

TEST(Chart, TellsCurvesApartWithoutColor) {
  Chart chart;
  for (int i = 0; i < 6; ++i) chart.series.push_back({"s", {0, 1}, {0.0, double(i)}, {}, {}});
  const std::string svg = render_svg(chart);
  for (const auto* dash : {"none", "9 3", "2 2.5", "9 3 2 3", "16 4", "9 3 2 3 2 3"})
    EXPECT_EQ(count(svg, "dasharray='" + std::string(dash) + "'"), 2) << dash;  // curve, legend
}

TEST(Chart, IsTheSameEveryTimeAndInEveryLocale) {
  const Chart chart = profile_chart(1e-12);
  const std::string expected = render_svg(chart);
  EXPECT_EQ(render_svg(chart), expected);
  for (const auto* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {  // absent locales change nothing
    std::setlocale(LC_ALL, name);
    EXPECT_EQ(render_svg(chart), expected);
  }
  std::setlocale(LC_ALL, "C");
}

TEST(Chart, BarsStandOnZeroOverTheirNames) {
  Chart chart;
  chart.horizontal.categories = {{"T = 1", "19 %"}, {"T = 2 & more", "15 %"}, {"T = 3"}};
  chart.series = {{"", {1, 2, 3}, {19, 15, 12}, {}, {}, Drawing::bars}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "class='bar'"), 3);
  EXPECT_EQ(count(svg, ">T = 2 &amp; more<"), 1);
  EXPECT_EQ(count(svg, ">15 %<"), 1);
  EXPECT_EQ(count(svg, ">0<"), 1);  // though no bar is so short
  EXPECT_EQ(count(svg, "Bar chart."), 1);
}

TEST(Chart, DotsMarkThePointsOfALineWhereAskedFor) {
  Chart chart;
  chart.series = {{"few", {1, 2, 4}, {1, 2, 3}, {}, {}, Drawing::line_with_dots},
                  {"many", {1, 2, 4}, {3, 2, 1}, {}, {}}};
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "<circle"), 3);
  EXPECT_EQ(count(svg, "class='curve'"), 2);
}

TEST(Chart, LabelsTwoAndFiveWithinTwoDecades) {
  Chart chart;
  chart.horizontal = {"epsilon", AxisScale::logarithmic, {{0.1, 5.0}}};
  const std::string svg = render_svg(chart);
  for (const char* text : {">0.1<", ">0.2<", ">0.5<", ">1<", ">2<", ">5<"})
    EXPECT_GE(count(svg, text), 1) << text;
}

TEST(Chart, RefusesLengthsThatDisagree) {
  Chart chart;
  chart.series = {{"short", {0, 1}, {0}, {}, {}}};
  EXPECT_THROW(render_svg(chart), std::invalid_argument);
  chart.series = {{"half a band", {0, 1}, {0, 1}, {0, 1}, {}}};
  EXPECT_THROW(render_svg(chart), std::invalid_argument);
  chart.series = {{"short band", {0, 1}, {0, 1}, {0}, {1}}};
  EXPECT_THROW(render_svg(chart), std::invalid_argument);
}

TEST(Chart, RefusesRangesThatCannotBeDrawn) {
  Chart chart;
  for (const auto& range : {std::pair{1.0, 1.0},
                            {2.0, 1.0},
                            {0.0, infinity},
                            {not_a_number, 1.0},
                            {1.0, 1.0 + 1e-15},
                            {0.0, 5e-324}}) {
    chart.vertical.range = range;
    EXPECT_THROW(render_svg(chart), std::invalid_argument);
  }
  chart.vertical = {"delta", AxisScale::logarithmic, {{0.0, 1.0}}};
  EXPECT_THROW(render_svg(chart), std::invalid_argument);
}

TEST(Chart, RefusesPicturesTooSmallToRead) {
  Chart chart;
  chart.width = 100;
  EXPECT_THROW(render_svg(chart), std::invalid_argument);
}

TEST(Chart, WhiskersTakeThePlaceOfABand) {
  Chart chart{
      .title = "means",
      .horizontal = {.label = "", .scale = {}, .range = {}, .categories = {{"a"}, {"b"}, {"c"}}},
      .vertical = {.label = "", .scale = {}, .range = {}},
      .series = {}};
  chart.series.push_back({.label = "",
                          .x = {1, 2, 3},
                          .y = {3, 4, 5},
                          .y_lower = {2, not_a_number, -infinity},
                          .y_upper = {4, not_a_number, infinity},
                          .drawing = Drawing::bars,
                          .whiskers = true});
  const std::string svg = render_svg(chart);
  expect_clean(svg);
  EXPECT_EQ(count(svg, "class='bar'"), 3);
  EXPECT_EQ(count(svg, "class='whisker'"), 2);  // of one there is none
  EXPECT_EQ(count(svg, "class='band'"), 0);
  chart.series.front().whiskers = false;
  EXPECT_EQ(count(render_svg(chart), "class='whisker'"), 0);
}

}  // namespace
}  // namespace modicum::chart_test
