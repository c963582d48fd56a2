#include "modicum/privacy/profile.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/mode.h"
#include "privacy/quantity.h"

namespace modicum {

Arithmetic arithmetic_of(Mode mode) {
  switch (mode) {
    case Mode::fast:
      return Arithmetic::doubles;
    case Mode::certified:
      return Arithmetic::balls;
    case Mode::automatic:
      break;
  }
  return Arithmetic::cheapest_proof;
}

void require_proof(Mode mode, Proof proof) {
  if (mode == Mode::certified && proof != Proof::certified)
    throw TargetUnreachable("no certified answer is to be had for this loss: use --fast");
}

Enclosure bounded(const Ball& value, double largest) {
  if (!value.finite()) return {0.0, largest};
  return value.enclosure().within(0.0, largest);
}

Answer directed_delta(const DirectedLoss& loss, double epsilon, Mode mode) {
  require_finite("epsilon", epsilon);
  const QuantityValue value = quantity(loss, epsilon, Kernel::profile, arithmetic_of(mode));
  require_proof(mode, value.proof);
  return {bounded(value.value, 1.0), value.proof};
}

ProfilePoint profile(const PrivacyLoss& loss, double epsilon, Mode mode) {
  const Answer forward = directed_delta(loss.forward(), epsilon, mode);
  const Answer reverse =
      loss.is_symmetric() ? forward : directed_delta(loss.reverse(), epsilon, mode);
  return {epsilon, forward.value, reverse.value, weaker_of(forward.proof, reverse.proof)};
}

namespace {

// Whether E[exp(z L)] is infinite for certain: some 1 - z t <= 0.
bool moment_is_infinite(const GaussianSpectrum& spectrum, double z) {
  const bool dense = spectrum.off_diagonal().with_record != 0.0;
  for (const SpectrumComponent& component : spectrum.components())
    if (!dense && (Ball(1.0) - Ball(z) * to_ball(component.excess)).surely_nonpositive())
      return true;
  return false;
}

// `opposite` is the other direction, whose K at -1 - z is this one's at z.
Enclosure directed_renyi(const DirectedLoss& loss, const DirectedLoss& opposite, double order) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto infinite = Enclosure::exactly(infinity);
  const Enclosure unknown{0.0, infinity};
  const PrecisionScope scope(192);
  const Ball infinite_mass = to_ball(loss.infinite_mass);
  if (loss.mutually_singular || (order >= 1.0 && !infinite_mass.exactly_zero())) return infinite;
  if (std::isinf(order)) {
    const Ball largest = largest_finite_loss(loss);
    return largest.finite() ? largest.enclosure().within(0.0, infinity) : infinite;
  }
  if (order == 1.0) {
    const Ball divergence = mean_loss(loss);
    if (!divergence.finite()) return unknown;
    return divergence.enclosure().within(0.0, infinity);
  }
  // order - 1 is an exact double from 1/2 on; below that the other direction is asked at -order.
  const bool exact = order >= 0.5;
  if (exact && moment_is_infinite(loss.gaussian, order - 1.0)) return infinite;
  const Ball moment = exact ? log_moment(loss, order - 1.0) : log_moment(opposite, -order);
  const Ball divergence = (moment + log1p(-infinite_mass)) / (Ball(order) - 1.0);
  if (!divergence.finite()) return unknown;
  return divergence.enclosure().within(0.0, infinity);
}

}  // namespace

Enclosure renyi_divergence(const PrivacyLoss& loss, double order) {
  if (!(order > 0.0)) throw InvalidParameter("order", order, "must be positive");
  return larger_of(directed_renyi(loss.forward(), loss.reverse(), order),
                   directed_renyi(loss.reverse(), loss.forward(), order));
}

}  // namespace modicum
