#include "numerics/ball.h"

#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>

namespace modicum {

constinit thread_local long PrecisionScope::current_ = 128;

namespace {
long bits() { return PrecisionScope::bits(); }

double bound(const arb_t value, bool upwards) {
  arf_t end;
  arf_init(end);
  if (upwards) arb_get_ubound_arf(end, value, 64);
  else arb_get_lbound_arf(end, value, 64);
  const double result = arf_get_d(end, upwards ? ARF_RND_CEIL : ARF_RND_FLOOR);
  arf_clear(end);
  return result;
}

// log(1 + x) - x loses about 2 log2(1/|x|) - log2(1/|x|) leading bits relative to its own size
// x^2/2, so the extra precision is the exponent of 1/|x|, and a little more.
long extra_bits(const arf_t size) {
  if (arf_is_zero(size)) return 0;
  const slong exponent = std::clamp<slong>(arf_abs_bound_lt_2exp_si(size), -2000, 0);
  return -2 * exponent + 8;
}
}  // namespace

Ball Ball::pi() {
  Ball result;
  arb_const_pi(result.raw(), bits());
  return result;
}

// Checked by the enclosure: Arb would abort on ends in the wrong order.
Ball Ball::between(double lower, double upper) {
  const Enclosure ends(lower, upper);
  return hull(Ball(ends.lower()), Ball(ends.upper()));
}

double Ball::middle() const { return arf_get_d(arb_midref(value_), ARF_RND_NEAR); }
double Ball::lower() const { return bound(value_, false); }
double Ball::upper() const { return bound(value_, true); }

long double to_long_double(const Ball& x) {
  const double high = x.middle();
  return static_cast<long double>(high) + (x - Ball(high)).middle();
}

Ball Ball::widened(const Ball& radius) const {
  Ball result = *this;
  arb_add_error(result.value_, radius.value_);
  return result;
}

Ball Ball::midpoint() const {
  Ball result;
  arb_get_mid_arb(result.value_, value_);
  return result;
}

#define MODICUM_UNARY_BALL(name, function)   \
  Ball name(const Ball& x) {                 \
    Ball result;                             \
    function(result.raw(), x.raw(), bits()); \
    return result;                           \
  }
MODICUM_UNARY_BALL(exp, arb_exp)
MODICUM_UNARY_BALL(expm1, arb_expm1)
MODICUM_UNARY_BALL(log, arb_log)
MODICUM_UNARY_BALL(log1p, arb_log1p)
MODICUM_UNARY_BALL(sqrt, arb_sqrt)
MODICUM_UNARY_BALL(erfc, arb_hypgeom_erfc)
#undef MODICUM_UNARY_BALL

Ball abs(const Ball& x) {
  Ball result;
  arb_abs(result.raw(), x.raw());
  return result;
}

Ball normal_above(const Ball& x) { return erfc(x / sqrt(Ball(2.0))) / 2.0; }

Ball max(const Ball& a, const Ball& b) {
  Ball result;
  arb_max(result.raw(), a.raw(), b.raw(), bits());
  return result;
}
Ball min(const Ball& a, const Ball& b) {
  Ball result;
  arb_min(result.raw(), a.raw(), b.raw(), bits());
  return result;
}
Ball hull(const Ball& a, const Ball& b) {
  Ball result;
  arb_union(result.raw(), a.raw(), b.raw(), bits());
  return result;
}

Ball log1p_minus(const Ball& x) {
  const PrecisionScope wider(bits() + extra_bits(arb_midref(x.raw())));
  // Exactly 1 + x: near x = -1 its leading digit may lie far below the precision.
  Ball sum;
  arb_add_ui(sum.raw(), x.raw(), 1, ARF_PREC_EXACT);
  return log(sum) - x;
}

ComplexBall ComplexBall::indeterminate() {
  ComplexBall result;
  acb_indeterminate(result.value_);
  return result;
}

Ball ComplexBall::real() const {
  Ball result;
  acb_get_real(result.raw(), value_);
  return result;
}

Ball ComplexBall::imaginary() const {
  Ball result;
  acb_get_imag(result.raw(), value_);
  return result;
}

ComplexBall ComplexBall::midpoint() const {
  ComplexBall result;
  acb_get_mid(result.value_, value_);
  return result;
}

ComplexBall ComplexBall::widened(const Ball& radius) const {
  ComplexBall result = *this;
  arb_add_error(acb_realref(result.value_), radius.raw());
  arb_add_error(acb_imagref(result.value_), radius.raw());
  return result;
}

Ball abs(const ComplexBall& z) {
  Ball result;
  acb_abs(result.raw(), z.raw(), bits());
  return result;
}

ComplexBall exp(const ComplexBall& z) {
  ComplexBall result;
  acb_exp(result.raw(), z.raw(), bits());
  return result;
}

// sinc(i z)
ComplexBall sinhc(const ComplexBall& z) {
  ComplexBall result;
  acb_mul_onei(result.raw(), z.raw());
  acb_sinc(result.raw(), result.raw(), bits());
  return result;
}

ComplexBall power(const ComplexBall& base, double exponent) {
  ComplexBall result;
  acb_pow_ui(result.raw(), base.raw(), static_cast<ulong>(exponent), bits());
  return result;
}

ComplexBall log1p_minus(const ComplexBall& x) {
  const arf_struct* real = arb_midref(acb_realref(x.raw()));
  const arf_struct* imaginary = arb_midref(acb_imagref(x.raw()));
  const long extra = arf_cmpabs(real, imaginary) > 0 ? extra_bits(real) : extra_bits(imaginary);
  const PrecisionScope wider(bits() + extra);
  ComplexBall result;
  acb_log1p(result.raw(), x.raw(), bits());
  return result -= x;
}

}  // namespace modicum
