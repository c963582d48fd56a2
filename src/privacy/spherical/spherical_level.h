// The curves on which the loss of spherical noise is constant, along which its density is an
// integral: docs/derivations/spherical.md, "The density of the loss".
//
// Without a pole and with p > 1 the loss rises along every line parallel to the axis through the
// two centers: its curves are graphs over the distance from the axis.
#pragma once

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

class SphericalLevels {
 public:
  /// In two dimensions or more, without a pole, p > 1. The geometry must outlive this.
  explicit SphericalLevels(const SphericalGeometry& geometry);

  /// Beyond this distance from the axis the density of X is below e^-700.
  double farthest() const { return farthest_; }

  /// A piece of the curves: distances within `half_place` of a place, losses within `half_loss`.
  struct Cell {
    double place, half_place, loss, half_loss;
  };
  /// What is proved of the density along the curves for complex places and losses within `spread`
  /// half widths: it is analytic, and at most exp(log_bound), infinite if that is not proved.
  struct Bound {
    double log_bound;
    double root;       ///< the place along the axis in the middle, from the center of X
    double reach;      ///< how far it moves at most
    bool finer_place;  ///< which side to halve
  };
  static constexpr double spread = 3.0;
  Bound bound(const Cell& cell) const;

  /// The density at a place and at a loss that is `missed` by so much, and by how much it may be
  /// off otherwise, relatively. The root is looked for from `start` on.
  struct Value {
    double density, error, missed, root;
  };
  Value at(double place, double loss, double start) const;
  /// About the same; 0 where the curve is too far out.
  double estimate(double place, double loss) const;

 private:
  // The loss, its derivative along the axis, and the units of rounding of the loss.
  struct Axial {
    double loss, slope, rounding, z, z2, first, first_apart;
  };
  Axial axial(double place, double x) const;
  double root(double place, double loss) const;

  const SphericalGeometry& geometry_;
  double farthest_;
};

}  // namespace modicum
