// The cosine w on a panel as w', 1 - w^2, 1 + w and 1 - w: by itself, or near -1 and 1 by products
// that keep the digits of the differences from them.
#include <utility>

#include "privacy/spherical/spherical_panel.h"

namespace modicum {
namespace {

Bounded around(const Bounded& middle, const Bounded& slope) {
  return middle + Bounded(0.0, slope.magnitude());
}

}  // namespace

// For the lower tail the cosine is replaced by its negative.
void SphericalPanels::orient(Cosines& cosines) const {
  if (sign_ > 0.0) return;
  for (Cosine* w : {&cosines.middle, &cosines.everywhere}) {
    w->slope = -w->slope;
    std::swap(w->one_more, w->one_less);
  }
}

// By the mean value theorem w lies within its slope of its value in the middle.
SphericalPanels::Cosines SphericalPanels::plain_cosines(const Point& point, const Point& range,
                                                        double half_width) const {
  const auto cosine = [](const Taylor& w, const Ball& first) {
    Cosine result{derivative(w), -(w * w), first + 1.0, Ball(1.0) - first};
    result.square.set(0, Bounded(result.one_more * result.one_less));
    return result;
  };
  Taylor any = cosine_series(range, half_width);
  const Ball near = point.cosine.widened(Ball(any[1].magnitude()));
  const bool nearer = mag_cmp(arb_radref(near.raw()), arb_radref(range.cosine.raw())) < 0;
  const Ball& values = nearer ? near : range.cosine;
  any.set(0, Bounded(values));
  Cosines result{cosine(cosine_series(point, half_width), point.cosine), cosine(any, values)};
  orient(result);
  return result;
}

// With r2 = r1 e^{y/p} and (c/p + K + H) as for y itself, the derivative in x of r1 + s - r2 is
//   r1 (c (1 - e^{y/p}) + p K e^{y/p} (e^{(p-1)y/p} - 1)) / (p (c/p + K + H)):
// zero for p = 1 and c = 0, where r2 - r1 is constant.
SphericalPanels::Edge SphericalPanels::edge_series(const Point& point, double half_width) const {
  Point outer = point;
  outer.inner = false;
  const Taylor shift = log_ratio_series(outer, half_width);
  const Ball part = Ball(1.0) / p_, rest = Ball(1.0) - part;
  const Bounded lead(expm1(point.shift * part)), bend(expm1(point.shift * rest));
  const Taylor ratio = exponential(shift * Bounded(part), lead + Bounded(1.0));
  Taylor lost = -ratio, gained = exponential(shift * Bounded(rest), bend + Bounded(1.0));
  lost.set(0, -lead), gained.set(0, bend);
  const Taylor growth =
      exponential_of_linear(Bounded(point.growth), Bounded(p_) * Bounded(half_width));
  Taylor divisor = growth - shift * bounded_slope_;
  divisor.set(0, bounded_slope_ + growth[0] + Bounded(point.excess));
  const Taylor driven = lost * bounded_slope_ + growth * (ratio * gained);
  Edge result;
  const Taylor near = exponential_of_linear(Bounded(point.radius), half_width);
  result.lag_slope = near * (driven / divisor) * Bounded(half_width);
  result.sum = near + near * ratio;
  result.scale = exponential_of_linear(Bounded(Ball(0.5) / (step_ * point.radius)), -half_width);
  const Ball far = point.radius * exp(point.shift * part);
  result.lag = Bounded(point.radius + step_ - far);
  result.lead = Bounded(far + step_ - point.radius);
  result.overlap = Bounded(far + point.radius - step_);
  return result;
}

// 1 - w = (r1 + s - r2)(r1 + s + r2)/(2 s r1),   1 + w = (r2 + s - r1)(r2 + r1 - s)/(2 s r1).
SphericalPanels::Cosine SphericalPanels::edge_cosine(const Edge& e) const {
  Taylor outer = e.sum, overlap = e.sum;
  outer.set(0, e.sum[0] + Bounded(step_));
  overlap.set(0, e.overlap);
  const Taylor one_less = antiderivative(e.lag_slope, e.lag) * outer * e.scale;
  const Taylor one_more = antiderivative(-e.lag_slope, e.lead) * overlap * e.scale;
  // The smaller one has more digits.
  const bool upper = one_less[0].middle < one_more[0].middle;
  return {upper ? -derivative(one_less) : derivative(one_more), one_less * one_more,
          one_more[0].ball(), one_less[0].ball()};
}

SphericalPanels::Cosines SphericalPanels::edge_cosines(const Point& point, const Point& range,
                                                       double half_width) const {
  const Edge middle = edge_series(point, half_width);
  Edge any = edge_series(range, half_width);
  any.lag = around(middle.lag, any.lag_slope[0]);
  any.lead = around(middle.lead, any.lag_slope[0]);
  any.overlap = around(middle.overlap, any.sum[1]);
  Cosines result{edge_cosine(middle), edge_cosine(any)};
  orient(result);
  return result;
}

}  // namespace modicum
