// The half plane of X in elliptic coordinates, moved into the complex plane along the gradient of
// the loss: there the loss has a positive imaginary part but at places where it is stationary, so
// that moments exist and are small at complex orders high up, beyond the end of the real ones, too
// (docs/derivations/spherical.md#the-moved-plane).
#pragma once

#include <complex>
#include <vector>

#include "privacy/spherical_rays/sheet_patch.h"

namespace modicum {

/// A place of the real plane with the displacement that the sheet has there.
class EllipticSheet {
 public:
  using Complex = std::complex<double>;

  /// For orders whose real parts are about as large, and so many copies. The geometry must outlive
  /// this.
  EllipticSheet(const SphericalGeometry& geometry, double order, double count);
  /// Whether it was proved that Im L >= 0 all over, and that no radius vanishes on the way there.
  bool works() const { return works_; }
  const std::vector<SheetPatch>& patches() const { return patches_; }
  /// Real patches beyond these, up to mu.
  std::vector<SheetPatch> patches_beyond(double mu) const;
  double last() const { return mus_.back(); }
  /// With a pole, the first patches, which are cones.
  const std::vector<SheetPatch>& cones() const { return cones_; }
  const EllipticPlane& plane() const { return plane_; }

 private:
  using Point = SheetPatch::Point;
  void choose_lines(double order, double count);
  void place_vertices();
  bool add_patches();
  Point vertex(double mu, double nu) const;
  bool cones_hold() const;

  EllipticPlane plane_;
  std::vector<double> mus_, nus_;
  std::vector<Point> vertices_;
  std::vector<SheetPatch> patches_, cones_;
  double corner_ = 0.0, turning_ = 0.0, flatter_ = 1.0;
  bool works_ = false;
};

}  // namespace modicum
