// What a privacy loss says: delta at epsilon, epsilon at delta, trade-off curve, Renyi divergence.
// Every number is an enclosure; the upper end of delta and epsilon is always safe to use.
#pragma once

#include <memory>

#include "modicum/numerics/enclosure.h"
#include "modicum/privacy/accuracy.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

struct ProfilePoint {
  double epsilon;
  Enclosure forward;  ///< delta_{X,Y}(epsilon): X, with the record, against Y
  Enclosure reverse;  ///< delta_{Y,X}(epsilon)
  Proof proof;
  /// The larger direction.
  Enclosure delta() const { return larger_of(forward, reverse); }
};

/// delta at any real epsilon, accurate relative to delta, down to 1e-300.
ProfilePoint profile(const PrivacyLoss& loss, double epsilon,
                     Accuracy accuracy = Accuracy::automatic);

/// The same at many epsilons of one loss: what was learned at one serves the next, most of it if
/// they come in order.
class ProfileCurve {
 public:
  explicit ProfileCurve(const PrivacyLoss& loss, Accuracy accuracy = Accuracy::automatic);
  ~ProfileCurve();
  ProfileCurve(ProfileCurve&&) noexcept;
  ProfilePoint at(double epsilon);

 private:
  struct Sources;
  std::unique_ptr<Sources> sources_;
};

/// One direction only.
Answer directed_delta(const DirectedLoss& loss, double epsilon,
                      Accuracy accuracy = Accuracy::automatic);

/// Smallest epsilon >= 0 with delta(epsilon) <= delta in both directions.
/// delta = 0 asks for the largest possible loss.
/// Throws TargetUnreachable if no epsilon reaches delta.
Answer epsilon_at(const PrivacyLoss& loss, double delta, Accuracy accuracy = Accuracy::automatic);

/// Smallest type II error of a test of level `type1`, in the direction in which it is smaller.
Answer tradeoff(const PrivacyLoss& loss, double type1, Accuracy accuracy = Accuracy::automatic);

/// Renyi divergence of positive order (1: Kullback-Leibler; infinity: the largest loss), in the
/// direction in which it is larger. Both ends are +infinity where it does not exist.
Answer renyi_divergence(const PrivacyLoss& loss, double order,
                        Accuracy accuracy = Accuracy::automatic);

/// The mu of the Gaussian mechanism that has this delta at this epsilon. No mu holds for all
/// epsilon at once unless every variance ratio is 1: the tail of the loss is then exponential.
Enclosure matching_gaussian_mu(double epsilon, double delta);

}  // namespace modicum
