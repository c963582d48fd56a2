#include "modicum/numerics/precise.h"

#include <cmath>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {

Precise Precise::ratio(double numerator, double denominator) {
  require_finite("numerator", numerator);
  require_finite("denominator", denominator);
  const PrecisionScope scope(128);
  return to_precise("ratio", Ball(numerator) / Ball(denominator));
}

const Precise& require_precise(std::string_view name, const Precise& value) {
  require_finite(name, value.high);
  require_finite(name, value.low);
  require_non_negative(name, value.radius);
  return value;
}

Ball to_ball(const Precise& value) {
  Ball result = Ball(value.high);
  arb_t low;
  arb_init(low);
  arb_set_d(low, value.low);
  arb_add(result.raw(), result.raw(), low, ARF_PREC_EXACT);
  arb_clear(low);
  return value.radius == 0.0 ? result : result.widened(value.radius);
}

Precise to_precise(std::string_view name, const Ball& value) {
  const double high = value.middle();
  if (!value.finite() || !std::isfinite(high))
    throw InvalidParameter(name, high, "must be within the range of double precision");
  const Ball rest = value - Ball(high);
  const double low = rest.middle();
  return {high, low, abs(rest - Ball(low)).upper()};
}

}  // namespace modicum
