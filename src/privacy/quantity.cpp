#include "privacy/quantity.h"

#include <cmath>

#include "numerics/precise_ball.h"
#include "privacy/atomic_moment.h"
#include "privacy/gaussian_moment.h"

namespace modicum {
namespace {

// Whether the shift lies beyond every value of a bounded loss.
bool beyond_all_atoms(const DirectedLoss& loss, double shift, Kernel kernel) {
  const bool left = closes_on_the_left(kernel);
  if (left && !loss.gaussian.is_trivial()) return false;
  const Ball largest = largest_finite_loss(loss);
  if (!largest.finite()) return false;
  return left ? (Ball(shift) + largest).surely_negative()
              : (largest - Ball(shift)).surely_nonpositive();
}

constexpr std::size_t most_components_in_balls = 64;

// A spectrum that is itself an estimate gains nothing from balls.
Arithmetic gaussian_arithmetic(const GaussianSpectrum& spectrum, Arithmetic arithmetic) {
  if (arithmetic != Arithmetic::cheapest_proof) return arithmetic;
  const bool cheap = spectrum.components().size() <= most_components_in_balls;
  return cheap && spectrum.proof() == Proof::certified ? Arithmetic::balls : Arithmetic::doubles;
}

// Of the loss given that it is finite.
QuantityValue finite_quantity(const DirectedLoss& loss, double shift, Kernel kernel,
                              Arithmetic arithmetic) {
  const Arithmetic inner = gaussian_arithmetic(loss.gaussian, arithmetic);
  if (loss.is_gaussian()) return gaussian_quantity(loss.gaussian, Ball(shift), kernel, inner);
  if (beyond_all_atoms(loss, shift, kernel)) return {Ball(0.0), loss.gaussian.proof()};
  if (residues_are_few(loss))
    return {residue_quantity(loss, Ball(shift), kernel), Proof::certified};
  if (loss.laplaces.empty()) {
    if (const auto value = atomic_quantity(loss, shift, kernel, inner)) return *value;
    if (arithmetic == Arithmetic::cheapest_proof)
      if (const auto value = atomic_quantity(loss, shift, kernel, Arithmetic::doubles))
        return *value;
  }
  // Of tails nothing is known beyond the few atoms; whoever asks sees it from the width.
  if (kernel != Kernel::profile)
    return {Ball::between(0.0, 1.0) * (has_pole_at_zero(kernel) ? Ball(1.0) : exp(Ball(shift)))};
  const bool balls = arithmetic == Arithmetic::balls ||
                     (inner == Arithmetic::balls && line_is_cheap_in_balls(loss, shift));
  return line_profile(loss, shift, balls ? Arithmetic::balls : Arithmetic::doubles);
}

}  // namespace

Ball largest_finite_loss(const DirectedLoss& loss) {
  const PrecisionScope scope(160);
  Ball largest;
  if (!loss.gaussian.is_trivial()) {
    const Enclosure supremum = GaussianMoment(loss.gaussian).supremum();
    largest = supremum.lower() == supremum.upper()
                  ? Ball(supremum.upper())
                  : Ball::between(supremum.lower(), supremum.upper());
  }
  for (const TwoPointPart& part : loss.two_points)
    largest += to_ball(part.epsilon) * Ball(part.count);
  for (const LaplacePart& part : loss.laplaces) largest += to_ball(part.range) * Ball(part.count);
  return largest;
}

Ball log_moment(const DirectedLoss& loss, double x) {
  Ball sum = GaussianMoment(loss.gaussian).expand_ball(x)->value();
  for (const TwoPointPart& part : loss.two_points) sum += TwoPointMoment(part).value(Ball(x));
  for (const LaplacePart& part : loss.laplaces) sum += LaplaceMoment(part).value(Ball(x));
  return sum;
}

namespace {
// K'(0). Of a dense pair only K is enclosed: by convexity K'(0) is between -K(-h)/h and K(h)/h.
Ball gaussian_mean(const GaussianSpectrum& spectrum) {
  const GaussianMoment moment(spectrum);
  if (spectrum.off_diagonal().with_record == 0.0 && spectrum.off_diagonal().without_record == 0.0)
    return moment.expand_ball(0.0)->slope();
  const double h = 0x1p-60;
  const Ball below = -moment.expand_ball(-h)->value() / Ball(h);
  const Ball above = moment.expand_ball(h)->value() / Ball(h);
  Ball hull;
  arb_union(hull.raw(), below.raw(), above.raw(), PrecisionScope::bits());
  return hull;
}
}  // namespace

Ball mean_loss(const DirectedLoss& loss) {
  Ball sum = gaussian_mean(loss.gaussian);
  for (const TwoPointPart& part : loss.two_points) {
    const Ball e = to_ball(part.epsilon);
    sum += Ball(part.count) * e * expm1(e) / (expm1(e) + 2.0);  // e tanh(e/2)
  }
  for (const LaplacePart& part : loss.laplaces) {
    const Ball a = to_ball(part.range);
    sum += Ball(part.count) * (a + expm1(-a));
  }
  return sum;
}

bool has_tails(const DirectedLoss& loss) {
  return loss.is_gaussian() || residues_are_few(loss) || atoms_are_few(loss);
}

QuantityValue quantity(const DirectedLoss& loss, double shift, Kernel kernel,
                       Arithmetic arithmetic) {
  const PrecisionScope scope(160);
  const bool includes_infinity = kernel == Kernel::profile || kernel == Kernel::upper_tail;
  if (loss.mutually_singular) return {Ball(includes_infinity ? 1.0 : 0.0), Proof::certified};
  QuantityValue result = finite_quantity(loss, shift, kernel, arithmetic);
  if (loss.infinite_mass.is_exactly(0.0)) return result;
  const Ball infinite = to_ball(loss.infinite_mass);
  result.value *= Ball(1.0) - infinite;
  if (includes_infinity) result.value += infinite;
  return result;
}

}  // namespace modicum
