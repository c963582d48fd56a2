// Randomized response on one bit, and the pairs that dominate a given guarantee.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Reports the true bit with this probability, strictly between 0 and 1.
PrivacyLoss randomized_response(double truth_probability);

/// Whatever is known to be epsilon-differentially private, epsilon >= 0.
PrivacyLoss pure_guarantee(double epsilon);

/// Whatever is known to be (epsilon, delta)-differentially private, 0 <= delta < 1.
PrivacyLoss approximate_guarantee(double epsilon, double delta);

}  // namespace modicum
