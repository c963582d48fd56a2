#include "release/reports/publishable_report_quantiles.h"

#include <arb_hypgeom.h>

#include <cmath>

#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// P[|Z|^2 > t^2] = Q(d/2, t^2/2), the upper incomplete gamma function.
Ball norm_above(double dimension, double t) {
  const Ball shape = Ball(dimension) / 2.0, place = Ball(t) * Ball(t) / 2.0;
  Ball result;
  arb_hypgeom_gamma_upper(result.raw(), shape.raw(), place.raw(), 1, PrecisionScope::bits());
  return result;
}

}  // namespace

double normal_quantile_above(double tail) {
  if (!(tail > 0.0 && tail <= 0.5))
    throw InvalidParameter("tail", tail, "must be above 0 and at most 1/2");
  const PrecisionScope scope(proof_bits);
  const Ball twice = Ball(2.0) * Ball(tail);
  Ball result;
  arb_hypgeom_erfcinv(result.raw(), twice.raw(), PrecisionScope::bits());
  const double above = (sqrt(Ball(2.0)) * result).upper();
  if (!std::isfinite(above))
    throw Error("a quantile of the normal distribution could not be enclosed");
  return above;
}

double norm_quantile_above(double dimension, double tail) {
  require_count("dimension", dimension);
  require_open_unit("tail", tail);
  const PrecisionScope scope(proof_bits);
  // |Z| exceeds its mean, which is below sqrt d, by t with probability at most exp(-t^2/2).
  double low = 0.0, high = std::sqrt(dimension) + std::sqrt(-2.0 * std::log(tail)) + 1e-6;
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    const bool below = (norm_above(dimension, middle) - Ball(tail)).surely_nonpositive();
    (below ? high : low) = middle;
  }
  return high;
}

}  // namespace modicum
