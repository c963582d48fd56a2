// Randomized response, and the pairs that dominate a given guarantee.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Reports the true bit with this probability, strictly between 0 and 1; of more than two
/// categories the others with equal probabilities. At most 1e9 of them.
PrivacyLoss randomized_response(double truth_probability, double categories = 2.0);

/// Whatever is known to be epsilon-differentially private, epsilon >= 0.
PrivacyLoss pure_guarantee(double epsilon);

/// Whatever is known to be (epsilon, delta)-differentially private, 0 <= delta < 1.
PrivacyLoss approximate_guarantee(double epsilon, double delta);

}  // namespace modicum
