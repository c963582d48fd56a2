// A composition with parts that hardly lose anything: on a lattice they would ask for steps as
// small as their losses. With L = A + B and epsilon = a + b,
//   (1 - e^{epsilon - L})_+ <= (1 - e^{a - A})_+ + (1 - e^{b - B})_+,
// since 1 - uv <= (1 - u)_+ + (1 - v)_+ for u, v > 0; so delta(epsilon) <= delta_A(a) + delta_B(b).
// And delta(epsilon) >= delta_A(epsilon) where B is a pair: forgetting its output loses less.
#include <algorithm>

#include "privacy/engines/engine.h"
#include "privacy/engines/quantity.h"

namespace modicum {
namespace {

// Losses of this size hardly move a delta, whose logarithm falls by some tens per unit at most.
constexpr double small_loss = 1e-3, smallest_loss = 1e-12;

DirectedLoss closed_form_parts(const DirectedLoss& loss) {
  DirectedLoss parts = loss;
  parts.laws.clear();
  parts.infinite_mass = {};
  return parts;
}

DirectedLoss laws_alone(const DirectedLoss& loss) {
  DirectedLoss laws;
  laws.laws = loss.laws;
  laws.upper_bound = loss.upper_bound;
  return laws;
}

double proved_delta(const DirectedLoss& loss, double epsilon) {
  return quantity(loss, epsilon, Kernel::profile, Accuracy::certified).value.upper();
}

}  // namespace

bool has_negligible_parts(const DirectedLoss& loss) {
  if (loss.laws.empty() || !loss.upper_bound) return false;
  const bool only_laws =
      loss.gaussian.is_trivial() && loss.two_points.empty() && loss.laplaces.empty();
  constexpr double hardly = 1e-15;
  // Of parts that are estimates themselves nothing could be proved.
  return !only_laws && loss.gaussian.proof() == Proof::certified &&
         proved_delta(closed_form_parts(loss), small_loss) < hardly;
}

std::optional<QuantityValue> beside_negligible_parts(const DirectedLoss& loss, double shift,
                                                     Accuracy accuracy) {
  const DirectedLoss small = closed_form_parts(loss), laws = laws_alone(loss);
  const QuantityValue without = quantity(laws, shift, Kernel::profile, accuracy);
  const double allowed = 1e-5 * without.value.upper();
  for (double moved = smallest_loss; moved <= small_loss; moved *= 2.0) {
    const double added = proved_delta(small, moved);
    if (!(added <= allowed)) continue;
    const QuantityValue above = quantity(laws, shift - moved, Kernel::profile, accuracy);
    const Ball most = above.value + Ball(added);
    if (!(most.upper() <= 1.002 * without.value.upper())) return std::nullopt;
    return QuantityValue{hull(without.value, most), weaker_of(without.proof, above.proof)};
  }
  return std::nullopt;
}

}  // namespace modicum
