// Noise on the integers, added to one whole number.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Mass proportional to exp(-k^2 / (2 sigma^2)); sigma at most 4096. The sensitivity is a whole
/// number: how far a record moves the answer at most. [CanonneKamathSteinke2020]
PrivacyLoss discrete_gaussian(double sigma, double sensitivity);

/// Mass proportional to exp(-|k| / scale): the geometric mechanism, of pure loss sensitivity/scale.
PrivacyLoss discrete_laplace(double scale, double sensitivity);

}  // namespace modicum
