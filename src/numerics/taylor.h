// Power series truncated at a fixed order, in double arithmetic with rounding accounted for: each
// coefficient is a midpoint and a radius, and every operation adds a bound on its own rounding.
#pragma once

#include <array>
#include <cmath>

#include "numerics/ball.h"

namespace modicum {

/// |true value - middle| <= radius. A radius of infinity or NaN means that nothing is known.
struct Bounded {
  Bounded(double exact = 0.0) : middle(exact) {}  // NOLINT: numbers are bounded
  Bounded(double value, double error) : middle(value), radius(error) {}
  explicit Bounded(const Ball& ball);
  double middle, radius = 0.0;

  double magnitude() const;  ///< not below |true value|
  Ball ball() const;
};

namespace rounding {

constexpr double unit = 0x1p-53;  // relative rounding error of one operation
// Products below the normal range lose more than `unit`, but far less than this. So large that
// its own products rarely are subnormal numbers, which are slow.
constexpr double underflow = 0x1p-900;
// Radii are sums of non-negative terms of fewer than 100 roundings; this covers them.
constexpr double inflation = 1.0 + 0x1p-44;

inline Bounded rounded(double middle, double radius, int operations) {
  return {middle, (radius + operations * unit * std::abs(middle) + underflow) * inflation};
}

}  // namespace rounding

inline double Bounded::magnitude() const {
  return (std::abs(middle) + radius) * rounding::inflation;
}

inline Bounded operator+(const Bounded& a, const Bounded& b) {
  return rounding::rounded(a.middle + b.middle, a.radius + b.radius, 1);
}

inline Bounded operator-(const Bounded& a, const Bounded& b) {
  return rounding::rounded(a.middle - b.middle, a.radius + b.radius, 1);
}

inline Bounded operator-(const Bounded& a) { return {-a.middle, a.radius}; }

inline Bounded operator*(const Bounded& a, const Bounded& b) {
  const double error = std::abs(a.middle) * b.radius + a.radius * (std::abs(b.middle) + b.radius);
  return rounding::rounded(a.middle * b.middle, error, 1);
}

/// Nothing is known if the divisor may be zero. With q = A/B of the midpoints,
/// |(A + x)/(B + y) - q| <= (|x| + |q y|)/(|B| - |y|).
inline Bounded operator/(const Bounded& a, const Bounded& b) {
  const double least = (std::abs(b.middle) - b.radius) * (2.0 - rounding::inflation);
  if (!(least > 0.0)) return {0.0, infinity};
  const double quotient = a.middle / b.middle;
  const double error = a.radius + std::abs(quotient) * rounding::inflation * b.radius;
  return rounding::rounded(quotient, error / least, 2);
}

/// Coefficients of t^0 .. t^order. With coefficients that hold for every expansion point of a panel
/// the last one bounds Taylor's remainder there.
class Taylor {
 public:
  static constexpr int order = 20;

  Taylor() { middle_.fill(0.0), radius_.fill(0.0); }
  Bounded operator[](int n) const { return {middle_[n], radius_[n]}; }
  void set(int n, const Bounded& value) { middle_[n] = value.middle, radius_[n] = value.radius; }

  /// Sum over j = first .. last of a_j b_{n-j}: the step of every recurrence.
  static Bounded convolution(const Taylor& a, const Taylor& b, int n, int first, int last);

 private:
  std::array<double, order + 1> middle_, radius_;
};

Taylor operator+(const Taylor& a, const Taylor& b);
Taylor operator-(const Taylor& a, const Taylor& b);
Taylor operator-(const Taylor& a);
Taylor operator*(const Taylor& a, const Taylor& b);
Taylor operator*(const Taylor& a, const Bounded& b);

/// b must not contain 0 at t = 0.
Taylor operator/(const Taylor& a, const Taylor& b);

/// first * exp(rate t)
Taylor exponential_of_linear(const Bounded& first, const Bounded& rate);
/// exp(a), its value at t = 0 given.
Taylor exponential(const Taylor& a, const Bounded& first);
/// a^exponent, its value at t = 0 given; a must not contain 0 there.
Taylor power(const Taylor& a, double exponent, const Bounded& first);
/// The last coefficient is lost.
Taylor derivative(const Taylor& a);
/// Antiderivative with the given value at t = 0.
Taylor antiderivative(const Taylor& a, const Bounded& first);

/// Encloses the integral of ab over t in [-1, 1]. `around_middle` expand at t = 0; `everywhere`
/// hold for every expansion point of [-1, 1]. Taylor's formula with its remainder.
Bounded integral_of_product(const Taylor& a_around_middle, const Taylor& b_around_middle,
                            const Taylor& a_everywhere, const Taylor& b_everywhere);

}  // namespace modicum
