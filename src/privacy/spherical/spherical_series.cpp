// The Taylor series of the cosine and of the density on a panel, and what they start from.
#include <cmath>

#include "privacy/spherical/spherical_panel.h"

namespace modicum {
namespace {

Ball unknown() {
  Ball result;
  arb_indeterminate(result.raw());
  return result;
}

}  // namespace

// c y/p + growth (e^y - 1) increases with y. An interval Newton step from the solution in doubles
// proves where its root is.
Ball SphericalPanels::verified_shift(const Ball& x, const Ball& growth) const {
  if (loss_ == 0.0) return 0.0;
  const double start = geometry_.solve_shift(x.middle(), loss_).y;
  const Ball residual = slope_ * start + growth * expm1(Ball(start)) - loss_;
  for (double reach = 1e-14 * std::abs(start); reach <= std::abs(start); reach *= 100.0) {
    const Ball around = Ball(start).widened(Ball(reach));
    const Ball next = Ball(start) - residual / (slope_ + growth * exp(around));
    if (arb_contains(around.raw(), next.raw()) != 0) return next;
  }
  return unknown();
}

// What the loss leaves to e^y - 1 is its growth: without a pole y has a closed form, or none where
// even r2 = 0 exceeds the loss.
SphericalPanels::Shift SphericalPanels::shift_at(const Ball& x) const {
  const Ball growth = shape_ * exp(x * p_);
  if (!slope_.exactly_zero()) {
    const Ball y = verified_shift(x, growth);
    return {y, growth * expm1(y), Reach::every};
  }
  const Ball ratio = Ball(loss_) / growth, base = ratio + 1.0;
  if (base.surely_positive()) return {log1p(ratio), loss_, Reach::every};
  if (base.surely_nonpositive()) return {0.0, loss_, Reach::none};
  return {log(Ball(base.upper())), loss_, Reach::unknown};
}

// (r2/r)^2 - 1 with r the larger of r1 and the step, so that the squares do not cancel.
Ball SphericalPanels::gain_at(const Ball& x, const Shift& shift, bool inner) const {
  if (shift.reach == Reach::none) return -1.0;
  const Ball ratio = shift.y / p_;
  const Ball gain = expm1((inner ? ratio + x - log_step_ : ratio) * 2.0);
  return shift.reach == Reach::every ? gain : hull(Ball(-1.0), gain);
}

void SphericalPanels::finish(Point& point, const Ball& gain) const {
  point.radius = exp(point.x);
  point.growth = shape_ * exp(point.x * p_);
  point.gain = gain;
  const Ball ratio = point.radius / step_;
  point.cosine = (point.inner ? gain / ratio - ratio : gain * ratio - Ball(1.0) / ratio) / 2.0;
}

SphericalPanels::Point SphericalPanels::point_at(const Ball& x) const {
  Point point;
  point.x = x;
  point.inner = (x - log_step_).surely_negative();
  const Shift shift = shift_at(x);
  point.smooth = shift.reach == Reach::every;
  point.excess = shift.excess;
  point.shift = shift.y;
  finish(point, gain_at(x, shift, point.inner));
  return point;
}

// The shift falls or rises with x, r2 rises with x: the ends decide.
SphericalPanels::Point SphericalPanels::points_within(const Ball& middle, double half_width,
                                                      bool inner) const {
  const Ball low = middle - half_width, high = middle + half_width;
  const Shift first = shift_at(low), last = shift_at(high);
  Point range;
  range.x = hull(low, high);
  range.inner = inner;
  range.smooth = first.reach == Reach::every && last.reach == Reach::every;
  range.shift = hull(first.y, last.y);
  range.excess = slope_.exactly_zero()
                     ? Ball(loss_)
                     : hull(Ball(loss_) - slope_ * first.y, Ball(loss_) - slope_ * last.y);
  finish(range, hull(gain_at(low, first, inner), gain_at(high, last, inner)));
  return range;
}

// With K = k e^{px} and H = K (e^y - 1) = loss - c y/p,
//   y' (c/p + K + H) = -p H,   and   z' (c/p + K + H) = c + p K   for z = y + p x - p log(step).
// The variable is t = (x - middle)/half_width.
Taylor SphericalPanels::log_ratio_series(const Point& point, double half_width) const {
  const Bounded width(half_width), rate = Bounded(p_) * width;
  const Taylor growth = exponential_of_linear(Bounded(point.growth), rate);
  Taylor ratio, ratio_slope, excess, divisor;
  excess.set(0, Bounded(point.excess));
  divisor.set(0, bounded_slope_ + growth[0] + excess[0]);
  for (int n = 0; n < Taylor::order; ++n) {
    Bounded driven = point.inner ? growth[n] * rate : -(excess[n] * rate);
    if (point.inner && n == 0) driven = driven + bounded_slope_ * rate;
    const Bounded slope =
        (driven - Taylor::convolution(divisor, ratio_slope, n, 1, n)) / divisor[0];
    ratio_slope.set(n, slope);
    ratio.set(n + 1, slope / Bounded(n + 1));
    const Bounded shift = point.inner && n == 0 ? ratio[1] - rate : ratio[n + 1];
    excess.set(n + 1, -(bounded_slope_ * shift));
    divisor.set(n + 1, growth[n + 1] + excess[n + 1]);
  }
  return ratio;
}

// 2w = gain r1/s - s/r1, or gain s/r1 - r1/s where s is the larger.
Taylor SphericalPanels::cosine_series(const Point& point, double half_width) const {
  const Bounded gain(point.gain);
  Taylor gains =
      exponential(log_ratio_series(point, half_width) * shift_power_, gain + Bounded(1.0));
  gains.set(0, gain);
  const Bounded radius(point.radius);
  const Taylor ratio = exponential_of_linear(radius * inverse_step_, half_width);
  const Taylor inverse = exponential_of_linear(half_step_ / radius, -half_width);
  Taylor cosine = point.inner ? inverse * gains - ratio : ratio * gains - inverse;
  cosine.set(0, Bounded(point.cosine));
  return cosine;
}

// log density has the derivative k p (1 - e^{px}).
Taylor SphericalPanels::density_series(const Point& point, double half_width,
                                       const Bounded& first) const {
  const Bounded rate = Bounded(p_) * Bounded(half_width);
  Taylor exponent = -exponential_of_linear(Bounded(point.growth), rate);
  exponent.set(1, Bounded(shape_ * expm1(point.x * p_)) * -rate);
  return exponential(exponent, first);
}

}  // namespace modicum
