// What rho-zero-concentrated differential privacy implies.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The best delta at every epsilon that the moments of rho-zCDP allow [BunSteinke2016]: an upper
/// bound. Several of them are one with the sum of their rho, which is less than their composition.
PrivacyLoss zero_concentrated(double rho);

}  // namespace modicum
