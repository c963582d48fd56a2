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

template <class Real>
Real size_of(std::complex<Real> z) {
  return std::sqrt(std::norm(z));
}

}  // namespace modicum
