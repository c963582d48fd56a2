// profile() at many points, and what the questions about a loss share.
#pragma once

#include "modicum/privacy/profile.h"
#include "privacy/engines/quantity.h"

namespace modicum {

/// Throws TargetUnreachable if a proof was asked for and this is none.
void require_proof(Accuracy accuracy, Proof proof);
/// The part of the ball in [0, largest], within which the true value is known to lie.
Enclosure bounded(const Ball& value, double largest);

/// profile() at many epsilons of one loss, which must outlive it.
class ProfileSource {
 public:
  ProfileSource(const PrivacyLoss& loss, Accuracy accuracy);
  ProfilePoint at(double epsilon);
  /// One direction.
  Answer forward_at(double epsilon) { return delta(forward_, epsilon); }
  Answer reverse_at(double epsilon) { return delta(reverse_, epsilon); }
  QuantitySource& forward() { return forward_; }
  QuantitySource& reverse() { return reverse_; }

 private:
  Answer delta(QuantitySource& source, double epsilon) const;
  Accuracy accuracy_;
  bool symmetric_;
  QuantitySource forward_, reverse_;
};

/// What is left of an enclosure of delta, epsilon or a divergence if the loss is an upper bound: of
/// the lower end, no more than what holds for every loss.
inline Enclosure upper_end_of(const Enclosure& value, bool upper_bound, double least = 0.0) {
  return upper_bound ? Enclosure(std::min(least, value.upper()), value.upper()) : value;
}
/// delta at epsilon is never below (1 - e^epsilon)_+, that of the event which is certain.
double least_delta(double epsilon);

}  // namespace modicum
