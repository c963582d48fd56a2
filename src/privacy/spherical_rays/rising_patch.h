// The proof that the loss lies above the real axis on a patch of the moved plane
// (docs/derivations/spherical.md#the-moved-plane).
#pragma once

#include <array>
#include <cstddef>

#include "privacy/spherical_rays/sheet_patch.h"

namespace modicum {

/// Whether Im L > 0 on a patch, but where it is real, and no radius vanishes on the way from the
/// real patch. Where the patch is close to the real one: along the way, on which corners move by
/// D_j, the derivative of L is a mean of grad L D_j, so that it is enough that all of these have no
/// negative imaginary part on the whole way.
class RisingPatch {
 public:
  /// `stationary`: the corner where the loss is, if it is less than 4.
  RisingPatch(const EllipticPlane& plane, const std::array<SheetPoint, 4>& corners,
              std::size_t stationary)
      : plane_(plane), corners_(corners), stationary_(stationary) {
    for (std::size_t i = 0; i < 4; ++i) real_[i] = real_of(corners[i]);
  }
  bool rises() const;

 private:
  using Point = SheetPoint;
  // Of s, t and the share of the way.
  struct Part {
    double s0, s1, t0, t1, way0, way1;
  };
  bool rises(const Part& part, int halvings) const;
  bool is_above(const Part& part) const;
  bool keeps_radii(const Part& part) const;
  bool rises_on_the_way(const Part& part) const;
  bool is_stationary(const Part& part) const;
  bool touches_real(const Part& part) const;
  std::array<Part, 2> halves(const Part& part, bool whole_way) const;
  Point at(double s, double t, double way) const {
    return (1.0 - way) * between(real_, s, t) + way * between(corners_, s, t);
  }

  const EllipticPlane& plane_;
  std::array<Point, 4> corners_, real_;
  std::size_t stationary_;
};

}  // namespace modicum
