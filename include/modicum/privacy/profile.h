// What a privacy loss says: delta at epsilon, epsilon at delta, trade-off curve, Renyi divergence.
// Every number is an enclosure; the upper end of delta and epsilon is always safe to use.
#pragma once

#include "modicum/numerics/enclosure.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// How much work an answer may cost.
enum class Mode {
  automatic,  ///< a proof where it costs milliseconds, else the estimate
  fast,       ///< double arithmetic with an error estimate that is tested to be honest
  certified,  ///< ball arithmetic; throws TargetUnreachable where no proof is to be had
};

struct ProfilePoint {
  double epsilon;
  Enclosure forward;  ///< delta_{X,Y}(epsilon): X, with the record, against Y
  Enclosure reverse;  ///< delta_{Y,X}(epsilon)
  Proof proof;
  /// The larger direction.
  Enclosure delta() const { return larger_of(forward, reverse); }
};

/// delta at any real epsilon, accurate relative to delta, down to 1e-300.
ProfilePoint profile(const PrivacyLoss& loss, double epsilon, Mode mode = Mode::automatic);

/// One direction only.
Answer directed_delta(const DirectedLoss& loss, double epsilon, Mode mode = Mode::automatic);

/// Smallest epsilon >= 0 with delta(epsilon) <= delta in both directions.
/// delta = 0 asks for the largest possible loss.
/// Throws TargetUnreachable if no epsilon reaches delta.
Answer epsilon_at(const PrivacyLoss& loss, double delta, Mode mode = Mode::automatic);

/// Smallest type II error of a test of level `type1`, in the direction in which it is smaller.
Answer tradeoff(const PrivacyLoss& loss, double type1, Mode mode = Mode::automatic);

/// Renyi divergence of positive order (1: Kullback-Leibler; infinity: the largest loss), in the
/// direction in which it is larger. Both ends are +infinity where it does not exist.
Answer renyi_divergence(const PrivacyLoss& loss, double order, Mode mode = Mode::automatic);

/// The mu of the Gaussian mechanism that has this delta at this epsilon. No mu holds for all
/// epsilon at once unless every variance ratio is 1: the tail of the loss is then exponential.
Enclosure matching_gaussian_mu(double epsilon, double delta);

}  // namespace modicum
