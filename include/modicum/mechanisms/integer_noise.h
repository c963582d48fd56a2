// Any noise on the integers, given by its probabilities, added to one whole number.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

struct IntegerNoise {
  /// Of first, first + 1, ...; at least 0. They add up to 1 within 1e-9 and count divided by their
  /// sum.
  std::vector<double> probabilities;
  double first = 0.0;
};

/// The sensitivity is a whole number: how far a record moves the answer at most. Exact for
/// symmetric noise that never rises away from its middle: then the largest shift is the worst. For
/// other noise the supremum over all shifts, an upper bound; at most 10^5 pairs of a probability
/// and a shift. Throws InvalidParameter. (docs/derivations/discrete-noise.md)
PrivacyLoss integer_noise(const IntegerNoise& noise, double sensitivity);

}  // namespace modicum
