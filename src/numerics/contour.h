// One contour integral for every quantity: with K(z) = log E[exp(z L)] and a kernel,
//
//   I = 1/(2 pi i) * Integral over Re z = c of exp(K(z) - s z) * kernel(z) dz.
//
// docs/derivations/contour-integral.md derives the identities, the path and the bounds.
#pragma once

#include <optional>

#include "numerics/log_moment.h"

namespace modicum {

/// Which poles the kernel has, and on which side of them the line passes.
///
///   profile           1/(z(z+1)),  0 < c        E[(1 - exp(s - L))_+]
///   upper_tail        1/z,         0 < c        P[L > s]
///   lower_tail       -1/z,         c < 0        P[L <= s]
///   tilted_upper      1/(z+1),    -1 < c        exp(s) E[exp(-L); L > s]
///   tilted_lower     -1/(z+1),     c < -1       exp(s) E[exp(-L); L <= s]
enum class Kernel { profile, upper_tail, lower_tail, tilted_upper, tilted_lower };

inline bool has_pole_at_zero(Kernel kernel) {
  return kernel == Kernel::profile || kernel == Kernel::upper_tail || kernel == Kernel::lower_tail;
}
inline bool has_pole_at_minus_one(Kernel kernel) {
  return kernel == Kernel::profile || kernel == Kernel::tilted_upper ||
         kernel == Kernel::tilted_lower;
}
inline bool closes_on_the_left(Kernel kernel) {
  return kernel == Kernel::lower_tail || kernel == Kernel::tilted_lower;
}

/// Open interval of the real axis that the line may cross.
struct Strip {
  double lower, upper;
};
Strip strip_of(const LogMoment& moment, Kernel kernel);

/// The minimum of the convex f(x) = K(x) - s x + log |kernel(x)| on the strip, closely enough.
struct Saddle {
  double point;
  long double value;  ///< K(c) - s c
  long double slope;  ///< K'(c) - s
  double scale;       ///< 1/sqrt(f''(c)): the width of the peak
  double rounding;    ///< of `value`, with what inexact parameters leave open
  double slope_rounding;
};
/// Empty if f has no minimum on the strip: it falls towards an end at infinity.
std::optional<Saddle> find_saddle(const LogMoment& moment, double shift, Kernel kernel);

/// z(u) = c + side * h (cosh u - 1) + 2 i h sinh u, 0 <= u <= end, then straight up.
struct ContourPath {
  double center, scale, side, end;
  std::complex<double> displacement(double u) const {
    return {side * scale * (std::cosh(u) - 1.0), 2.0 * scale * std::sinh(u)};
  }
};

/// value = mantissa * exp(exponent), with an honest estimate of the relative error.
struct ContourValue {
  double mantissa;
  long double exponent;
  double relative_error;
  ContourPath path;
  double value() const { return static_cast<double>(mantissa * std::exp(exponent)); }
};

/// Double arithmetic. Empty if there is no saddle point or no path along which the integrand falls.
std::optional<ContourValue> contour_integral(const LogMoment& moment, double shift, Kernel kernel);

/// A proof: encloses the integral. Empty where no finite enclosure was found.
/// `path` comes from the integral in double arithmetic; a poor path costs width, not truth. About
/// `accuracy` bits are aimed at.
std::optional<Ball> certified_contour_integral(const LogMoment& moment, const Ball& shift,
                                               Kernel kernel, const ContourPath& path,
                                               int accuracy = 57);

/// Proven: I <= exp(K(c) - s c) max_x(kernel's function of x times exp(-c x)) for any c of the
/// strip; the least over a grid of c. +infinity if none is usable.
Ball chernoff_bound(const LogMoment& moment, const Ball& shift, Kernel kernel);

}  // namespace modicum
