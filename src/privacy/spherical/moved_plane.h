// The plane of spherical noise with the coordinate along the axis of the two centers moved into the
// complex plane: docs/derivations/spherical.md#far-up-without-a-pole.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

// The integral of |f_X exp(zL)| over the moved plane, in both halves about their own center: x =
// log of the distance from it, v the angle, w = sin v the cosine away from the other center. With
//   a = 1 - share^2 + 2i share w,  b = w + i share,  sigma = step/r,  q = (2 sigma b + sigma^2)/a,
//   N = (r^2 a)^{p/2},  F = N (1 + q)^{p/2}
// the exponent is k (1 + px) - k Re N + k Re((kappa + iy)(F - N)), kappa = center in the half of X
// and -1 - center in that of Y.
class MovedPlane {
 public:
  MovedPlane(const SphericalGeometry& geometry, double center, double height, double share)
      : geometry_(geometry), center_(center), height_(height), share_(share) {
    choose_box();
  }
  /// By the midpoint rule: decides what is tried, never whether it holds.
  double log_estimate() const;
  /// Proved; infinite where it fails.
  double log_bound() const;

 private:
  using Complex = std::complex<double>;
  static constexpr double right_angle = 1.5707963267948966;
  static constexpr double margin = 1e-6;  // of logarithms of bounds, for their own rounding
  static double square(double x) { return x * x; }

  struct Cell {
    double x, v, half_x, half_v;
    bool near_x;                           // in the half of X
    double log_upper = 0.0, change = 0.0;  // of the integrand, and how much it may change
    bool by_radius = true;                 // which side to halve
  };
  struct Place {
    Complex a, q, near, gain;  // gain = F/N - 1
    double w, sigma, exponent, sizes;
  };
  bool flat() const { return geometry_.dimension == 1.0; }
  Place place_at(double x, double v, bool near_x) const;
  double log_angle(double v, double reach) const;
  struct Slopes {
    double by_x, by_v, sizes;
  };
  double change_within(const Cell& cell, const Place& at, double reach_x, double reach_v) const;
  double curved_on(const Cell& cell, const Place& at, double half_x, double half_v) const;
  Slopes slopes_at(const Cell& cell, const Place& at) const;
  void measure(Cell& cell) const;
  bool beyond_half(const Cell& cell) const;
  std::vector<Cell> first_cells(int along, int across) const;
  void choose_box();
  double mass_left_of(double x) const;
  double mass_right_of(double x) const;
  double log_constant() const {
    return geometry_.log_density - (flat() ? M_LN2 : geometry_.log_angle_scale);
  }
  double log_area(const Cell& cell) const {
    return std::log(flat() ? 2.0 * cell.half_x : 4.0 * cell.half_x * cell.half_v);
  }

  const SphericalGeometry& geometry_;
  double center_, height_, share_, low_ = 0.0, high_ = 0.0;
};

}  // namespace modicum
