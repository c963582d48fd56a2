#include "release/everyday/everyday_intervals.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"

namespace modicum {

double normal_reach(double level) {
  if (!(level > 0.0 && level < 1.0))
    throw InvalidParameter("confidence", level, "must lie between 0 and 1");
  double low = 0.0, high = 40.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle * M_SQRT1_2) > 1.0 - level ? low : high) = middle;
  }
  return high * (1.0 + 1e-12);
}

// (total - r count)^2 <= reach^2 (t^2 + r^2 c^2) is a r^2 - 2 b r + d <= 0 with the numbers below:
// a piece of the line if a > 0; else two rays, or all of it.
Interval ratio_interval(double total, double total_deviation, double count, double count_deviation,
                        double reach) {
  const double t = reach * total_deviation, c = reach * count_deviation;
  const double a = count * count - c * c, b = total * count, d = total * total - t * t;
  const double root = b * b - a * d;
  if (!(root >= 0.0)) return {-1.0, 1.0};
  const double width = std::sqrt(root) * (1.0 + 1e-12);
  if (a > 0.0) {
    const double low = (b - width) / a, high = (b + width) / a;
    if (!(low <= 1.0 && high >= -1.0)) return {-1.0, 1.0};
    return {std::clamp(low, -1.0, 1.0), std::clamp(high, -1.0, 1.0)};
  }
  // Beyond both roots; what of it lies in [-1, 1], without the gap where that cuts off an end.
  if (a == 0.0) return {-1.0, 1.0};
  const double first = std::min((b - width) / a, (b + width) / a);
  const double second = std::max((b - width) / a, (b + width) / a);
  const bool left = first >= -1.0, right = second <= 1.0;
  if (left == right) return {-1.0, 1.0};
  return left ? Interval{-1.0, std::min(first, 1.0)} : Interval{std::max(second, -1.0), 1.0};
}

}  // namespace modicum
