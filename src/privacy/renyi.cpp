// Renyi divergences: the log moments of the loss, D_order = K(order - 1) / (order - 1).
#include <cmath>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/profile_source.h"

namespace modicum {
namespace {

// Whether E[exp(z L)] is infinite for certain: some 1 - z t <= 0, or beyond the end of a law.
bool moment_is_infinite(const DirectedLoss& loss, double z) {
  for (const LawPart& part : loss.laws)
    if (z >= part.law->moment_end()) return true;
  const GaussianSpectrum& spectrum = loss.gaussian;
  const bool dense = spectrum.off_diagonal().with_record != 0.0;
  for (const SpectrumComponent& component : spectrum.components())
    if (!dense && (Ball(1.0) - Ball(z) * to_ball(component.excess)).surely_nonpositive())
      return true;
  return false;
}

// log E[exp(z L)] / z with z = order - 1.
struct MomentRate {
  Ball order_minus_one;
  QuantityValue log_moment;
};

// order - 1 is an exact double from 1/2 on. Below that the other direction is asked at -order,
// whose K at -1 - z is this one's at z. Where the two directions have nothing to do with each other
// order - 1 is rounded upwards: log E[exp(z L)] / z grows with z, and a bound is all there is.
MomentRate moment_rate(const DirectedLoss& loss, const DirectedLoss& opposite, double order) {
  if (order < 0.5 && is_pair(loss) && is_pair(opposite))
    return {Ball(order) - 1.0, log_moment(opposite, -order)};
  const double z = order < 0.5 ? std::nextafter(order - 1.0, 0.0) : order - 1.0;
  return {Ball(z), log_moment(loss, z)};
}

Answer directed_renyi(const DirectedLoss& loss, const DirectedLoss& opposite, double order) {
  const Answer infinite{Enclosure::exactly(infinity), Proof::certified};
  const PrecisionScope scope(192);
  const auto answer = [](const Ball& divergence, Proof proof) -> Answer {
    if (!divergence.finite()) return {{0.0, infinity}, proof};
    return {divergence.enclosure().within(0.0, infinity), proof};
  };
  const Ball infinite_mass = to_ball(loss.infinite_mass);
  if (loss.mutually_singular || (order >= 1.0 && !infinite_mass.exactly_zero())) return infinite;
  if (std::isinf(order)) {
    const Ball largest = largest_finite_loss(loss);
    return largest.finite() ? answer(largest, loss.gaussian.proof()) : infinite;
  }
  if (order == 1.0) {
    const QuantityValue divergence = mean_loss(loss);
    return answer(divergence.value, divergence.proof);
  }
  if (order >= 0.5 && moment_is_infinite(loss, order - 1.0)) return infinite;
  const auto [z, moment] = moment_rate(loss, opposite, order);
  return answer((moment.value + log1p(-infinite_mass)) / z, moment.proof);
}

}  // namespace

Answer renyi_divergence(const PrivacyLoss& loss, double order, Accuracy accuracy) {
  if (!(order > 0.0)) throw InvalidParameter("order", order, "must be positive");
  const Answer forward = directed_renyi(loss.forward(), loss.reverse(), order);
  const Answer reverse = directed_renyi(loss.reverse(), loss.forward(), order);
  const Proof proof = weaker_of(forward.proof, reverse.proof);
  require_proof(accuracy, proof);
  return {upper_end_of(larger_of(forward.value, reverse.value), loss.is_upper_bound()), proof};
}

}  // namespace modicum
