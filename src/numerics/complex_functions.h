// Elementary functions of complex numbers, of any precision, without the special cases of infinite
// operands.
#pragma once

#include <cmath>
#include <complex>

namespace modicum {

template <class Real>
std::complex<Real> times(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
std::complex<Real> exponential(std::complex<Real> z) {
  const Real size = std::exp(z.real());
  return {size * std::cos(z.imag()), size * std::sin(z.imag())};
}

/// log(1 + w), accurate for small w.
template <class Real>
std::complex<Real> log_of_one_plus(std::complex<Real> w) {
  return {std::log1p(2 * w.real() + std::norm(w)) / 2, std::atan2(w.imag(), 1 + w.real())};
}

/// e^x - 1 - x, to a few units of itself.
template <class Real>
std::complex<Real> beyond_tangent(std::complex<Real> x) {
  using Number = std::complex<Real>;
  const Real square = std::norm(x);
  if (square >= Real(0.25)) return exponential(x) - Number(1) - x;
  // 2 (1/2! + x/3! + ... + x^(n-2)/n!): the next is below 2^-70 of the first.
  const int n = square < Real(1e-4) ? 10 : square < Real(1e-2) ? 14 : 18;
  Number sum = 1;
  for (int k = n; k >= 3; --k) sum = Number(1) + times(sum, x) / Real(k);
  return times(times(x, x), sum) / Real(2);
}

template <class Real>
Real size_of(std::complex<Real> z) {
  return std::sqrt(std::norm(z));
}

}  // namespace modicum
