// The integrand exp(zL) on a cell of a sheet: bounds of its size for complex places around it, by
// its Taylor polynomial of degree two (docs/derivations/spherical.md#the-moved-plane).
#pragma once

#include <complex>
#include <vector>

#include "privacy/spherical_rays/elliptic_sheet.h"

namespace modicum {

class SheetCell {
 public:
  using Complex = std::complex<double>;
  /// A rectangle of s and t.
  struct Range {
    const SheetPatch* patch;
    double s, half_s, t, half_t;
  };

  SheetCell(const EllipticPlane& plane, const Range& range, const std::vector<Complex>& orders);

  /// The logarithm of a bound for each order where s lies in an ellipse around its range with the
  /// long axis `spread` half ranges and the foci at its ends, and t in its own range; with spread 1
  /// for the cell. Also of the root of F times its conjugate, which has no branch there. False
  /// where none is known.
  bool bounds_along(double spread, std::vector<double>& logs) const;
  /// And with the places of s and t exchanged.
  bool bounds_across(double spread, std::vector<double>& logs) const;

  /// For a cell where no rule is found: whether halving s helps more.
  bool longer_along() const;
  /// For cells of a corner at the center of X: mu and nu at most.
  bool is_at_center() const;
  SheetPatch::Point farthest() const;

 private:
  struct Gradient {
    Complex s, t, ss, st, tt;
  };
  struct Weight;
  // How much the loss and the weight change at most but for what is linear in s, and relatively the
  // factors sinh mu and sin nu, of cones but for exp(tau).
  struct Moved {
    double loss, log_weight, sinh, sin;
    bool without_tau;
  };
  Gradient along_map(const PlaneJet& jet) const;
  Moved moved(double by_s, double by_t) const;
  bool moved_on_cone(double by_s, double by_t, Moved& moved) const;
  bool weight_within(double reach_s, double reach_t, Weight& weight) const;
  bool bounds(double reach_s, double reach_t, double turn_s, double turn_t,
              std::vector<double>& logs) const;

  const EllipticPlane& plane_;
  Range range_;
  const std::vector<Complex>& orders_;
  SheetPatch::Map map_;
  EllipticPlane::Place place_;
  EllipticPlane::Jets jets_;
  EllipticPlane::Powers powers_;
  Gradient loss_;
};

}  // namespace modicum
