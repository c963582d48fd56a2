// Pieces of a bent contour, and bounds on all of phi(t) B(t)^a along it
// (docs/derivations/proved-path.md).
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "numerics/complex_functions.h"
#include "privacy/laws/loss_law.h"
#include "privacy/laws/normal_tail.h"

namespace modicum {

/// What bounds that are added up in doubles are raised by, relatively.
inline constexpr double bound_slack = 1e-6;

/// T(a) = value + slope (a - point), a line that is taken out of log M.
struct RealTangent {
  double point, value, slope;
  double at(double real) const { return value + slope * (real - point); }
};

/// How a contour bends: t(v) = v + i (slope/mu) log(1 + e^{mu (v - place)}).
struct ContourBend {
  double slope, place;
};

/// t(v) on the line Im v = height.
struct BentContour {
  long double mu;
  double q;
  ContourBend bend;
  double height;
  /// Both parts of B are alike in size at this Re t.
  double middle() const {
    const auto m = static_cast<double>(mu);
    return (std::log1p(-q) - std::log(q)) / m + 0.5 * m;
  }
  double soft(double v) const {
    const double w = static_cast<double>(mu) * (v - bend.place);
    return w > 30.0 ? w + std::exp(-w) : std::log1p(std::exp(w));
  }
  /// Whether the contour, and all between it and the real line, passes below the zeros of B, where
  /// log B has its branch points: Im u < pi where the parts of B are alike.
  bool passes_below_branch_points() const {
    const double turn = static_cast<double>(mu) * std::abs(height);
    const double rise = bend.slope * soft(middle() + bend.slope * std::abs(height));
    return turn <= 1.5 && turn + rise < 2.65;
  }
};

inline BentContour bent_contour(const SampledShift& pair, ContourBend bend, double height) {
  return {static_cast<long double>(pair.mu.high) + pair.mu.low, pair.rate, bend, height};
}

template <class Real>
struct ContourSample {
  std::complex<Real> t, turned;        // t and dt/dv
  std::complex<Real> log_base, share;  // log B, and p = q e^u / B
  Real rounding;                       // of log B, in units
};

template <class Real>
ContourSample<Real> contour_sample(const BentContour& c, Real v) {
  using Number = std::complex<Real>;
  const Real mu = static_cast<Real>(c.mu), q = c.q, slope = c.bend.slope;
  const Number w{mu * (v - Real(c.bend.place)), mu * Real(c.height)};
  const bool right = w.real() > 0;
  const Number turn = exponential(right ? -w : w), soft = log_of_one_plus(turn);
  const Number whole = right ? w + soft : soft;
  const Number logistic = (right ? Number(1) : turn) / (Number(1) + turn);
  ContourSample<Real> s;
  s.t = Number(v - slope / mu * whole.imag(), Real(c.height) + slope / mu * whole.real());
  s.turned = Number(1 - slope * logistic.imag(), slope * logistic.real());
  const Number u = mu * s.t - mu * mu / 2;
  const Real argument = mu * std::sqrt(std::norm(s.t)) + mu * mu;
  if (u.real() + std::log(q) <= std::log1p(-q)) {
    const Real e = std::expm1(u.real()), half = std::sin(u.imag() / 2);
    const Number power{e * std::cos(u.imag()) - 2 * half * half, (e + 1) * std::sin(u.imag())};
    // Where B is small its parts are added up: 1 - q is exact, 1 + excess would cancel.
    const Number second = q * exponential(u);
    const Number excess = q * power, base = second + (1 - q);
    s.log_base = std::norm(excess) < Real(0.25)
                     ? log_of_one_plus(excess)
                     : Number(std::log(std::norm(base)) / 2, std::atan2(base.imag(), base.real()));
    s.share = second / base;
    s.rounding =
        std::sqrt(std::norm(s.share)) * argument + std::sqrt(std::norm(excess) / std::norm(base));
  } else {
    const Number rest = (1 - q) / q * exponential(-u);
    s.log_base = u + std::log(q) + log_of_one_plus(rest);
    s.share = Number(1) / (Number(1) + rest);
    s.rounding = (1 + std::sqrt(std::norm(Number(1) - s.share))) * (argument - std::log(q));
  }
  s.rounding += std::sqrt(std::norm(s.log_base));
  return s;
}

/// Integral of |phi B^a dt| over all of a piece around each point, from the values in its middle:
/// the linear part of the exponent exactly, the rest by its largest size.
class ContourPieces {
 public:
  ContourPieces(const BentContour& c, double from, double width, long count);
  /// Not less than the sum of all, e^{-less} times.
  double sum(std::complex<double> a, double less) const;
  /// Whether |B^a e^{-drift a}| falls along a = r (1 + i rise) on every piece; on the contour of
  /// height 0, where arg B is nowhere negative.
  bool falls(double rise, double drift) const;

 private:
  struct Part {
    double log_size;
    std::complex<double> log_base;
    double linear;
    std::complex<double> power;
    double bend, motion;  // motion: of log B on the piece, at most
  };
  std::vector<Part> parts_;
  double half_ = 0.0, square_ = 0.0;  // half the width, and a sixth of its square
  bool usable_ = true;
};

/// Not less than the integral of |phi B^a dt| left of `from` and right of `to`, e^{-less} times.
double outside_of(const BentContour& c, double from, double to, std::complex<double> a,
                  double less);

/// log(e^a + e^b).
double log_of_sum(double a, double b);

}  // namespace modicum
