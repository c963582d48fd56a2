// log1p and expm1 of complex numbers, and of real ones by the same names.
#pragma once

#include <cmath>
#include <complex>

namespace modicum {

inline double log1p_of(double x) { return std::log1p(x); }
inline std::complex<double> log1p_of(const std::complex<double>& z) {
  return {0.5 * std::log1p(z.real() * (2.0 + z.real()) + z.imag() * z.imag()),
          std::atan2(z.imag(), 1.0 + z.real())};
}
inline double expm1_of(double x) { return std::expm1(x); }
inline std::complex<double> expm1_of(const std::complex<double>& z) {
  const double grown = std::expm1(z.real()), half = std::sin(z.imag() / 2.0);
  return {grown - 2.0 * half * half * (grown + 1.0), (grown + 1.0) * std::sin(z.imag())};
}

}  // namespace modicum
