#pragma once

#include <vector>

#include "interfaces/chart/chart_axis.h"

// Internal to the chart writer: where the frame, the curves and the bands lie on the page.
namespace modicum::chart_detail {

struct Point {
  double x, y;
};
struct Box {
  double left, top, right, bottom;
};
using Run = std::vector<Point>;  // consecutive points, joined by a line

struct Plot {
  Scale horizontal, vertical;
  Box frame;  // on the page, y downwards

  double across(double position) const {
    return frame.left + horizontal.fraction(position) * (frame.right - frame.left);
  }
  double down(double position) const {
    return frame.bottom - vertical.fraction(position) * (frame.bottom - frame.top);
  }
};

int horizontal_ticks(double width);

Plot lay_out(const Chart& chart);

std::vector<Run> lines(const Plot& plot, const Series& series);

// Closed outlines of bars from zero, or from the lower end of an axis without it.
std::vector<Run> bars(const Plot& plot, const Series& series);

// Closed outlines of the band: along its lower edge, back along the upper.
std::vector<Run> bands(const Plot& plot, const Series& series);

// From the lower end of each interval to the upper one.
std::vector<Run> whiskers(const Plot& plot, const Series& series);

// y = 1 - x, sampled so that it is smooth near both ends on logarithmic axes too.
std::vector<Run> reference_line(const Plot& plot);

}  // namespace modicum::chart_detail
