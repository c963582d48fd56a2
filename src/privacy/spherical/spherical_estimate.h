// Tails and moments of the loss of spherical noise, estimated in doubles.
#pragma once

#include "numerics/adaptive_quadrature.h"
#include "numerics/symmetric_beta.h"
#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// Losses with the logarithms of their weights under X: a rule for E_X[g(L)], in doubles.
struct WeightedLosses {
  std::vector<double> losses, log_weights;
};

/// Which of {L > l} and {L <= l}.
enum class Side { above, below };

/// exp(log_scale) (value +- error), with the mesh in x = log radius on which it was found.
struct ScaledEstimate {
  double log_scale = 0.0, value = 0.0, error = 0.0;
  std::vector<QuadraturePanel> panels;

  double log() const;
  Ball ball() const;
};

class SphericalEstimate {
 public:
  explicit SphericalEstimate(const SphericalPair& pair)
      : geometry_(pair), angle_(pair.dimension, geometry_.log_angle_scale) {}

  const SphericalGeometry& geometry() const { return geometry_; }
  /// P_X of that side: the integral over x of its density times the tail of the cosine
  /// [WeiBienstock2026, Lemma 4.1].
  ScaledEstimate tail(double loss, Side side) const;
  /// Whichever side is at most about a half: the other is its complement.
  Side smaller_side(double loss) const;
  /// E_X[exp(order L)] for an order where it is finite.
  ScaledEstimate moment(double order) const;
  /// A rule over radius and cosine for g(L) = exp(zL) with Re z between 0 and order >= 0 and |Im z|
  /// up to `height`; each level halves the steps of both. Its weights add up to 1. Empty where it
  /// would have too many nodes.
  WeightedLosses rule(double order, double height, int level) const;

 private:
  double log_tail(const Cosine& w, Side side) const;
  double log_integrand(double x, double loss, Side side) const;
  double largest_log_integrand(const std::vector<double>& places, double loss, Side side) const;
  Sample sample(double x, const Cosine& w, Side side, double log_scale) const;

  struct PoleSplit {
    std::optional<PoleWindow> window;
    double reached_from;
  };
  PoleSplit pole_split(double loss, Side side, double high,
                       const std::vector<double>& crossings) const;
  QuadratureEstimate pole_part(const PoleWindow& window, double loss, Side side,
                               double log_scale) const;
  double place_error(double x, double loss, Side side) const;

  struct LogSample {
    double value, error;
  };
  double loss_at(double x, double t) const;
  LogSample log_mean_given_radius(double x, double order) const;
  std::vector<double> moment_range(double order) const;
  std::vector<double> rule_panels(double order) const;

  SphericalGeometry geometry_;
  SymmetricBetaTail angle_;
};

}  // namespace modicum
