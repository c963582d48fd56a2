// Parts of the moved plane, from (s, t) to complex elliptic coordinates
// (docs/derivations/spherical.md#the-moved-plane).
#pragma once

#include <array>
#include <complex>

#include "privacy/spherical_rays/elliptic_plane.h"

namespace modicum {

struct SheetPoint {
  std::complex<double> mu, nu;
};
inline SheetPoint operator+(const SheetPoint& a, const SheetPoint& b) {
  return {a.mu + b.mu, a.nu + b.nu};
}
inline SheetPoint operator-(const SheetPoint& a, const SheetPoint& b) {
  return {a.mu - b.mu, a.nu - b.nu};
}
inline SheetPoint operator*(const std::complex<double>& a, const SheetPoint& b) {
  return {a * b.mu, a * b.nu};
}
inline std::complex<double> cross(const SheetPoint& a, const SheetPoint& b) {
  return a.mu * b.nu - a.nu * b.mu;
}
/// |mu| + |nu|
inline double size_of(const SheetPoint& a) { return std::abs(a.mu) + std::abs(a.nu); }
inline SheetPoint real_of(const SheetPoint& a) { return {a.mu.real(), a.nu.real()}; }

/// What is bilinear of the place between four corners.
inline SheetPoint twist(const std::array<SheetPoint, 4>& corners) {
  return corners[3] - corners[2] - corners[1] + corners[0];
}

/// Corners at (s, t) = (0, 0), (1, 0), (0, 1), (1, 1).
inline SheetPoint between(const std::array<SheetPoint, 4>& corners, double s, double t) {
  return corners[0] + s * (corners[1] - corners[0]) + t * (corners[2] - corners[0]) +
         (s * t) * twist(corners);
}

/// A part of the sheet: a quadrilateral with straight sides, or a cone between the center of X and
/// a side, whose points are exp(tau) times points of that side, tau = s (1 + i slope), s <= 0.
class SheetPatch {
 public:
  using Complex = std::complex<double>;
  using Point = SheetPoint;

  /// Corners are the intended ones but for so many units of the last place.
  static SheetPatch quadrilateral(PlanePart part, const std::array<Point, 4>& corners,
                                  double corner_units = 0.0);
  /// t from 0 to 1 goes from `from` to `to`; both have gaps of about this argument.
  static SheetPatch cone(PlanePart part, const Point& from, const Point& to, double slope,
                         double turned);

  /// The place of (s, t), its derivatives, and the Jacobian with its relative ones; `ss` for cones
  /// alone, whose Jacobian is an exponential.
  struct Map {
    Point at, s, t, ss, st;
    Complex jacobian, jacobian_s, jacobian_t;
    double turned, place_units;
  };
  Map map_at(double s, double t) const;
  /// How far a point moves at most where s and t, complex as they may be, move by so much.
  struct Reach {
    double mu, nu;
  };
  Reach reach(const Map& at, double by_s, double by_t) const;

  bool is_cone() const { return is_cone_; }
  /// Real: not moved.
  bool is_real() const;
  PlanePart part() const { return part_; }
  const std::array<Point, 4>& corners() const { return corners_; }
  const Complex& direction() const { return direction_; }

 private:
  PlanePart part_ = PlanePart::whole;
  bool is_cone_ = false;
  std::array<Point, 4> corners_;
  Complex direction_ = 1.0;  // of cones
  double turned_ = 0.0, corner_units_ = 0.0;
};

}  // namespace modicum
