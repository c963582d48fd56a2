#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/step.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {
namespace {

// Equal covariances, L ~ N(t^2/2, t^2) under X and N(-t^2/2, t^2) under Y [BalleWang2018, Th. 8].
Ball shift_quantity(const Ball& square, const Ball& shift, Kernel kernel) {
  const Ball t = sqrt(square), root = sqrt(Ball(2.0));
  const Ball near = (shift / t - t / 2.0) / root, far = (shift / t + t / 2.0) / root;
  switch (kernel) {
    case Kernel::profile:
      return (erfc(near) - exp(shift) * erfc(far)) / 2.0;
    case Kernel::upper_tail:
      return erfc(near) / 2.0;
    case Kernel::lower_tail:
      return erfc(-near) / 2.0;
    case Kernel::tilted_upper:
      return exp(shift) * erfc(far) / 2.0;
    case Kernel::tilted_lower:
      break;
  }
  return exp(shift) * erfc(-far) / 2.0;
}

bool every_ratio(const GaussianSpectrum& spectrum, bool below_one) {
  for (const SpectrumComponent& component : spectrum.components())
    if (component.excess.high == 0.0 || (component.excess.high < 0.0) != below_one) return false;
  return true;
}

// Whether the quantity is exactly zero: the shift lies beyond the range of L. At an end of the
// range itself the probability is zero too, L having a density there.
bool surely_zero(const GaussianSpectrum& spectrum, const Ball& shift, Kernel kernel) {
  const bool left = closes_on_the_left(kernel);
  if (!every_ratio(spectrum, !left)) return false;
  // inf L = -sup of the reversed loss.
  const double supremum = GaussianMoment(left ? spectrum.reversed() : spectrum).supremum().upper();
  return std::isfinite(supremum) && (Ball(supremum) - (left ? -shift : shift)).surely_nonpositive();
}

Ball largest_value(const Ball& shift, Kernel kernel) {
  return has_pole_at_zero(kernel) ? Ball(1.0) : exp(shift);
}

QuantityValue estimate(const ContourValue& integral, const Ball& shift) {
  const PrecisionScope scope(64);
  const double shift_error =
      std::abs(integral.path.center) * (abs(shift - Ball(shift.middle())).upper());
  const Ball value =
      exp(Ball(static_cast<double>(integral.exponent)) +
          Ball(static_cast<double>(integral.exponent - static_cast<double>(integral.exponent)))) *
      Ball(integral.mantissa);
  return {value.widened(value * Ball(integral.relative_error + shift_error)), Proof::estimated};
}

// The other tail, and what the two add up to: 1, or exp(shift) for the tails of Y.
Kernel other_tail(Kernel kernel) {
  switch (kernel) {
    case Kernel::upper_tail:
      return Kernel::lower_tail;
    case Kernel::lower_tail:
      return Kernel::upper_tail;
    case Kernel::tilted_upper:
      return Kernel::tilted_lower;
    case Kernel::tilted_lower:
      return Kernel::tilted_upper;
    case Kernel::profile:
      break;
  }
  return Kernel::profile;
}

// Whether the mean of L (under X, or under Y for the tilted kernels) lies in this tail: then the
// saddle point crowds the pole, and the other tail is the one to compute.
bool is_the_larger_tail(const GaussianMoment& moment, double shift, Kernel kernel) {
  if (kernel == Kernel::profile) return false;
  const long double mean = moment.jet(has_pole_at_zero(kernel) ? 0.0L : -1.0L).first;
  return closes_on_the_left(kernel) ? shift > mean : shift < mean;
}

// Evaluates at doubling precision until there are enough bits, or no more to be had.
template <class Evaluate>
std::optional<Ball> at_rising_precision(long first, long last, long wanted, Evaluate evaluate) {
  std::optional<Ball> best;
  long reached = 0;
  for (long bits = first; bits <= last; bits *= 2) {
    const PrecisionScope scope(bits);
    const std::optional<Ball> value = evaluate();
    if (!value || !value->finite()) continue;
    const long known = arb_rel_accuracy_bits(value->raw());
    if (best && known > 0 && known < reached + 4) break;
    best = value;
    reached = known;
    if (known > wanted) break;
  }
  return best;
}

// Where there is no path: for a profile close to 1, what is missing is the sum of two small tails;
// else the value lies between 0 and Chernoff's bound.
QuantityValue without_path(const GaussianSpectrum& spectrum, const GaussianMoment& moment,
                           const Ball& shift, Kernel kernel, Accuracy accuracy, Digits digits) {
  const PrecisionScope scope(192);
  if (kernel == Kernel::profile) {
    const QuantityValue below =
        gaussian_quantity(spectrum, shift, Kernel::lower_tail, accuracy, digits);
    const QuantityValue above =
        gaussian_quantity(spectrum, shift, Kernel::tilted_upper, accuracy, digits);
    const Ball value = Ball(1.0) - below.value - above.value;
    if (value.finite() && arb_rel_accuracy_bits(value.raw()) > 20)
      return {value, weaker_of(below.proof, above.proof)};
  }
  const Ball bound = chernoff_bound(moment, shift, kernel);
  const double upper = bound.finite() ? bound.upper() : largest_value(shift, kernel).upper();
  return {Ball::between(0.0, upper), spectrum.proof()};
}

// Far out in the tail what is not known of the spectrum itself can be more than the value: then
// Chernoff's bound is the better upper end.
Ball capped(const Ball& value, const GaussianMoment& moment, const Ball& shift, Kernel kernel) {
  if (arb_rel_accuracy_bits(value.raw()) > 4) return value;
  const PrecisionScope scope(192);
  const Ball bound = chernoff_bound(moment, shift, kernel);
  if (!bound.finite()) return value;
  const double lower = std::max(value.lower(), 0.0);
  return Ball::between(lower, std::max(lower, std::min(value.upper(), bound.upper())));
}

}  // namespace

QuantityValue gaussian_quantity(const GaussianSpectrum& spectrum, const Ball& shift, Kernel kernel,
                                Accuracy accuracy, Digits digits) {
  if (spectrum.is_trivial()) return {point_quantity(shift, kernel)};
  const bool proved = accuracy == Accuracy::certified, few = digits == Digits::few;
  if (proved && spectrum.is_pure_shift()) {
    const Ball square = to_ball(spectrum.components().front().mean_square);
    if (const auto value = at_rising_precision(160, 2560, 64, [&]() -> std::optional<Ball> {
          return shift_quantity(square, shift, kernel);
        }))
      return {*value, spectrum.proof()};
  }
  if (surely_zero(spectrum, shift, kernel)) return {Ball(0.0), spectrum.proof()};
  const GaussianMoment moment(spectrum);
  if (is_the_larger_tail(moment, shift.middle(), kernel)) {
    const QuantityValue rest =
        gaussian_quantity(spectrum, shift, other_tail(kernel), accuracy, digits);
    return {largest_value(shift, kernel) - rest.value, rest.proof};
  }
  const std::optional<ContourValue> integral = contour_integral(moment, shift.middle(), kernel);
  if (integral && !proved) return estimate(*integral, shift);
  if (integral)
    if (const auto value = at_rising_precision(few ? 64 : 128, 2048, few ? 10 : 45, [&] {
          return certified_contour_integral(moment, shift, kernel, integral->path, few ? 15 : 57);
        }))
      return {capped(*value, moment, shift, kernel), spectrum.proof()};
  return without_path(spectrum, moment, shift, kernel, accuracy, digits);
}

}  // namespace modicum
