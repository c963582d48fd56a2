// What bounds on Renyi divergences imply: zero-concentrated differential privacy, and curves given
// at some orders.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// D_order <= divergence in both directions, at some orders above 1; `count` times.
struct RenyiCurve {
  std::vector<double> orders, divergences;
  double count = 1.0;
};

/// Everything that is known of the Renyi divergences of a mechanism: each is at most
/// xi + rho * order, and what the curves say. Composing adds up.
struct RenyiBounds {
  double rho = 0.0, xi = 0.0;
  std::vector<RenyiCurve> curves = {};

  /// Rounded upwards.
  void add(const RenyiBounds& other);
  RenyiBounds repeated(double count) const;
};

/// What they say of the divergence of an order above 1, rounded upwards: chords of log moments
/// between the orders of a curve, infinite beyond its largest. Throws as renyi_guarantee does.
double divergence_bound(const RenyiBounds& bounds, double order);

/// The best delta at every epsilon that these moments allow: an upper bound. Between orders log
/// moments are interpolated by chords, beyond the largest order nothing is concluded. Several are
/// one with their sum, which is less than their composition. Throws InvalidParameter for orders
/// that are not above 1 or repeated, and for negative or infinite divergences.
PrivacyLoss renyi_guarantee(const RenyiBounds& guarantee);

/// rho-zCDP [BunSteinke2016].
PrivacyLoss zero_concentrated(double rho);

}  // namespace modicum
