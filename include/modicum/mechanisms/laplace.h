// The Laplace mechanism: adds noise of density exp(-|x| / scale) / (2 scale).
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// `sensitivity` bounds the distance of the answers on neighboring data sets.
PrivacyLoss laplace_mechanism(double scale, double sensitivity);

}  // namespace modicum
