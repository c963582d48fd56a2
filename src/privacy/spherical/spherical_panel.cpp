#include "privacy/spherical/spherical_panel.h"

#include <cmath>
#include <optional>

#include "numerics/symmetric_beta.h"

namespace modicum {
namespace {

// Cosines this close to -1 or 1 may be better known by their distance; that close they must be.
constexpr double edge = 0.25, narrow_edge = 1e-3;
constexpr double negligible_radius = 1e-16;  // integrals are relative to an estimate of their sum

bool sharp(const Bounded& a) { return a.radius <= 1e-3 * std::abs(a.middle); }
Bounded sharper(const Bounded& a, const Bounded& b) { return a.radius <= b.radius ? a : b; }

Taylor constant(double value) {
  Taylor result;
  result.set(0, value);
  return result;
}

}  // namespace

SphericalPanels::SphericalPanels(const SphericalPair& pair, const SphericalGeometry& geometry,
                                 double loss, Side side, double log_scale)
    : geometry_(geometry),
      dimension_(pair.dimension),
      p_(pair.p),
      loss_(loss),
      sign_(side == Side::above ? 1.0 : -1.0),
      shape_(pair.shape * 1.0),
      slope_(pair.deficit / pair.p),
      step_(pair.step * 1.0),
      log_step_(log(pair.step)),
      half_((Ball(pair.dimension) - 1.0) / 2.0),
      log_angle_scale_(pair.log_angle_scale * 1.0),
      log_peak_(pair.log_density - log_scale),
      inverse_step_(Ball(0.5) / step_),
      half_step_(step_ / 2.0),
      shift_power_(Ball(2.0) / pair.p),
      bounded_slope_(slope_) {}

Ball SphericalPanels::density_at(const Ball& x) const {
  const Ball y = x * p_;
  return exp(log_peak_ - shape_ * (expm1(y) - y));
}

// log density is concave, so beyond x the density is below its tangent there.
Ball SphericalPanels::mass_beyond(double x) const {
  return density_at(x) / abs(shape_ * p_ * expm1(Ball(x) * p_));
}

Ball SphericalPanels::tail_at(double w) const {
  if (!(w > -1.0)) return 1.0;
  if (!(w < 1.0)) return 0.0;
  const Ball size = std::abs(w);
  const Ball smaller = exp(half_ * log((Ball(1.0) - size) * (size + 1.0)) - log_angle_scale_) *
                       symmetric_beta_mills(dimension_, size);
  return w >= 0.0 ? smaller : Ball(1.0) - smaller;
}

SphericalPanels::Tail SphericalPanels::tail_around(const Cosine& w) const {
  const bool upper = w.one_less.middle() <= 1.0;
  const Ball size = Ball(1.0) - (upper ? w.one_less : w.one_more), square = w.one_less * w.one_more;
  const Ball mills = symmetric_beta_mills(dimension_, size);
  const Ball smaller = exp(half_ * log(square) - log_angle_scale_) * mills;
  if (upper) return {smaller, Ball(1.0) / (square * mills)};
  const Ball value = Ball(1.0) - smaller;
  return {value, smaller / (square * mills * value)};
}

// The loss at the cosine `sign`, where r2 = |r1 + sign * step|.
Ball SphericalPanels::extreme_loss(const Ball& x, double sign) const {
  const Ball ratio = step_ * sign / exp(x), shift = log(abs(ratio + 1.0)) * p_;
  return slope_ * shift + shape_ * exp(x * p_) * expm1(shift);
}

// As a function of x the largest loss falls, then rises: where it does not exceed `loss` at two
// places, it does not between them. The least loss falls up to r1 = step; beyond, it rises and then
// falls.
std::optional<double> SphericalPanels::constant_tail(const Ball& low, const Ball& high) const {
  const auto never = [&](const Ball& x) {
    return (extreme_loss(x, 1.0) - loss_).surely_nonpositive();
  };
  const auto always = [&](const Ball& x) {
    return (Ball(loss_) - extreme_loss(x, -1.0)).surely_nonpositive();
  };
  if (never(high) && never(low)) return sign_ > 0.0 ? 0.0 : 1.0;
  const bool inside = (exp(high) - step_).surely_negative();
  const bool outside = (exp(low) - step_).surely_positive();
  if ((inside || (outside && always(low))) && always(high)) return sign_ > 0.0 ? 1.0 : 0.0;
  // Without a pole L > -k e^{px}, whatever the cosine.
  if (slope_.exactly_zero() && (shape_ * exp(high * p_) + loss_).surely_nonpositive())
    return sign_ > 0.0 ? 1.0 : 0.0;
  return std::nullopt;
}

// The density relative to its value in the middle, by its slope: |log ratio| <= slope * |t|.
SphericalPanels::Expansion SphericalPanels::density_expansion(const Point& point,
                                                              const Point& range,
                                                              double half_width) const {
  const Ball slope = shape_ * p_ * half_width * expm1(range.x * p_);
  const Ball change = exp(Ball(0.0).widened(abs(slope)));
  return {density_series(point, half_width, 1.0),
          density_series(range, half_width, Bounded(change))};
}

// P[W > w(x)] relative to its value in the middle: d/dt P[W > w] = -density(w) w'.
SphericalPanels::Expansion SphericalPanels::tail_expansion(const Cosines& cosines,
                                                           const Ball& hazard) const {
  const double exponent = (dimension_ - 3.0) / 2.0;
  const auto slope = [&](const Cosine& w, const Ball& ratio) {
    const Taylor weight = power(w.square, exponent, Bounded(exp(log(ratio) * exponent)));
    return weight * w.slope * Bounded(-hazard);
  };
  const Cosine &middle = cosines.middle, &any = cosines.everywhere;
  const Ball change = any.one_less * any.one_more / (middle.one_less * middle.one_more);
  const Taylor near = slope(middle, 1.0), far = slope(any, change);
  const Ball values = Ball(1.0).widened(Ball(far[0].magnitude()));
  return {antiderivative(near, 1.0), antiderivative(far, Bounded(values))};
}

Bounded SphericalPanels::integral(const Ball& middle, double half_width) const {
  const std::optional<double> known = constant_tail(middle - half_width, middle + half_width);
  if (known == 0.0) return 0.0;
  const Point point = point_at(middle), range = [&] {
    const PrecisionScope scope(64);  // ranges need few digits
    return points_within(middle, half_width, point.inner);
  }();
  const Expansion density = density_expansion(point, range, half_width);
  const Ball scale = density_at(middle) * half_width;
  const auto with_constant_tail = [&](const Ball& tail) {
    const Taylor one = constant(1.0);
    return Bounded(scale * tail) *
           integral_of_product(density.middle, one, density.everywhere, one);
  };
  if (known) return with_constant_tail(*known);
  const auto monotone = [&](const Ball& one_more, const Ball& one_less) {
    if (!one_more.finite() || !one_less.finite())
      return with_constant_tail(hull(Ball(0.0), Ball(1.0)));
    return with_constant_tail(
        hull(tail_at((one_more - 1.0).lower()), tail_at((Ball(1.0) - one_less).upper())));
  };
  if (!range.smooth || !point.smooth) {
    const Ball w = range.cosine * sign_;
    return monotone(w + 1.0, Ball(1.0) - w);
  }
  const auto attempt = [&](const Cosines& cosine) {
    const Cosine& any = cosine.everywhere;
    if (!any.one_more.surely_positive() || !any.one_less.surely_positive())
      return monotone(any.one_more, any.one_less);
    const Tail tail = tail_around(cosine.middle);
    const Expansion tails = tail_expansion(cosine, tail.hazard);
    const Bounded smooth =
        Bounded(scale * tail.value) *
        integral_of_product(density.middle, tails.middle, density.everywhere, tails.everywhere);
    return sharp(smooth) ? smooth : sharper(smooth, monotone(any.one_more, any.one_less));
  };
  const Bounded plain = attempt(plain_cosines(point, range, half_width));
  const double gap = 1.0 - std::abs(point.cosine.middle());
  if (plain.radius <= negligible_radius || gap > edge || (sharp(plain) && gap > narrow_edge))
    return plain;
  return sharper(attempt(edge_cosines(point, range, half_width)), plain);
}

}  // namespace modicum
