// Moments of two-point losses and of the Laplace loss, which have atoms.
#pragma once

#include <complex>
#include <limits>

#include "modicum/privacy/privacy_loss.h"
#include "numerics/log_moment.h"

namespace modicum {

/// K(z) modulo 2 pi i in doubles, and a bound on its rounding in units of the last place.
struct LogMomentValue {
  std::complex<double> value;
  double rounding;
};

/// A part whose e^K does not decay along vertical lines, so that no path can be bent: K for whole
/// counts, its jet, and a bound far up the line. Each is symmetric about z = -1/2.
class AtomicMoment {
 public:
  virtual ~AtomicMoment() = default;
  virtual Jet jet(long double x) const = 0;
  /// From the least loss of one copy to the largest.
  virtual double range() const { return std::numeric_limits<double>::infinity(); }
  /// K at a real point.
  virtual Ball value(const Ball& x) const = 0;
  /// z is not -1/2 itself.
  virtual LogMomentValue at(std::complex<double> z) const = 0;
  /// exp(K(z)), in balls.
  virtual ComplexBall moment(const ComplexBall& z) const = 0;
  /// Upper bound on Re K(x + iy) for all y >= height; x > -1/2.
  virtual Ball far_bound(const Ball& x, const Ball& height) const = 0;
};

/// With u = z + 1/2: K(z) = n (log cosh(u e) - log cosh(e/2)).
class TwoPointMoment final : public AtomicMoment {
 public:
  explicit TwoPointMoment(const TwoPointPart& part) : part_(part) {}
  Jet jet(long double x) const override;
  double range() const override { return 2.0 * part_.epsilon.high; }
  Ball value(const Ball& x) const override;
  LogMomentValue at(std::complex<double> z) const override;
  ComplexBall moment(const ComplexBall& z) const override;
  Ball far_bound(const Ball& x, const Ball& height) const override;

 private:
  TwoPointPart part_;
};

/// With u = z + 1/2: K(z) = n (-a/2 + log(cosh(u a) + sinh(u a) / (2u))).
class LaplaceMoment final : public AtomicMoment {
 public:
  explicit LaplaceMoment(const LaplacePart& part) : part_(part) {}
  Jet jet(long double x) const override;
  double range() const override { return 2.0 * part_.range.high; }
  Ball value(const Ball& x) const override;
  LogMomentValue at(std::complex<double> z) const override;
  ComplexBall moment(const ComplexBall& z) const override;
  Ball far_bound(const Ball& x, const Ball& height) const override;

 private:
  LaplacePart part_;
};

}  // namespace modicum
