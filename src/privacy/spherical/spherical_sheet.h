// The plane of spherical noise with the logarithm of the radius moved into the complex plane, for
// each angle along a path of its own, so that moments exist and stay small at complex orders beyond
// their end: docs/derivations/spherical.md#a-few-copies-along-a-ray.
#pragma once

#include <complex>
#include <vector>

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// The integral of f(x) g(v) exp(zL) over x = log radius and v, w = sin v the cosine.
class SphericalSheet {
 public:
  using Complex = std::complex<double>;

  explicit SphericalSheet(const SphericalGeometry& geometry);

  /// Places start + direction t.
  struct Piece {
    Complex start, direction;
    double from, to;
  };
  /// Angles from one to the other, all with the same path: its pieces in order. In one dimension
  /// there are the two angles of w = -1 and 1.
  struct Band {
    double from, to;
    std::vector<Piece> pieces;
  };
  /// How far the paths go: `low` below the place where they begin to fall, or as a place where
  /// they do not; `high` as a place.
  struct Reach {
    double low, high;
  };
  std::vector<Band> bands(const Reach& reach) const;
  /// The least that leaves out at most exp(log_tolerances) at each of these orders.
  Reach reach_for(const std::vector<Complex>& orders,
                  const std::vector<double>& log_tolerances) const;
  /// At least what lies outside of it; infinite where that is not known.
  double outside(const Reach& reach, const Complex& order) const;

  /// Where the integrand is, and what it is made of. `ratio` is step/r1 and q = (r2/r1)^2, or,
  /// where r1 < step/2 (`inner`), r1/step and (r2/step)^2; near = k r1^p, far = k r2^p and change =
  /// far/near
  /// - 1, which is not there for inner places. Rounding in units of the last place, of the exponent
  /// without the loss and of the loss.
  struct Place {
    Complex x, near, far, ratio, q, change, loss, log_weight;
    double w, one_more, slope, rounding, loss_rounding;
    bool inner;
  };
  Place place_at(const Complex& x, double angle, double half_x, double half_angle) const;
  /// First and second derivatives of the loss.
  struct Slopes {
    Complex x, v, xx, xv, vv;
  };
  Slopes slopes_at(const Place& at) const;
  /// How much the loss, or the loss and a multiple of x, may change where x and v, complex as they
  /// may be, are within so much of a place; infinite where r2 may vanish.
  double change_within(const Place& at, double reach, double turn) const;
  /// log g at its largest for complex angles within `reach`.
  double log_angle_ceiling(double angle, double reach) const;
  /// At least log |f g exp(order L)|, order >= 0, on a cell of real places.
  double log_real_bound(double x, double half_x, double angle, double half_angle,
                        double order) const;

  /// About the logarithm of the integral of |f g exp(zL)|, and mean and variance of Re L under it.
  struct Estimate {
    double log_size, mean, variance;
  };
  Estimate estimate(const Complex& order) const;
  /// Orders below it have moments.
  double end() const;

  const SphericalGeometry& geometry() const { return geometry_; }
  bool flat() const { return geometry_.dimension == 1.0; }
  static constexpr double right_angle = 1.5707963267948966;

 private:
  bool pole() const { return geometry_.deficit > 0.0; }
  void choose_fall();
  double bend_place(double w) const;
  void choose_bends();
  double left_mass(double low, const Complex& order) const;
  double right_mass(double high, const Complex& order) const;

  const SphericalGeometry& geometry_;
  double fall_place_ = 0.0, least_turn_ = 0.0, most_turn_ = 0.0;  // next to the pole
  // Far out: by how much the paths bend, if they do, and from which place on for the angles above
  // one; minus infinity if all along.
  struct Bend {
    double angle, place;
  };
  double bend_ = 0.0;
  std::vector<Bend> bends_;
};

}  // namespace modicum
