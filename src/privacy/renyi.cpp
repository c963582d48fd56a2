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
  // Of a dense pair the largest t is this close to the largest on the diagonal (Weyl).
  const Ball moved = eigenvalue_distance(loss.gaussian);
  for (const SpectrumComponent& component : loss.gaussian.components())
    if ((Ball(1.0) - Ball(z) * (to_ball(component.excess) - moved)).surely_nonpositive())
      return true;
  return false;
}

// log E[exp(z L); L finite] / z with z = order - 1.
struct MomentRate {
  Ball order_minus_one;
  QuantityValue log_moment;
};

// order - 1 is an exact double from 1/2 on. Below that the other direction is asked at -order,
// whose moment at -1 - z is this one's at z. Where the two directions have nothing to do with each
// other order - 1 is rounded upwards: log E[exp(z L)] / z grows with z, and a bound is all there
// is.
MomentRate moment_rate(const DirectedLoss& loss, const DirectedLoss& opposite, double order) {
  const auto with_mass = [](const DirectedLoss& directed, double z) {
    QuantityValue moment = log_moment(directed, z);
    moment.value += log1p(-to_ball(directed.infinite_mass));
    return moment;
  };
  if (order < 0.5 && is_pair(loss) && is_pair(opposite))
    return {Ball(order) - 1.0, with_mass(opposite, -order)};
  const double z = order < 0.5 ? std::nextafter(order - 1.0, 0.0) : order - 1.0;
  return {Ball(z), with_mass(loss, z)};
}

// Both ends infinite: the divergence is, for certain. Only the upper end: no bound was found.
Answer directed_renyi(const DirectedLoss& loss, const DirectedLoss& opposite, double order) {
  const Answer infinite{Enclosure::exactly(infinity), Proof::certified};
  const PrecisionScope scope(192);
  const Ball mass = to_ball(loss.infinite_mass), largest = largest_finite_loss(loss);
  if (loss.mutually_singular || (order >= 1.0 && mass.surely_positive())) return infinite;
  // Divergences grow with the order up to the largest loss.
  const auto answer = [&](const Ball& divergence, Proof proof) -> Answer {
    if (divergence.finite()) return {divergence.enclosure().within(0.0, infinity), proof};
    const bool bounded = largest.finite() && mass.exactly_zero();
    return {{0.0, bounded ? std::max(0.0, largest.upper()) : infinity},
            weaker_of(proof, loss.gaussian.proof())};
  };
  if (order >= 1.0 && !mass.exactly_zero()) return {{0.0, infinity}, Proof::certified};
  if (std::isinf(order))
    return largest.lower() == infinity ? infinite : answer(largest, loss.gaussian.proof());
  if (order == 1.0) {
    const QuantityValue divergence = mean_loss(loss);
    return answer(divergence.value, divergence.proof);
  }
  if (order >= 0.5 && moment_is_infinite(loss, order - 1.0)) return infinite;
  const auto [z, moment] = moment_rate(loss, opposite, order);
  return answer(moment.value / z, moment.proof);
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
