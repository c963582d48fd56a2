#include "privacy/laws/atomic_moment.h"

#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"

namespace modicum {
namespace {

long double to_long_double(const Precise& value) {
  return static_cast<long double>(value.high) + value.low;
}

ComplexBall cosh(const ComplexBall& x) {
  ComplexBall result;
  acb_cosh(result.raw(), x.raw(), PrecisionScope::bits());
  return result;
}

Ball cosh(const Ball& x) { return (exp(x) + exp(-x)) / 2.0; }

// Of linear + log(factor), the factor a sum of terms of size 1 at most.
double rounding_of(std::complex<double> linear, std::complex<double> factor) {
  return 4.0 + 2.0 * std::abs(linear) + 4.0 / std::max(std::abs(factor), 1e-12);
}

}  // namespace

// cosh(u e) / cosh(e/2) = e^{z e} (1 + e^{-2 u e}) / (1 + e^{-e}), u = z + 1/2 with Re u >= 0:
// nothing of the size of e itself is added and taken away again.
Jet TwoPointMoment::jet(long double x) const {
  const long double e = to_long_double(part_.epsilon), n = part_.count, u = std::abs(x + 0.5L);
  const long double sign = x < -0.5L ? -1 : 1, linear = e * (x < -0.5L ? -1 - x : x);
  const long double rest = std::log1p(std::exp(-2 * u * e)), base = std::log1p(std::exp(-e));
  const long double slope = std::tanh(u * e);
  return {n * (linear + rest - base),
          n * e * sign * slope,
          n * e * e * (1 - slope) * (1 + slope),
          n * (std::abs(linear) + rest + base),
          n * e,
          0};
}

LogMomentValue TwoPointMoment::at(std::complex<double> z) const {
  const double e = part_.epsilon.high, n = part_.count;
  const bool left = z.real() < -0.5;
  const std::complex<double> u = left ? -(z + 0.5) : z + 0.5, factor = 1.0 + std::exp(-2.0 * e * u);
  const std::complex<double> linear = e * (left ? -1.0 - z : z);
  return {n * (linear + (std::log(factor) - std::log1p(std::exp(-e)))),
          n * rounding_of(linear, factor)};
}

ComplexBall TwoPointMoment::moment(const ComplexBall& z) const {
  const Ball e = to_ball(part_.epsilon);
  return power(cosh((z + ComplexBall(Ball(0.5))) * e) / ComplexBall(cosh(e / 2.0)), part_.count);
}

Ball TwoPointMoment::value(const Ball& x) const {
  const Ball e = to_ball(part_.epsilon);
  return Ball(part_.count) * log(cosh((x + 0.5) * e) / cosh(e / 2.0));
}

// |cosh(u e)| <= cosh(Re u e), attained again and again.
Ball TwoPointMoment::far_bound(const Ball& x, const Ball&) const { return value(x); }

// With C = cosh(u a), S = sinh(u a): g = C + S/(2u); derivatives by hand, scaled by exp(-|u| a).
// -a/2 + |u| a is a x, or a (-1 - x) left of the middle: nothing of the size of a cancels.
Jet LaplaceMoment::jet(long double x) const {
  const long double a = to_long_double(part_.range), n = part_.count;
  const long double u = std::abs(x + 0.5L), sign = x < -0.5L ? -1 : 1;
  const long double linear = a * (x < -0.5L ? -1 - x : x);
  const long double small = std::exp(-2 * u * a);
  const long double c = (1 + small) / 2, y = u * a;
  // S/u, (S/u)' and (S/u)'' need care near u = 0.
  long double s0, s1, s2;
  if (y < 1e-3L) {
    const long double scale = std::exp(-y);
    s0 = scale * a * (1 + y * y / 6 + y * y * y * y / 120);
    s1 = scale * a * a * (y / 3 + y * y * y / 30);
    s2 = scale * a * a * a * (1.0L / 3 + y * y / 10);
  } else {
    const long double s = (1 - small) / 2;
    s0 = s / u;
    s1 = (a * c - s0) / u;
    s2 = (a * a * s - 2 * s1) / u;
  }
  const long double sinh_part = (1 - small) / 2;
  const long double g = c + s0 / 2, first = a * sinh_part + s1 / 2, second = a * a * c + s2 / 2;
  const long double slope = first / g;
  return {n * (linear + std::log(g)),
          n * sign * slope,
          n * (second / g - slope * slope),
          n * (std::abs(linear) + std::abs(std::log(g)) + 1),
          n * slope,
          0};
}

LogMomentValue LaplaceMoment::at(std::complex<double> z) const {
  const double a = part_.range.high, n = part_.count;
  const bool left = z.real() < -0.5;
  const std::complex<double> u = left ? -(z + 0.5) : z + 0.5, small = std::exp(-2.0 * a * u);
  const std::complex<double> factor = 0.5 * (1.0 + small) + 0.25 * (1.0 - small) / u;
  const std::complex<double> linear = a * (left ? -1.0 - z : z);
  return {n * (linear + std::log(factor)), n * rounding_of(linear, factor)};
}

ComplexBall LaplaceMoment::moment(const ComplexBall& z) const {
  const Ball a = to_ball(part_.range);
  const ComplexBall y = (z + ComplexBall(Ball(0.5))) * a;
  return power((cosh(y) + sinhc(y) * (a / 2.0)) * exp(-a / 2.0), part_.count);
}

Ball LaplaceMoment::value(const Ball& x) const { return log(moment(ComplexBall(x)).real()); }

// With g(u) = cosh(u a) + sinh(u a)/(2u), x + 1/2 = Re u:
// (i) |g(u)|^2 <= g(Re u)^2 - sin^2(a Im u), from the two atoms of the tilted law alone;
// (ii) |g(u)| <= cosh(a Re u) (1 + 1/(2 |u|)).
// Up to a quarter period (i) falls with Im u; from there on (ii) does.
Ball LaplaceMoment::far_bound(const Ball& x, const Ball& height) const {
  const Ball a = to_ball(part_.range), u = x + 0.5, n = part_.count;
  const Ball quarter = Ball::pi() / (a * 2.0), c = cosh(u * a);
  const auto second = [&](const Ball& y) {
    return log(c * (Ball(1.0) + Ball(0.5) / sqrt(u * u + y * y))) - a / 2.0;
  };
  if (!(quarter - height).surely_positive()) return n * second(height);
  const Ball g = c + (exp(u * a) - exp(-u * a)) / (u * 4.0);
  Ball sine;
  arb_sin(sine.raw(), (height * a).raw(), PrecisionScope::bits());
  const Ball first = log(g * g - sine * sine) / 2.0 - a / 2.0;
  return n * max(first, second(quarter));
}

}  // namespace modicum
