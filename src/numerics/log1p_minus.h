// l(x) = log(1 + x) - x without cancellation.
#pragma once

#include <cmath>
#include <complex>

namespace modicum {

// With s = x / (2 + x): log(1 + x) = 2 atanh(s) and 2 s - x = -x s, hence
//   l(x) = -x s + 2 (s^3/3 + s^5/5 + ...),
// whose first term dominates: no cancellation. For |x| < 1/4, |s| < 1/7 and the first term left
// out, s^23/23, is below 2^-68 |x s|.
template <class Number>
Number log1p_minus_series(Number x) {
  using Scalar = decltype(std::abs(x));
  const Number s = x / (Scalar(2) + x), q = s * s;
  Number sum = Scalar(1) / Scalar(21);
  for (int k = 19; k >= 3; k -= 2) sum = sum * q + Scalar(1) / Scalar(k);
  return s * (Scalar(2) * q * sum - x);
}

// The same with real arithmetic written out: std::complex divides by way of special cases.
template <>
inline std::complex<double> log1p_minus_series(std::complex<double> x) {
  const double a = 2.0 + x.real(), b = x.imag(), size = a * a + b * b;
  const double sx = (x.real() * a + b * b) / size, sy = (b * a - x.real() * b) / size;
  const double qx = sx * sx - sy * sy, qy = 2.0 * sx * sy;
  double px = 1.0 / 21.0, py = 0.0;
  for (int k = 19; k >= 3; k -= 2) {
    const double next = px * qx - py * qy + 1.0 / k;
    py = px * qy + py * qx;
    px = next;
  }
  const double rx = 2.0 * (qx * px - qy * py) - x.real(), ry = 2.0 * (qx * py + qy * px) - b;
  return {sx * rx - sy * ry, sx * ry + sy * rx};
}

template <class Real>
Real log1p_minus(Real x) {
  return std::abs(x) < Real(0.25) ? log1p_minus_series(x) : std::log1p(x) - x;
}

inline std::complex<double> log1p_minus(std::complex<double> x) {
  if (std::norm(x) < 0.0625) return log1p_minus_series(x);
  const double real = 1.0 + x.real();
  return {std::log(std::hypot(real, x.imag())) - x.real(), std::atan2(x.imag(), real) - x.imag()};
}

}  // namespace modicum
