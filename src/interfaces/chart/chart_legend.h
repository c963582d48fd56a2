#pragma once

#include <string>

#include "interfaces/chart/chart_plot.h"

// Internal to the chart writer: what the series are called, and where that is said.
namespace modicum::chart_detail {

// A corner of the frame that no curve enters, or else a margin taken from the frame's right.
Box place_legend(const Chart& chart, Plot& plot);

// One row a labeled series; rows close up when there are very many.
std::string draw_legend(const Chart& chart, const Box& box);

}  // namespace modicum::chart_detail
