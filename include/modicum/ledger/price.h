// What a privacy loss costs in a currency that may be spent freely: a Gaussian with mean mu, and a
// small probability with which everything may be lost (docs/derivations/ledger.md).
#pragma once

#include "modicum/ledger/reading.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The pair N(mu, 1), N(0, 1), beside an infinite loss with probability `slack` in each direction.
struct Price {
  Reading mu_squared;
  double slack = 0.0;
  /// Rounded up.
  double mu() const;
};

/// Of what kind a loss is, however small.
class HasNoPrice : public TargetUnreachable {
 public:
  using TargetUnreachable::TargetUnreachable;
};

/// The smallest mu such that the pair with this slack dominates the loss: for every epsilon >= 0
/// the larger of both directions is at most s + (1 - s) delta_mu(epsilon). Proved, rounded up;
/// sharp to a hundred-thousandth. A loss that only shifts a Gaussian is priced exactly, with no
/// slack beyond the probability that it is infinite itself.
///
/// `slack` lies in [0, 1). Throws HasNoPrice where the loss is infinite with a larger probability,
/// or unbounded and the slack does not cover its tail; TargetUnreachable where it is too large, or
/// no proof is to be had.
Price price(const PrivacyLoss& loss, double slack);

/// The largest probability of an infinite loss, rounded up: no slack below it has a price.
double infinite_probability(const PrivacyLoss& loss);

/// Whether the loss only shifts a Gaussian, beside being infinite with some probability.
bool is_shift(const PrivacyLoss& loss);

}  // namespace modicum
