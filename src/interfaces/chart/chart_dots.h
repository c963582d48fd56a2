#pragma once

#include <string>

#include "interfaces/chart/chart_plot.h"

// Internal to the chart writer: dots that are not joined, each group with its color and shape.
namespace modicum::chart_detail {

inline constexpr double dot_reach = 4;  // no dot is drawn farther from its place

// Whether there are so many dots that no two are drawn in one place.
bool has_many_dots(const Chart& chart);

// In the frame, to a tenth of a point; in their order, or sorted with each place `once`.
Run dots(const Plot& plot, const Series& series, bool once);

std::string draw_dots(const Run& dots, std::size_t index, std::string_view color);

// Larger than those it stands for, and opaque.
std::string draw_legend_dot(const Point& place, std::size_t index, std::string_view color);

}  // namespace modicum::chart_detail
