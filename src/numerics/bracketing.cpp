#include "modicum/numerics/bracketing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace modicum {

// Chandrupatla's method [Chandrupatla1997]: inverse quadratic interpolation where the three points
// allow it, else bisection. a is the newest end, b the other, c the one before.
Bracket narrow_bracket(const std::function<double(double)>& f, Bracket bracket, double tolerance) {
  double a = bracket.high, b = bracket.low, fa = f(a), fb = f(b), c = b, fc = fb, t = 0.5;
  for (int iteration = 0; iteration < 400; ++iteration) {
    const double x = a + t * (b - a), fx = f(x);
    if ((fx <= 0.0) == (fa <= 0.0)) {
      c = std::exchange(a, x);
      fc = std::exchange(fa, fx);
    } else {
      c = std::exchange(b, std::exchange(a, x));
      fc = std::exchange(fb, std::exchange(fa, fx));
    }
    const double width = std::abs(b - a);
    const double least = tolerance * std::max(std::abs(a), std::abs(b));
    if (!(width > least)) break;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    const bool quadratic = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    t = 0.5;
    if (quadratic)
      t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    const double margin = 0.5 * least / width;
    t = std::isfinite(t) ? std::clamp(t, margin, 1.0 - margin) : 0.5;
    const double next = a + t * (b - a);
    if (next == a || next == b) break;
  }
  return fa <= 0.0 ? Bracket{b, a} : Bracket{a, b};
}

Bracket narrow_to_minimum(const std::function<double(double)>& f, Bracket interval, double width) {
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  double low = interval.low, high = interval.high;
  double left = high - ratio * (high - low), right = low + ratio * (high - low);
  double at_left = f(left), at_right = f(right);
  while (high - low > width && low < left && right < high) {
    if (at_left > at_right) {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = f(right);
    } else {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = f(left);
    }
  }
  return {low, high};
}

}  // namespace modicum
