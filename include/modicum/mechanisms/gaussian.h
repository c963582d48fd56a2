// The Gaussian mechanism: adds N(0, standard_deviation^2) to each coordinate.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// `sensitivity` bounds the Euclidean distance of the answers on neighboring data sets.
PrivacyLoss gaussian_mechanism(double standard_deviation, double sensitivity);

/// s sqrt(2 log(1.25/delta))/epsilon, what [DworkRoth2014, Theorem A.1] asks for; proved for
/// epsilon <= 1 only, and for comparison only. epsilon and delta above 0.
double classical_gaussian_deviation(double epsilon, double delta, double sensitivity);

/// mu-Gaussian differential privacy [DongRothSu2022]: as hard as telling N(0, 1) from N(mu, 1).
PrivacyLoss gaussian_differential_privacy(double mu);

}  // namespace modicum
