#include "privacy/engines/quantity.h"

#include <algorithm>

#include "numerics/precise_ball.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/epsilon_guess.h"
#include "privacy/laws/loss_law.h"
#include "privacy/spherical_rays/spherical_ray.h"

namespace modicum {

QuantitySource::QuantitySource(const DirectedLoss& loss, Accuracy accuracy)
    : loss_(loss), accuracy_(accuracy) {}
QuantitySource::~QuantitySource() = default;
QuantitySource::QuantitySource(QuantitySource&&) noexcept = default;

QuantityValue QuantitySource::with_infinity(QuantityValue finite, bool includes_infinity) const {
  if (loss_.infinite_mass.is_exactly(0.0)) return finite;
  const Ball infinite = to_ball(loss_.infinite_mass);
  finite.value *= Ball(1.0) - infinite;
  if (includes_infinity) finite.value += infinite;
  return finite;
}

QuantityValue QuantitySource::at(double shift, Kernel kernel) {
  const PrecisionScope scope(160);
  const bool includes_infinity = kernel == Kernel::profile || kernel == Kernel::upper_tail;
  if (loss_.mutually_singular) return {Ball(includes_infinity ? 1.0 : 0.0), Proof::certified};
  return with_infinity(answer({loss_, shift, kernel, accuracy_, discretized_}).value,
                       includes_infinity);
}

QuantityValue QuantitySource::roughly(double shift, double width) {
  if (!discretized_) return at(shift, Kernel::profile);
  if (!rough_)
    rough_ = std::make_unique<DiscretizedProfile>(loss_, lattice_accuracy(loss_, accuracy_));
  const PrecisionScope scope(160);
  return with_infinity(rough_->roughly(shift, width), true);
}

EpsilonGuess QuantitySource::epsilon_guess(double delta) {
  const double infinite = loss_.infinite_mass.high;
  const double finite = (delta - infinite) / (1.0 - infinite);
  if (loss_.is_gaussian() || loss_.mutually_singular || !(finite > 0.0 && finite < 1.0)) return {};
  // Of a few copies of spherical noise the rays know it best, with a pole, too.
  if (const SphericalPair* noise = few_spherical(loss_))
    if (const auto guess = SphericalRay::guess(*noise, loss_.laws.front().count, finite))
      return {guess->shift, guess->slope};
  const bool by_rules = std::ranges::all_of(
      loss_.laws, [](const LawPart& part) { return !part.law->nodes(0.5, 0.0, 0).losses.empty(); });
  if (by_rules) return guessed_epsilon(loss_, finite);
  if (is_one_law(loss_)) return {};  // it answers by itself, quicker than a lattice is made
  if (!discretized_)
    discretized_ = std::make_unique<DiscretizedProfile>(loss_, lattice_accuracy(loss_, accuracy_));
  return discretized_->epsilon_guess(finite);
}

QuantityValue quantity(const DirectedLoss& loss, double shift, Kernel kernel, Accuracy accuracy) {
  return QuantitySource(loss, accuracy).at(shift, kernel);
}

bool is_pair(const DirectedLoss& loss) {
  return std::ranges::all_of(loss.laws, [](const LawPart& part) { return part.law->is_pair(); });
}

}  // namespace modicum
