// Complex numbers in double arithmetic, each with a bound on what is wrong with it: balls of
// fifteen digits, at a hundredth of the cost (docs/derivations/moving-spectra.md).
#pragma once

#include <cmath>
#include <complex>

#include "numerics/ball.h"
#include "numerics/complex_functions.h"
#include "numerics/log1p_minus.h"

namespace modicum {

/// The disc of all numbers within `radius` of `middle` contains the true value; a radius that is
/// infinite or no number tells nothing. Operations round by less than 2^-50 of their result (and
/// 2^-1000, where that underflows), elementary functions err by less than four units in the last
/// place; both are more than doubled in the radius.
class Disc {
 public:
  using Complex = std::complex<double>;

  Disc(double exact = 0.0) : Disc(Complex(exact), 0.0) {}  // NOLINT: numbers are discs
  Disc(Complex middle, double radius) : middle_(middle), radius_(radius) {}
  explicit Disc(const ComplexBall& z)
      : middle_(z.real().middle(), z.imaginary().middle()),
        radius_(abs(z - ComplexBall(Ball(middle_.real()), Ball(middle_.imag()))).upper()) {}
  explicit Disc(const Ball& x) : Disc(ComplexBall(x)) {}

  Complex middle() const { return middle_; }
  double radius() const { return radius_; }
  bool finite() const { return std::isfinite(size() + radius_); }
  /// Bounds on the size, and on the real part.
  double most() const { return up(size_of(middle_) + radius_) + least_square_root; }
  double least() const {
    return size_of(middle_) * (1.0 - rounding) - up(radius_) - least_square_root;
  }
  double real_most() const { return middle_.real() + up(radius_) + rounding * size(); }

  friend Disc operator-(const Disc& a) { return {-a.middle_, a.radius_}; }
  friend Disc operator+(const Disc& a, const Disc& b) {
    const Complex sum = a.middle_ + b.middle_;
    return {sum, up(a.radius_ + b.radius_) + 0.25 * rounding * size_of_both(sum)};
  }
  friend Disc operator-(const Disc& a, const Disc& b) { return a + (-b); }
  friend Disc operator*(const Disc& a, const Disc& b) {
    const double x = a.size(), y = b.size();
    return {times(a.middle_, b.middle_),
            up(x * b.radius_ + y * a.radius_ + a.radius_ * b.radius_ + rounding * x * y) + tiny};
  }
  friend Disc operator/(const Disc& a, const Disc& b) {
    const double room = b.least();
    if (!(room > least_square_root && room < infinity)) return unknown();
    const Complex quotient = times(a.middle_, std::conj(b.middle_)) * (1.0 / std::norm(b.middle_));
    const double size = size_of_both(quotient);
    // The product may have lost up to 2^-1070 where the quotient is an ordinary number.
    const double lost = 0x1p-1070 / std::norm(b.middle_);
    return {quotient, up((a.radius_ + size * b.radius_) / room + rounding * size + lost) + tiny};
  }
  Disc& operator+=(const Disc& b) { return *this = *this + b; }

  friend Disc exp(const Disc& z) {
    if (!(z.radius_ <= 1.0)) return unknown();
    const Complex value = exponential(z.middle_);
    const double size = size_of_both(value);
    return {value, up(size * (std::expm1(z.radius_) + rounding * std::exp(z.radius_))) + tiny};
  }
  /// log(1 + x) - x, principal branch. Its slope is -x/(1 + x).
  friend Disc log1p_minus(const Disc& x) {
    const Complex value = log1p_minus(x.middle_), one_more = 1.0 + x.middle_;
    const double r = x.radius_, left = Disc(one_more, up(r) + rounding).least();
    const bool beside_the_cut = one_more.real() > up(r) + rounding || std::abs(one_more.imag()) > r;
    if (!(left > 0.0 && beside_the_cut)) return unknown();
    const bool by_series = std::norm(x.middle_) < 0.0625;
    const double lost =
        by_series ? 8.0 * size_of_both(value) : 1.0 + size_of_both(value) + x.size();
    return {value, up(r * (x.size() + r) / left + 4.0 * rounding * lost) + tiny};
  }

 private:
  static constexpr double rounding = 0x1p-50, tiny = 0x1p-1000, least_square_root = 0x1p-500;
  static Disc unknown() { return {0.0, infinity}; }
  // Sums and products of radii are themselves rounded.
  static double up(double radius) { return radius * (1.0 + rounding); }
  static double size_of_both(Complex z) { return std::abs(z.real()) + std::abs(z.imag()); }
  double size() const { return size_of_both(middle_); }

  Complex middle_;
  double radius_;
};

}  // namespace modicum
