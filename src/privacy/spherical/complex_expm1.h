// Functions of complex numbers: log1p and expm1, of real ones by the same names, and a modulus and a
// logarithm that are quicker than those of the library.
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

/// To two units of the last place.
inline double modulus(const std::complex<double>& z) {
  const double square = std::norm(z);
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::abs(z);
}
/// To a unit of the last place of 1 or of itself, whichever is larger.
inline std::complex<double> log_of(const std::complex<double>& z) {
  const double square = std::norm(z);
  return {square > 1e-280 && square < 1e280 ? 0.5 * std::log(square) : std::log(std::abs(z)),
          std::atan2(z.imag(), z.real())};
}

}  // namespace modicum
