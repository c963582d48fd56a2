// About the epsilon at which delta is this, where a search starts.
#pragma once

#include "modicum/privacy/privacy_loss.h"
#include "privacy/engines/quantity.h"

namespace modicum {

/// By the leading term at the saddle point, or for copies of a subsampled Gaussian step by one that
/// took the record, whichever is the less; not above 0 or not finite where there is neither.
EpsilonGuess guessed_epsilon(const DirectedLoss& loss, double delta);

}  // namespace modicum
