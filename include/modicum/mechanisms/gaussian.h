// The Gaussian mechanism: adds N(0, standard_deviation^2) to each coordinate.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// `sensitivity` bounds the Euclidean distance of the answers on neighbouring data sets.
PrivacyLoss gaussian_mechanism(double standard_deviation, double sensitivity);

/// mu-Gaussian differential privacy [DongRothSu2022]: as hard as telling N(0, 1) from N(mu, 1).
PrivacyLoss gaussian_differential_privacy(double mu);

}  // namespace modicum
