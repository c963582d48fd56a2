#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "modicum/interfaces/chart.h"

// Internal to the chart writer: text made safe and cut to its room, and axes with their ticks.
namespace modicum::chart_detail {

inline constexpr double tick_size = 12, exponent_size = 9, label_size = 14, title_size = 16;
inline constexpr double tick_line = 17;         // from line to line under a tick
inline constexpr double largest_value = 1e300;  // keeps every difference finite

std::string escaped(std::string_view text);

// Judged from a wide sans-serif face, since the reader's font is unknown.
double text_width(std::string_view text, double size);

// A text element no wider than `room`, cut with an ellipsis if need be.
std::string fitted_text(std::string_view text, double size, double room, std::string_view place);

// Positions along an axis are values, or on a logarithmic axis their decimal logarithms.
struct Tick {
  double position;
  std::string text, exponent;           // both empty for a minor tick
  std::vector<std::string> below = {};  // further lines
};

struct Scale {
  AxisScale kind;
  double lower, upper;  // positions
  std::vector<Tick> ticks;

  bool shows(double value) const {
    return std::abs(value) <= largest_value && (kind == AxisScale::linear || value > 0.0);
  }
  double position(double value) const {
    return kind == AxisScale::linear ? value : std::log10(std::max(value, 0.0));
  }
  double fraction(double position) const { return (position - lower) / (upper - lower); }
};

std::vector<Tick> make_ticks(const Scale& scale, int most);

// The range asked for, or the least round one that holds `values`.
Scale make_scale(const Axis& axis, const std::vector<double>& values, int most);

}  // namespace modicum::chart_detail
