#pragma once

#include <string>

#include "modicum/interfaces/chart.h"

// Internal to the chart writer: how the series of a chart are told apart.
namespace modicum::chart_detail {

const char* color_of(const Chart& chart, std::size_t index);

// Attributes of a line: color and dash pattern.
std::string line_style(const Chart& chart, std::size_t index);

}  // namespace modicum::chart_detail
