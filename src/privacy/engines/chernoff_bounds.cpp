#include "privacy/engines/chernoff_bounds.h"

#include <algorithm>

#include "modicum/numerics/bracketing.h"

namespace modicum {
namespace {

// Where the loss is itself an estimate its bounds are, too.
double known_or(const DirectedLoss& loss, const QuantityValue& bound, double otherwise) {
  const bool known = bound.proof == Proof::certified || loss.gaussian.proof() != Proof::certified;
  return known && bound.value.finite() ? bound.value.upper() : otherwise;
}

// About at the saddle point. Where that has no proof, on a grid, until it rises: its logarithm is
// convex.
double least_bound(const DirectedLoss& loss, const LossMoment& moment, double shift) {
  const auto saddle = find_saddle(moment, shift, Kernel::profile);
  if (saddle && saddle->point > 0.0) {
    const double bound = known_or(loss, profile_bound(loss, saddle->point, shift), infinity);
    if (bound < infinity) return std::min(bound, 1.0);
  }
  const double upper_end = moment.upper_end();
  double known = 1.0, least = infinity;
  for (double x = 1e-6; x < 1e15; x *= 2.0) {
    const double c = std::min(x, 0.5 * upper_end);
    const QuantityValue bound = profile_bound(loss, c, shift);
    known = std::min(known, known_or(loss, bound, 1.0));
    least = std::min(least, bound.value.upper());
    if (c < x || bound.value.lower() > 2.0 * least) break;
  }
  return known;
}

}  // namespace

Ball least_missing(const DirectedLoss& loss, const LossMoment& moment, double shift) {
  const auto exponent = [&](double x) {
    return static_cast<double>(moment.jet(-x).value + static_cast<long double>(x) * shift);
  };
  const Bracket place = narrow_to_minimum(exponent, {0.0, 1.0}, 1e-3);
  return known_or(loss, missing_bound(loss, 0.5 * (place.low + place.high), shift), 1.0);
}

Ball chernoff_bounds(const DirectedLoss& loss, const LossMoment& moment, double shift) {
  const Ball missing = least_missing(loss, moment, shift);
  return hull(max(Ball(1.0) - missing, Ball(0.0)), Ball(least_bound(loss, moment, shift)));
}

}  // namespace modicum
