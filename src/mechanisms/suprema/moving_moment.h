// K of pairs of Gaussians that move with one parameter: its value and slope for all parameters of a
// stretch at once, and its powers in the parameter (docs/derivations/moving-spectra.md).
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "modicum/privacy/gaussian_spectrum.h"
#include "numerics/ball.h"
#include "numerics/disc.h"

namespace modicum {

/// A polynomial of degree two at most.
struct Quadratic {
  Ball constant = 0.0, linear = 0.0, square = 0.0;

  Ball at(const Ball& x) const { return (square * x + linear) * x + constant; }
  /// In powers of x - center.
  Quadratic about(const Ball& center) const {
    return {at(center), linear + square * center * 2.0, square};
  }
};

/// Coordinates with one variance ratio: at the parameter v of [0, 1] the excess is N/D and the
/// squared means are P/D in sum, N, D > 0, P polynomials of v.
struct MovingCoordinates {
  Quadratic excess, mean_square;  // N and P
  double multiplicity;
  Quadratic denominator{1.0};  // D
};

using MovingSpectrum = std::vector<MovingCoordinates>;

/// At a parameter, or with all parameters of a ball, a little outside of [0, 1] too.
GaussianSpectrum spectrum_at(const MovingSpectrum& spectrum, const Ball& parameter);

/// In doubles, off by at most 2^-45 of its size, which is at least that of the number.
template <class Number>
struct Rounded {
  Number value = 0.0;
  double size = 0.0;
};

/// K(z, m + tau) - K(z, m) at one z in powers of tau, |tau| <= `radius`, in double arithmetic.
class ParameterSeries {
 public:
  static constexpr std::size_t orders = 12;
  using Coefficients = std::array<std::complex<double>, orders>;

  /// Coefficients of tau, tau^2, ...; each is off by no more than 2^-40 of the sum of the sizes of
  /// what it is made of.
  const Coefficients& powers() const { return powers_; }
  /// At most how far K moves within |tau| <= radius.
  double reach() const { return reach(radius_); }
  /// At most how much further K moves within |tau| <= radius at places as far as that from z.
  double further_reach(double distance) const;
  /// Of e^{K(z, m + tau) - K(z, m)}: coefficients of the powers below `orders`, and a bound on
  /// what is wrong with their sum for |tau| <= radius.
  Coefficients exponential() const;
  double error_of_exponential() const;

 private:
  friend class MovingMoment;
  // Bounds for one set of coordinates: the denominator W = D - z N and the numerators.
  struct Bounds {
    std::array<double, 3> denominator, excess;
    std::array<double, 6> top;     // of n N (N'D - ND')
    std::array<double, 5> bottom;  // of D (D + N)
    std::array<double, 3> mean_square;
  };
  // Sum of the sizes of all powers of tau at a distance, for places as far as that from z.
  double size_of_all(double distance, double off = 0.0) const;
  double reach(double distance) const;

  double radius_ = 0.0, factor_ = 0.0;  // |z (z + 1)| / 2
  double place_ = 0.0;                  // |z|, or |z + 1| if that is larger
  Coefficients powers_{};
  std::array<double, orders> sizes_{};
  std::vector<Bounds> bounds_;
};

/// K over the parameters within `radius` of m, in one direction: K(-1 - z) is that of the other.
class MovingMoment {
 public:
  MovingMoment(const MovingSpectrum& spectrum, double middle, double radius, bool reversed);

  double radius() const { return radius_; }
  /// K(z, m).
  Disc at_middle(const Disc& z) const;
  /// At most |K(x, m) - K(z, m) - shift (x - z)| within a distance of z; infinity where nothing is
  /// known.
  double growth(const Disc& z, double distance, double shift) const;
  /// On the vertical ray from z = x + iy, y > 0, away from the real axis Re K is at most Re K(z) +
  /// bound - power log(y'/y), for each of the parameters.
  struct Ray {
    Ball bound, power;
  };
  Ray ray(const ComplexBall& z) const;
  /// At least K(c, v) for all parameters v; infinity where nothing is known.
  double most(double c) const;
  /// The first pole to the right of 0 for any of the parameters, about.
  double furthest() const;
  /// K about m; not finite where nothing is known.
  ParameterSeries series(const Disc& z) const;
  /// At the middle and next to the ends, X first in the direction of this moment.
  std::vector<GaussianSpectrum> some_spectra() const {
    return {spectrum_about(0.0), spectrum_about(-0.99 * radius_), spectrum_about(0.99 * radius_)};
  }

 private:
  struct Coordinates {
    Coordinates(const MovingCoordinates& moving, double middle, double radius);
    Quadratic excess, mean_square, denominator;  // about m
    double multiplicity;
    std::vector<Disc> excess_powers, denominator_powers;
    Disc excess_at_middle, mean_square_at_middle, log_at_middle;
    Ball excess_of_all, mean_square_of_all;
    std::array<double, 2> ends_of_excess;
    // n N (N'D - ND') / (D (D + N)) and P in powers of tau, and bounds, but for the denominator
    std::vector<Rounded<double>> moving_log, moving_mean;
    ParameterSeries::Bounds bounds;
  };
  GaussianSpectrum spectrum_about(double tau) const;
  Disc place(const Disc& z) const;
  bool has_room(double c) const;
  std::vector<Coordinates> coordinates_;
  double radius_;
  bool reversed_;
};

}  // namespace modicum
