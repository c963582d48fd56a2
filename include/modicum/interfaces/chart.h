#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace modicum {

enum class Drawing { line, line_with_dots, bars, dots };

/// One curve, or one group of dots, optionally with a shaded band such as a confidence region.
/// `x` and `y` have one length; the band's two edges are both empty or of that length too.
struct Series {
  std::string label;  // empty: not in the legend
  std::vector<double> x, y;
  std::vector<double> y_lower, y_upper;
  Drawing drawing = Drawing::line;
  bool muted = false;     // gray and beneath the others: what has no name of its own
  bool whiskers = false;  // an interval at each point in place of the band
};

enum class AxisScale { linear, logarithmic };

struct Axis {
  std::string label;
  AxisScale scale = AxisScale::linear;
  std::optional<std::pair<double, double>> range;  // absent: chosen to hold the data
  // Horizontally: lines of text under the values 1, 2, .., in place of a range and its numbers.
  std::vector<std::vector<std::string>> categories = {};
};

struct Chart {
  std::string title;
  Axis horizontal, vertical;
  std::vector<Series> series;
  bool diagonal = false;  // dashed reference y = 1 - x: the trade-off function that reveals nothing
  int width = 720, height = 480;
};

/// The chart as a self-contained SVG document. Equal charts give equal bytes in every locale.
///
/// A point that an axis cannot show (not finite, beyond 1e300 in size, or not positive on a
/// logarithmic axis) breaks its line; a point with no drawable neighbor becomes a dot. A band edge
/// that the axis cannot show runs to the border instead, and only NaN breaks the band. Whiskers
/// are drawn over all else, where both their ends are numbers.
/// Curves are told apart by color (Okabe-Ito) and by dash pattern, dots by color and shape, so
/// the picture survives black-and-white print. The legend takes a corner free of curves and dots,
/// else the right margin.
///
/// Dots are half transparent and lie on a grid of a tenth of a point; those outside the frame are
/// left out. Of more than 20,000 in a chart, those of one group in one place are drawn once.
///
/// Throws std::invalid_argument for lengths that disagree, a range that is empty, too narrow for
/// distinct ticks or not drawable on its axis, and a picture smaller than 400 by 300.
std::string render_svg(const Chart& chart);

}  // namespace modicum
