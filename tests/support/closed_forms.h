// Formulas of their own: none of them goes through the contour integral.
#pragma once

#include <arb_hypgeom.h>

#include <cmath>

#include "numerics/ball.h"

namespace modicum::testing {

/// Doubles the precision from 128 bits until the value is known to `digits` bits.
template <class Formula>
Ball evaluated(Formula formula, long accuracy = 100) {
  for (long bits = 128;; bits *= 2) {
    const PrecisionScope scope(bits);
    const Ball value = formula();
    if (bits > 100000 || (value.finite() && arb_rel_accuracy_bits(value.raw()) >= accuracy))
      return value;
  }
}

/// Equal covariances at Mahalanobis distance t: Phi(t/2 - e/t) - e^e Phi(-t/2 - e/t).
inline Ball equal_covariance_delta(double distance, double epsilon) {
  return evaluated([&] {
    const Ball t = distance, e = epsilon, root = sqrt(Ball(2.0));
    const Ball near = (e / t - t / 2.0) / root, far = (e / t + t / 2.0) / root;
    return (erfc(near) - exp(e) * erfc(far)) / 2.0;
  });
}

/// Q(a, x) = Gamma(a, x) / Gamma(a).
inline Ball gamma_upper(const Ball& a, const Ball& x) {
  if (!x.surely_positive()) return 1.0;
  Ball result;
  arb_hypgeom_gamma_upper(result.raw(), a.raw(), x.raw(), 1, PrecisionScope::bits());
  return result;
}

/// N(0, rho I_r) against N(0, I_r), rho > 1, in terms of incomplete gamma functions
/// [LuWei2026, Lemma 4]. `ratio` makes rho at the working precision.
template <class Ratio>
Ball larger_variance_first(double columns, Ratio ratio, double epsilon) {
  return evaluated([&] {
    const Ball half = Ball(columns) / 2.0, rho = ratio();
    const Ball t = Ball(2.0) * (Ball(epsilon) + half * log(rho)) / (rho - 1.0);
    // Under X the squared norm is rho chi2; L > epsilon where chi2 > t (X), chi2 > rho t (Y).
    if (!t.surely_positive()) return -expm1(Ball(epsilon));
    return gamma_upper(half, t / 2.0) - exp(Ball(epsilon)) * gamma_upper(half, rho * t / 2.0);
  });
}

/// N(0, I_r) against N(0, rho I_r), rho > 1.
template <class Ratio>
Ball smaller_variance_first(double columns, Ratio ratio, double epsilon) {
  return evaluated([&] {
    const Ball half = Ball(columns) / 2.0, rho = ratio();
    const Ball t = Ball(2.0) * (half * log(rho) - Ball(epsilon)) / (rho - 1.0);
    // Under Y (the first law here) -L > epsilon where chi2 < rho t; under X where chi2 < t.
    if (!t.surely_positive()) return Ball(0.0);
    return (Ball(1.0) - gamma_upper(half, rho * t / 2.0)) -
           exp(Ball(epsilon)) * (Ball(1.0) - gamma_upper(half, t / 2.0));
  });
}

namespace detail {

// Integral of f over (a, b), f smooth inside; a or b may be infinite.
template <class Function>
long double tanh_sinh(Function f, long double a, long double b) {
  const long double half_pi = 1.5707963267948966192313216916397514421L, h = 1.0L / 64;
  long double sum = 0;
  for (int k = -6 * 64; k <= 6 * 64; ++k) {
    const long double t = k * h, s = half_pi * std::sinh(t), w = half_pi * std::cosh(t);
    long double x, weight;
    if (std::isfinite(a) && std::isfinite(b)) {
      // Distances from the nearer end keep their digits.
      const long double q = 1 / (1 + std::exp(2 * std::abs(s)));
      x = s < 0 ? a + (b - a) * q : b - (b - a) * q;
      weight = (b - a) * 2 * q * (1 - q) * w;
    } else if (std::isfinite(a) || std::isfinite(b)) {
      const long double r = std::exp(s);
      x = std::isfinite(a) ? a + r : b - r;
      weight = r * w;
    } else {
      x = std::sinh(s);
      weight = std::cosh(s) * w;
    }
    const long double value = f(x);
    if (std::isfinite(weight) && std::isfinite(value)) sum += value * weight;
  }
  return sum * h;
}

}  // namespace detail

/// delta of N(mean, tau) against N(0, 1) by its definition: the integral of (p - e^epsilon q)_+
/// between the roots of a quadratic, each piece an integral of one sign by the tanh-sinh rule in
/// long double. Good to about 1e-15 relative where delta > 1e-30 and |epsilon| <= 50.
inline long double one_dimensional_delta(long double mean, long double tau, long double epsilon) {
  const long double unbounded = INFINITY, root_two_pi = 2.50662827463100050241576528481104525L;
  // L(x) = a x^2 + b x + c
  const long double a = (1 - 1 / tau) / 2, b = mean / tau,
                    c = -mean * mean / (2 * tau) - std::log(tau) / 2;
  const auto density_gap = [&](long double x) {
    const long double gap = (a * x + b) * x + c - epsilon;
    const long double p =
        std::exp(-(x - mean) * (x - mean) / (2 * tau)) / (root_two_pi * std::sqrt(tau));
    return gap > 0 ? -p * std::expm1(-gap) : 0.0L;
  };
  const auto integral = [&](long double low, long double high) {
    // Split at the center of X, so that each piece falls from one end.
    if (low < mean && mean < high)
      return detail::tanh_sinh(density_gap, low, mean) + detail::tanh_sinh(density_gap, mean, high);
    return detail::tanh_sinh(density_gap, low, high);
  };
  if (a == 0) {
    const long double edge = (epsilon - c) / b;
    return b > 0 ? integral(edge, unbounded) : integral(-unbounded, edge);
  }
  const long double discriminant = b * b - 4 * a * (c - epsilon);
  if (discriminant <= 0) return a > 0 ? integral(-unbounded, unbounded) : 0.0L;
  const long double q = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  const long double first = q / a, second = (c - epsilon) / q;
  const long double low = std::min(first, second), high = std::max(first, second);
  if (a < 0) return integral(low, high);
  return integral(-unbounded, low) + integral(high, unbounded);
}

}  // namespace modicum::testing
