// Renyi divergences of batches of a fixed size: the bound to compare with
// (docs/derivations/replace-one.md).
#include <cmath>

#include "modicum/mechanisms/subsampled.h"
#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {

// log(1 + g^2 C(a,2) min(4 (e^{D(2)} - 1), 2 e^{D(2)}) + sum over j = 3 ... a of 2 g^j C(a,j)
// e^{(j-1) D(j)}) / (a - 1), D(j) = j mu^2 / 2 that of the whole.
RenyiBounds batched_gaussian_moments(double standard_deviation, double sensitivity,
                                     double batch_share) {
  constexpr int largest_order = 128;
  const PrecisionScope scope(256);
  const Ball mu = Ball(require_non_negative("sensitivity", sensitivity)) /
                  Ball(require_positive("standard_deviation", standard_deviation));
  const Ball half = mu * mu / 2.0, share = require_sampling_rate(batch_share);
  RenyiCurve curve;
  for (int order = 2; order <= largest_order; ++order) {
    Ball sum = 1.0, term = 1.0;  // term: C(order, j) share^j
    for (int j = 1; j <= order; ++j) {
      term = term * share * Ball(order - j + 1.0) / Ball(static_cast<double>(j));
      const Ball divergence = half * Ball(static_cast<double>(j));
      if (j == 2) sum += term * min(expm1(divergence) * 4.0, exp(divergence) * 2.0);
      if (j > 2) sum += term * exp(divergence * Ball(j - 1.0)) * 2.0;
    }
    const double bound = (log(sum) / Ball(order - 1.0)).upper();
    if (!std::isfinite(bound)) break;
    curve.orders.push_back(order);
    curve.divergences.push_back(bound);
  }
  if (curve.orders.empty())
    throw InvalidParameter("sensitivity", sensitivity, "is too large for Renyi divergences");
  return {0.0, 0.0, {curve}};
}

}  // namespace modicum
