// About how the loss is spread where its law is tilted by exp(order L): on a grid of the real
// plane, to find saddle points. Nothing proved rests on it.
#pragma once

#include <vector>

#include "privacy/spherical_rays/elliptic_plane.h"

namespace modicum {

class TiltedPlane {
 public:
  explicit TiltedPlane(const SphericalGeometry& geometry);

  /// The logarithm of E[exp(order L)], and mean and variance of L under it; not finite where the
  /// order is too high.
  struct Estimate {
    double log_moment, mean, variance;
  };
  Estimate at(double order);
  /// Orders below it have moments.
  double end() const;
  const EllipticPlane& plane() const { return plane_; }

 private:
  struct Node {
    double loss, log_weight;
  };
  void add(PlanePart part, double mu, double nu, double log_area);
  void add_corner();
  void add_beyond(double last);

  EllipticPlane plane_;
  std::vector<Node> nodes_;
  std::size_t in_corner_ = 0;  // the first nodes
  // Towards the center of X, next to a pole: at the last places.
  std::vector<Node> tip_;
  double last_ = 0.0;
};

}  // namespace modicum
