// The pair that dominates every mechanism of bounded range eta (the exponential mechanism):
// delta(epsilon) = (1 - e^{(epsilon - eta)/2})^2 / (1 - e^{-eta}) for |epsilon| <= eta.
#pragma once

#include <memory>
#include <optional>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// range > 0. Symmetric.
std::shared_ptr<const LossLaw> bounded_range_law(double range);

/// The range of such a law; empty for others.
std::optional<double> bounded_range_of(const LossLaw& law);

}  // namespace modicum
