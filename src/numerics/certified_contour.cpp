#include <cmath>

#include "numerics/ball_integral.h"
#include "numerics/contour.h"

namespace modicum {
namespace {

// exp(R(d) + slope d) * kernel(c + d), with slope = K'(c) - s.
struct MomentIntegrand {
  const BallExpansion& expansion;
  Ball center, slope;
  Kernel kernel;

  ComplexBall kernel_at(const ComplexBall& d) const {
    ComplexBall denominator(Ball(1.0));
    if (has_pole_at_zero(kernel)) denominator *= d + center;
    if (has_pole_at_minus_one(kernel)) denominator *= d + (center + 1.0);
    const ComplexBall result = ComplexBall(Ball(1.0)) / denominator;
    return closes_on_the_left(kernel) ? -result : result;
  }
  ComplexBall at(const ComplexBall& d) const { return exp(expansion.at(d, slope)) * kernel_at(d); }

  // Encloses [0, bound] for |integral from c + d straight up|: expansion.above bounds the
  // exponent, Bernoulli's inequality the kernel (docs/derivations/contour-integral.md).
  Ball remainder(const ComplexBall& d) const {
    const BallVerticalBound above = expansion.above(d);
    const auto decay = [&](const Ball& pole) {
      const Ball x = center - pole + d.real(), y = d.imaginary();
      return y * y / (x * x + y * y);
    };
    Ball rate = above.power - 1.0;
    if (has_pole_at_zero(kernel)) rate += decay(0.0);
    if (has_pole_at_minus_one(kernel)) rate += decay(-1.0);
    if (!rate.surely_positive()) return Ball::between(-HUGE_VAL, HUGE_VAL);
    return exp(above.bound + d.real() * slope) * abs(kernel_at(d)) * d.imaginary() / rate;
  }
};

}  // namespace

// The path of double arithmetic as a polygon with exact corners, symmetric about the real axis:
// I = (1/pi) Im(integral over its upper half), and what lies above the last corner is bounded.
std::optional<Ball> certified_contour_integral(const LogMoment& moment, const Ball& shift,
                                               Kernel kernel, const ContourPath& path,
                                               int accuracy) {
  const std::unique_ptr<BallExpansion> expansion = moment.expand_ball(path.center);
  const Ball center = path.center;
  const MomentIntegrand integrand{*expansion, center, expansion->slope() - shift, kernel};

  const double size = abs(integrand.kernel_at(ComplexBall(Ball(0.0)))).upper() * path.scale;
  const BallIntegrand along = [&](const ComplexBall& d, bool) { return integrand.at(d); };
  const IntegralEffort effort{std::ldexp(size, -accuracy), accuracy + 1, 500};
  const int segments = std::max(1, static_cast<int>(std::ceil(path.end / 0.7)));
  ComplexBall from, sum;
  for (int k = 1; k <= segments; ++k) {
    const std::complex<double> d = path.displacement(path.end * k / segments);
    const ComplexBall to(Ball(d.real()), Ball(d.imag()));
    sum += integrate(along, from, to, effort);
    // As wide as the whole integral: more precision or another path is needed, not more segments.
    const double radius = mag_get_d(arb_radref(acb_imagref(sum.raw())));
    if (!sum.finite() || !(radius < size)) return std::nullopt;
    from = to;
  }
  const Ball remainder = integrand.remainder(from);
  if (!remainder.finite()) return std::nullopt;
  const Ball scale = exp(expansion->value() - center * shift);
  return scale * sum.imaginary().widened(remainder) / Ball::pi();
}

// (1 - e^-x)_+ <= e^{c x} c^c / (1 + c)^{1 + c}; the other four functions are at most e^{c x}.
Ball chernoff_bound(const LogMoment& moment, const Ball& shift, Kernel kernel) {
  const Strip strip = strip_of(moment, kernel);
  Ball best = Ball(HUGE_VAL);
  const auto consider = [&](double c) {
    if (!(c > strip.lower && c < strip.upper)) return;
    Ball exponent = moment.expand_ball(c)->value() - Ball(c) * shift;
    if (kernel == Kernel::profile)
      exponent += Ball(c) * log(Ball(c)) - (Ball(c) + 1.0) * log1p(Ball(c));
    const Ball bound = exp(exponent);
    if (bound.finite() && bound.upper() < best.upper()) best = bound;
  };
  const double reach = 1e15;
  for (double step = 1e-6; step < reach; step *= 2.0) {
    if (std::isfinite(strip.lower))
      consider(strip.lower + std::min(step, strip.upper - strip.lower));
    if (std::isfinite(strip.upper))
      consider(strip.upper - std::min(step, strip.upper - strip.lower));
    if (!std::isfinite(strip.lower) && !std::isfinite(strip.upper)) {
      consider(step);
      consider(-step);
    }
  }
  return best;
}

}  // namespace modicum
