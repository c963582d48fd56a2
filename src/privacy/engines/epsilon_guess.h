// About the epsilon at which delta is this, where a search starts.
#pragma once

#include "modicum/privacy/privacy_loss.h"
#include "privacy/engines/quantity.h"

namespace modicum {

/// By the leading term at the saddle point, or where the loss tilted to it has two modes as if it
/// were normal, or for copies of a subsampled Gaussian step by one that took the record, whichever
/// is the less; not above 0 or not finite where there is none.
EpsilonGuess guessed_epsilon(const DirectedLoss& loss, double delta);

}  // namespace modicum
