#include "privacy/laws/discrete_gaussian_sum.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// What is left out is below e^-negligible of what counts, which is below the digits of the balls.
constexpr double negligible = 150.0;

Ball cosine(const Ball& x) {
  Ball result;
  arb_cos(result.raw(), x.raw(), PrecisionScope::bits());
  return result;
}
ComplexBall cosine(const ComplexBall& x) {
  ComplexBall result;
  acb_cos(result.raw(), x.raw(), PrecisionScope::bits());
  return result;
}
Ball imaginary_size(const Ball&) { return 0.0; }
Ball imaginary_size(const ComplexBall& c) { return abs(c.imaginary()); }
double place_of(const Ball& c) { return c.middle(); }
double place_of(const ComplexBall& c) { return c.real().middle(); }

// sigma < 1: the sum itself. Terms are e^{y^2 / (2 sigma^2)}, y the imaginary part, times those of
// the real part; beyond 23 from it each is at most e^{-23/2} of the one before.
template <class Number>
Number theta_of_narrow(double sigma, const Number& c) {
  const Ball twice = Ball(sigma) * Ball(sigma) * 2.0, y = imaginary_size(c);
  const double nearest = std::floor(place_of(c));
  Number sum = Ball(0.0);
  for (double k = -24.0; k <= 24.0; k += 1.0) {
    const Number distance = Number(Ball(nearest + k)) - c;
    sum += exp(-(distance * distance) * Number(Ball(1.0) / twice));
  }
  return sum.widened(exp((y * y - Ball(23.0 * 23.0)) / twice) * 4.0);
}

// sigma >= 1: Poisson's formula. |cos(2 pi j c)| <= e^{2 pi j |y|}, so the j-th term is at most
// e^{-2 pi^2 sigma^2 j^2 + 2 pi j |y|}. For |y| <= pi sigma^2 all further ones together are at most
// this much again.
template <class Number>
Number theta_of_wide(double sigma, const Number& c) {
  const Ball factor = Ball::pi() * Ball::pi() * Ball(sigma) * Ball(sigma) * 2.0;
  const Ball two_pi = Ball::pi() * 2.0, y = imaginary_size(c);
  const auto log_most = [&](double j) { return two_pi * Ball(j) * y - factor * Ball(j * j); };
  Number sum = Ball(1.0);
  double j = 1.0;
  for (; j <= 8.0 && !(log_most(j).upper() < -2.0 * negligible); j += 1.0)
    sum += cosine(c * Number(two_pi * Ball(j))) * Number(exp(-factor * Ball(j * j)) * 2.0);
  return sum.widened(exp(log_most(j)) * 4.0) * Number(sqrt(two_pi) * Ball(sigma));
}

template <class Number>
Number theta_of(double sigma, const Number& c) {
  return sigma < 1.0 ? theta_of_narrow(sigma, c) : theta_of_wide(sigma, c);
}

// With S the sum, s^2 = count sigma^2, M(z) = E[e^{zk}] = e^{sigma^2 z^2 / 2} theta(sigma^2 z) /
// theta(0): the trapezoidal sum over N nodes t of M(z)^count e^{-zm} / (1 - e^{-z}), z = tilt + it,
// is exactly
//   sum over all whole q of e^{tilt q N} P[S >= m + q N],
// the wanted one and others above 0. S is subgaussian: P[S >= x] <= e^{-x^2 / (2 s^2)}.
struct Trapezoid {
  double sigma, count, m, tilt, nodes;

  Trapezoid(double given_sigma, double given_count, double given_m)
      : sigma(given_sigma), count(given_count), m(given_m) {
    const double s = sigma * std::sqrt(count), x = m / s;
    tilt = (x + 1.0) / s;
    const double periods =
        std::max(1.0 + std::sqrt(2.0 * negligible), (x * x / 2.0 + negligible) / (x + 1.0));
    nodes = 2.0 * std::ceil(0.5 * periods * s) + 1.0;
  }

  Ball others() const {
    const Ball n = nodes, variance = Ball(sigma) * Ball(sigma) * Ball(count);
    const Ball before = exp(-Ball(tilt) * n);
    const auto after = [&](double q) {
      const Ball place = Ball(m) + n * Ball(q);
      return exp(Ball(tilt) * n * Ball(q) - place * place / (variance * 2.0));
    };
    // Their quotients fall with q.
    const Ball first = after(1.0), ratio = after(2.0) / first;
    if (!(before.upper() < 0.5 && ratio.upper() < 0.5)) return Ball(infinity);
    return Ball::between(0.0, 2.0) * (before + first);
  }

  // Of its power the logarithm is small, so that digits last.
  ComplexBall at(const Ball& t) const {
    const ComplexBall z(Ball(tilt), t), variance = Ball(sigma) * Ball(sigma);
    const ComplexBall quotient =
        theta_of(sigma, variance * z) * (Ball(1.0) / theta_of(sigma, Ball(0.0)));
    const ComplexBall one = Ball(1.0);
    return power(quotient, count) * exp(z * z * variance * Ball(0.5 * count) - z * Ball(m)) /
           (one - exp(-z));
  }

  // |M(tilt + it)| <= e^{sigma^2 tilt^2 / 2} phi(t), phi the characteristic function, which falls
  // from 0 to pi: both follow from Poisson's formula, whose terms are positive.
  Ball most_from(const Ball& t) const {
    const Ball variance = Ball(sigma) * Ball(sigma), c = tilt;
    const Ball phi = (theta_of(sigma, ComplexBall(Ball(0.0), variance * t)).real() /
                      theta_of(sigma, Ball(0.0))) *
                     exp(-variance * t * t / 2.0);
    return exp(variance * c * c * Ball(0.5 * count) - c * Ball(m)) *
           power(ComplexBall(phi), count).real() / -expm1(-c);
  }

  Ball sum() const {
    const Ball step = Ball::pi() * 2.0 / Ball(nodes);
    const double half = (nodes - 1.0) / 2.0, s = sigma * std::sqrt(count);
    // Beyond, the integrand is e^-negligible of what it is at 0.
    const double far = std::ceil(std::sqrt(2.0 * negligible) / s * nodes / 6.28);
    Ball sum = at(Ball(0.0)).real();
    double k = 1.0;
    for (; k <= std::min(half, far); k += 1.0) sum += at(step * Ball(k)).real() * 2.0;
    if (k <= half) sum = sum.widened(most_from(step * Ball(k)) * Ball(2.0 * (half - k + 1.0)));
    return sum / Ball(nodes);
  }
};

}  // namespace

Ball gaussian_theta(double sigma, const Ball& c) { return theta_of(sigma, c); }

Ball gaussian_sum_above(double sigma, double count, double m) {
  // A tail so far out that a bound will do.
  const Ball variance = Ball(sigma) * Ball(sigma) * Ball(count);
  const Ball bound = exp(-Ball(m) * Ball(m) / (variance * 2.0));
  if (!(bound.upper() > 1e-300)) return Ball::between(0.0, 1.0) * bound;
  const Trapezoid rule(sigma, count, m);
  const Ball found = rule.sum() - rule.others();
  if (!found.finite()) return Ball::between(0.0, 1.0) * bound;
  return max(min(found, bound), Ball(0.0));
}

}  // namespace modicum
