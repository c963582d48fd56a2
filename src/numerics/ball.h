// Real and complex ball arithmetic (Arb), with operators. A ball contains the true value always;
// precision only decides how wide it is.
#pragma once

#include <acb.h>
#include <arb.h>

#include <limits>
#include <utility>

#include "modicum/numerics/enclosure.h"

namespace modicum {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// From 1 to the next double.
inline constexpr double ulp = std::numeric_limits<double>::epsilon();
/// What the proofs of mechanisms work with: three times the digits of a double.
inline constexpr long proof_bits = 160;

/// Bits used by every ball operation of this thread while the scope lives.
class PrecisionScope {
 public:
  explicit PrecisionScope(long bits) : previous_(current_) { current_ = bits; }
  ~PrecisionScope() { current_ = previous_; }
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;
  static long bits() { return current_; }

 private:
  static constinit thread_local long current_;
  long previous_;
};

class Ball {
 public:
  Ball() { arb_init(value_); }
  Ball(double exact) : Ball() { arb_set_d(value_, exact); }  // NOLINT: numbers are balls
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball(Ball&& other) noexcept : Ball() { arb_swap(value_, other.value_); }
  Ball& operator=(Ball other) {
    arb_swap(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  static Ball pi();
  /// The interval [lower, upper]; throws InvalidParameter unless lower <= upper, as for NaN.
  static Ball between(double lower, double upper);

  arb_ptr raw() { return value_; }
  arb_srcptr raw() const { return value_; }

  double middle() const;
  double lower() const;  ///< a double not above the ball
  double upper() const;  ///< a double not below the ball
  Enclosure enclosure() const { return {lower(), upper()}; }
  bool finite() const { return arb_is_finite(value_) != 0; }
  bool exactly_zero() const { return arb_is_zero(value_) != 0; }
  bool surely_positive() const { return arb_is_positive(value_) != 0; }
  bool surely_negative() const { return arb_is_negative(value_) != 0; }
  bool surely_nonpositive() const { return arb_is_nonpositive(value_) != 0; }
  bool contains_zero() const { return arb_contains_zero(value_) != 0; }
  /// The same ball, wider by `radius` on both sides.
  Ball widened(const Ball& radius) const;
  Ball midpoint() const;

  Ball& operator+=(const Ball& b) {
    arb_add(value_, value_, b.value_, bits());
    return *this;
  }
  Ball& operator-=(const Ball& b) {
    arb_sub(value_, value_, b.value_, bits());
    return *this;
  }
  Ball& operator*=(const Ball& b) {
    arb_mul(value_, value_, b.value_, bits());
    return *this;
  }
  Ball& operator/=(const Ball& b) {
    arb_div(value_, value_, b.value_, bits());
    return *this;
  }
  // A term that nobody else needs becomes the result.
  friend Ball operator+(const Ball& a, const Ball& b) {
    Ball result;
    arb_add(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend Ball operator+(Ball&& a, const Ball& b) { return std::move(a += b); }
  friend Ball operator-(const Ball& a, const Ball& b) {
    Ball result;
    arb_sub(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend Ball operator-(Ball&& a, const Ball& b) { return std::move(a -= b); }
  friend Ball operator*(const Ball& a, const Ball& b) {
    Ball result;
    arb_mul(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend Ball operator*(Ball&& a, const Ball& b) { return std::move(a *= b); }
  friend Ball operator/(const Ball& a, const Ball& b) {
    Ball result;
    arb_div(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend Ball operator/(Ball&& a, const Ball& b) { return std::move(a /= b); }
  friend Ball operator-(Ball a) {
    arb_neg(a.value_, a.value_);
    return a;
  }

 private:
  static long bits() { return PrecisionScope::bits(); }
  arb_t value_;
};

/// The middle of the ball, to the last place.
long double to_long_double(const Ball& x);
Ball exp(const Ball& x);
Ball expm1(const Ball& x);
Ball log(const Ball& x);
Ball log1p(const Ball& x);
Ball sqrt(const Ball& x);
Ball abs(const Ball& x);
Ball erfc(const Ball& x);
/// P[N > x] of a standard normal N.
Ball normal_above(const Ball& x);
Ball max(const Ball& a, const Ball& b);
Ball min(const Ball& a, const Ball& b);
/// Contains both, and all between.
Ball hull(const Ball& a, const Ball& b);
/// log(1 + x) - x; the working precision is raised by what cancels.
Ball log1p_minus(const Ball& x);

class ComplexBall {
 public:
  ComplexBall() { acb_init(value_); }
  ComplexBall(const Ball& real) : ComplexBall() { acb_set_arb(value_, real.raw()); }  // NOLINT
  ComplexBall(const Ball& real, const Ball& imaginary) : ComplexBall() {
    acb_set_arb_arb(value_, real.raw(), imaginary.raw());
  }
  explicit ComplexBall(acb_srcptr other) : ComplexBall() { acb_set(value_, other); }
  ComplexBall(const ComplexBall& other) : ComplexBall() { acb_set(value_, other.value_); }
  ComplexBall(ComplexBall&& other) noexcept : ComplexBall() { acb_swap(value_, other.value_); }
  ComplexBall& operator=(ComplexBall other) {
    acb_swap(value_, other.value_);
    return *this;
  }
  ~ComplexBall() { acb_clear(value_); }
  static ComplexBall indeterminate();

  acb_ptr raw() { return value_; }
  acb_srcptr raw() const { return value_; }
  Ball real() const;
  Ball imaginary() const;
  ComplexBall midpoint() const;
  bool contains_zero() const { return acb_contains_zero(value_) != 0; }
  bool finite() const { return acb_is_finite(value_) != 0; }
  /// Wider by `radius` in the real and the imaginary part.
  ComplexBall widened(const Ball& radius) const;

  ComplexBall& operator+=(const ComplexBall& b) {
    acb_add(value_, value_, b.value_, bits());
    return *this;
  }
  ComplexBall& operator-=(const ComplexBall& b) {
    acb_sub(value_, value_, b.value_, bits());
    return *this;
  }
  ComplexBall& operator*=(const ComplexBall& b) {
    acb_mul(value_, value_, b.value_, bits());
    return *this;
  }
  ComplexBall& operator/=(const ComplexBall& b) {
    acb_div(value_, value_, b.value_, bits());
    return *this;
  }
  ComplexBall& operator*=(const Ball& b) {
    acb_mul_arb(value_, value_, b.raw(), bits());
    return *this;
  }
  // A term that nobody else needs becomes the result.
  friend ComplexBall operator+(const ComplexBall& a, const ComplexBall& b) {
    ComplexBall result;
    acb_add(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend ComplexBall operator+(ComplexBall&& a, const ComplexBall& b) { return std::move(a += b); }
  friend ComplexBall operator-(const ComplexBall& a, const ComplexBall& b) {
    ComplexBall result;
    acb_sub(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend ComplexBall operator-(ComplexBall&& a, const ComplexBall& b) { return std::move(a -= b); }
  friend ComplexBall operator*(const ComplexBall& a, const ComplexBall& b) {
    ComplexBall result;
    acb_mul(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend ComplexBall operator*(ComplexBall&& a, const ComplexBall& b) { return std::move(a *= b); }
  friend ComplexBall operator/(const ComplexBall& a, const ComplexBall& b) {
    ComplexBall result;
    acb_div(result.value_, a.value_, b.value_, bits());
    return result;
  }
  friend ComplexBall operator/(ComplexBall&& a, const ComplexBall& b) { return std::move(a /= b); }
  friend ComplexBall operator*(const ComplexBall& a, const Ball& b) {
    ComplexBall result;
    acb_mul_arb(result.value_, a.value_, b.raw(), bits());
    return result;
  }
  friend ComplexBall operator*(ComplexBall&& a, const Ball& b) { return std::move(a *= b); }
  friend ComplexBall operator-(ComplexBall a) {
    acb_neg(a.value_, a.value_);
    return a;
  }

 private:
  static long bits() { return PrecisionScope::bits(); }
  acb_t value_;
};

Ball abs(const ComplexBall& z);
ComplexBall exp(const ComplexBall& z);
/// sinh(z) / z.
ComplexBall sinhc(const ComplexBall& z);
/// A whole power.
ComplexBall power(const ComplexBall& base, double exponent);
/// log(1 + x) - x at a point, principal branch; the working precision is raised by what cancels.
ComplexBall log1p_minus(const ComplexBall& x);

}  // namespace modicum
