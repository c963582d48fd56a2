// Which arithmetic an answer may use, and what came of it.
#pragma once

#include "modicum/numerics/enclosure.h"
#include "numerics/ball.h"

namespace modicum {

/// `cheapest_proof` means balls where these cost milliseconds; `coarse_balls` is a proof to some
/// hundredths of a percent, for searches that ask for a bound only (Gaussian spectra alone have it).
enum class Arithmetic { doubles, balls, cheapest_proof, coarse_balls };

/// A quantity with how it was obtained. In doubles the ball is the estimate.
struct QuantityValue {
  Ball value;
  Proof proof = Proof::certified;
};

}  // namespace modicum
