// The pair that dominates every mechanism of bounded range eta (the exponential mechanism):
// delta(epsilon) = (1 - e^{(epsilon - eta)/2})^2 / (1 - e^{-eta}) for |epsilon| <= eta.
#pragma once

#include <memory>

#include "privacy/laws/loss_law.h"

namespace modicum {

/// range > 0. Symmetric.
std::shared_ptr<const LossLaw> bounded_range_law(double range);

}  // namespace modicum
