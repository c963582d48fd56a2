// K(z) = log E[exp(z L)] of a real random variable L, as the contour integrals need it.
#pragma once

#include <complex>
#include <memory>

#include "numerics/ball.h"

namespace modicum {

/// Value and derivatives of K at a real point. `magnitude` and `first_magnitude` are the sums of
/// the absolute values of what was added up: times 2^-63 they bound the rounding.
struct Jet {
  long double value = 0, first = 0, second = 0;
  long double magnitude = 0, first_magnitude = 0;
  long double uncertainty = 0;  ///< what inexact parameters may change of the value
  Jet& operator+=(const Jet& other);
  Jet scaled(long double factor) const;
};

/// What is known of K above a point z: for every y >= Im z,
///   Re K(Re z + i y) <= bound - power * log(y / Im z)
/// (for expansions: K less its tangent).
struct VerticalBound {
  double bound = 0, power = 0;
};
struct BallVerticalBound {
  Ball bound, power;
};

/// R(d) = K(c + d) - K(c) - K'(c) d, the part beyond the tangent at a real center c.
/// Written for d itself, so that nothing cancels near the saddle point.
class Expansion {
 public:
  virtual ~Expansion() = default;
  /// R(d) + tilt d. The tilt is taken in here because the two may all but cancel.
  virtual std::complex<double> at(std::complex<double> displacement, long double tilt) const = 0;
  virtual VerticalBound above(std::complex<double> displacement) const = 0;
};

/// The same in ball arithmetic: every result encloses the truth.
class BallExpansion {
 public:
  virtual ~BallExpansion() = default;
  virtual Ball value() const = 0;  ///< K(c)
  virtual Ball slope() const = 0;  ///< K'(c)
  /// R(d) + tilt d on a whole ball of displacements; not finite where R may fail to be analytic.
  virtual ComplexBall at(const ComplexBall& displacement, const Ball& tilt) const = 0;
  virtual BallVerticalBound above(const ComplexBall& displacement) const = 0;
};

/// K is analytic off the real axis and on the open interval (lower_end, upper_end), which holds
/// [-1, 0]; it is real and convex there.
class LogMoment {
 public:
  virtual ~LogMoment() = default;
  virtual double lower_end() const = 0;
  virtual double upper_end() const = 0;
  virtual Jet jet(long double x) const = 0;
  virtual std::unique_ptr<Expansion> expand(double center) const = 0;
  virtual std::unique_ptr<BallExpansion> expand_ball(double center) const = 0;
};

}  // namespace modicum
