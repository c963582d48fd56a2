// Tails of the loss of spherical noise in two dimensions and more by Gauss's rule in doubles, with
// proven bounds, quick enough for thousands of losses (docs/derivations/spherical.md).
#pragma once

#include <vector>

#include "privacy/laws/loss_bins.h"
#include "privacy/spherical/spherical_pair.h"

namespace modicum {

class SphericalTailRule {
 public:
  /// The geometry must outlive this.
  explicit SphericalTailRule(const SphericalGeometry& geometry);
  struct Bounds {
    double low, high;
  };
  /// P_X[L > loss] and P_X[L <= loss], to about 1e-13 of the scale.
  Bounds above(double loss, double scale) const { return integral(loss, 1.0, scale); }
  Bounds below(double loss, double scale) const { return integral(loss, -1.0, scale); }

 private:
  // The cosine w at which the loss is reached at log radius x, and what bounds its change: near = k
  // e^{px}, excess = near (e^y - 1), steep = c/p + near + excess; w = gained - lost, and whole =
  // gained + r/(2s).
  struct Place {
    double x, loss, w, w_error, near, excess, steep, gained, lost, whole;
  };
  struct Panel {
    double middle, half;
  };
  Bounds integral(double loss, double side, double scale) const;
  Bounds mass_left_of(double x) const;
  double start_of(double loss, double side, Bounds& sum) const;
  /// Whether the panel is settled, and added to the sum.
  bool add(const Panel& panel, double loss, double side, double enough, Bounds& sum) const;
  void add_nodes(const Panel& panel, double loss, double side, Bounds& sum) const;
  Place at(double x, double loss) const;
  double change_of_cosine(const Place& place, double reach) const;
  double tail(double w) const;
  double density(double w, double reach) const;
  double log_density_above(double x, double reach) const;

  const SphericalGeometry& geometry_;
  double low_, high_, half_, outside_, scale_of_angle_;
};

}  // namespace modicum
