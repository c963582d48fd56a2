// Any mechanism on a Poisson sample.
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// (X, Y) dominates what a mechanism gives with and without a record; each record takes part with
/// this probability, below 1: then (rate X + (1 - rate) Y, Y) dominates, for adding and removing a
/// record (docs/derivations/projection.md). `loss` is one law, once: a Gaussian spectrum, or known
/// by its law. `identity` has its parameters and tells it apart. Throws InvalidParameter for
/// others.
PrivacyLoss sampled_loss(const PrivacyLoss& loss, double rate, std::vector<double> identity);

}  // namespace modicum
