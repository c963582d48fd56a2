#include "privacy/engines/quantity.h"

#include <algorithm>

#include "numerics/precise_ball.h"
#include "privacy/engines/discretized.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

QuantitySource::QuantitySource(const DirectedLoss& loss, Accuracy accuracy)
    : loss_(loss), accuracy_(accuracy) {}
QuantitySource::~QuantitySource() = default;
QuantitySource::QuantitySource(QuantitySource&&) noexcept = default;

QuantityValue QuantitySource::at(double shift, Kernel kernel) {
  const PrecisionScope scope(160);
  const bool includes_infinity = kernel == Kernel::profile || kernel == Kernel::upper_tail;
  if (loss_.mutually_singular) return {Ball(includes_infinity ? 1.0 : 0.0), Proof::certified};
  QuantityValue result = answer({loss_, shift, kernel, accuracy_, discretized_}).value;
  if (loss_.infinite_mass.is_exactly(0.0)) return result;
  const Ball infinite = to_ball(loss_.infinite_mass);
  result.value *= Ball(1.0) - infinite;
  if (includes_infinity) result.value += infinite;
  return result;
}

QuantityValue quantity(const DirectedLoss& loss, double shift, Kernel kernel, Accuracy accuracy) {
  return QuantitySource(loss, accuracy).at(shift, kernel);
}

bool is_pair(const DirectedLoss& loss) {
  return std::ranges::all_of(loss.laws, [](const LawPart& part) { return part.law->is_pair(); });
}

}  // namespace modicum
