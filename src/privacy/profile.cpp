#include "modicum/privacy/profile.h"

#include <algorithm>

#include "modicum/numerics/errors.h"
#include "privacy/profile_source.h"

namespace modicum {

void require_proof(Accuracy accuracy, Proof proof) {
  if (accuracy == Accuracy::certified && proof != Proof::certified)
    throw TargetUnreachable("this loss has no proof: use --fast for an estimate");
}

Enclosure bounded(const Ball& value, double largest) {
  if (!value.finite()) return {0.0, largest};
  return value.enclosure().within(0.0, largest);
}

double least_delta(double epsilon) {
  if (!(epsilon < 0.0)) return 0.0;
  const PrecisionScope scope(proof_bits);
  return std::clamp((-expm1(Ball(epsilon))).lower(), 0.0, 1.0);
}

namespace {
Enclosure delta_from(const Ball& value, double epsilon) {
  return bounded(value, 1.0).within(least_delta(epsilon), 1.0);
}
}  // namespace

Answer directed_delta(const DirectedLoss& loss, double epsilon, Accuracy accuracy) {
  require_finite("epsilon", epsilon);
  const QuantityValue value = quantity(loss, epsilon, Kernel::profile, accuracy);
  require_proof(accuracy, value.proof);
  return {upper_end_of(delta_from(value.value, epsilon), loss.upper_bound, least_delta(epsilon)),
          value.proof};
}

ProfileSource::ProfileSource(const PrivacyLoss& loss, Accuracy accuracy)
    : accuracy_(accuracy),
      symmetric_(loss.is_symmetric()),
      forward_(loss.forward(), accuracy),
      reverse_(loss.reverse(), accuracy) {}

Answer ProfileSource::delta(QuantitySource& source, double epsilon) const {
  const QuantityValue value = source.at(epsilon, Kernel::profile);
  require_proof(accuracy_, value.proof);
  return {delta_from(value.value, epsilon), value.proof};
}

ProfilePoint ProfileSource::at(double epsilon) {
  require_finite("epsilon", epsilon);
  const Answer forward = delta(forward_, epsilon);
  const Answer reverse = symmetric_ ? forward : delta(reverse_, epsilon);
  return {epsilon, forward.value, reverse.value, weaker_of(forward.proof, reverse.proof)};
}

struct ProfileCurve::Sources {
  Sources(PrivacyLoss of, Accuracy accuracy) : loss(std::move(of)), source(loss, accuracy) {}
  PrivacyLoss loss;
  ProfileSource source;
};

ProfileCurve::ProfileCurve(const PrivacyLoss& loss, Accuracy accuracy)
    : sources_(std::make_unique<Sources>(loss.with_copies_joined().value_or(loss), accuracy)) {}
ProfileCurve::~ProfileCurve() = default;
ProfileCurve::ProfileCurve(ProfileCurve&&) noexcept = default;

ProfilePoint ProfileCurve::at(double epsilon) {
  ProfilePoint point = sources_->source.at(epsilon);
  const double least = least_delta(epsilon);
  point.forward = upper_end_of(point.forward, sources_->loss.forward().upper_bound, least);
  point.reverse = upper_end_of(point.reverse, sources_->loss.reverse().upper_bound, least);
  return point;
}

ProfilePoint profile(const PrivacyLoss& loss, double epsilon, Accuracy accuracy) {
  return ProfileCurve(loss, accuracy).at(epsilon);
}

}  // namespace modicum
