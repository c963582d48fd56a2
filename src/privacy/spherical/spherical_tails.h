// The outcomes of spherical noise in two dimensions and more, sorted into bins by their loss
// (docs/derivations/spherical.md).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "privacy/spherical/spherical_density.h"
#include "privacy/spherical/spherical_tail_rule.h"

namespace modicum {

/// Tails and densities are kept for other cuts.
class SphericalTails {
 public:
  /// No loss is above the largest, which may be infinite. The geometry must outlive this.
  SphericalTails(const SphericalGeometry& geometry, double largest);
  /// Bins of the losses above 0. `cuts` rise from 0; some are left out if they are too many.
  LossBins bins(const std::vector<double>& cuts);
  /// Whether many bins are quick, as far as is known.
  bool quick() const { return density_.has_value(); }

 private:
  struct Tails {
    SphericalTailRule::Bounds x, y;
  };
  Tails at(double cut) const;
  const Tails& kept(double cut);
  void try_density();
  LossBins from_tails(const std::vector<double>& cuts);
  LossBins from_density(const std::vector<double>& cuts);
  void add_missing(LossBins& bins);
  static LossBin bin_between(double left, double right, const Tails& here, const Tails& next);

  SphericalTailRule rule_;
  double largest_;
  std::map<double, Tails> kept_;
  std::optional<SphericalDensity> density_;
  bool tried_ = false;
};

}  // namespace modicum
