#include "privacy/engines/quantity.h"

#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/gaussian/gaussian_moment.h"
#include "privacy/laws/atomic_moment.h"
#include "privacy/laws/loss_law.h"
#include "privacy/laws/objective_law.h"

namespace modicum {
namespace {

// Whether the shift lies beyond every value of a bounded loss.
bool beyond_all_atoms(const DirectedLoss& loss, double shift, Kernel kernel) {
  const bool left = closes_on_the_left(kernel);
  if (left && !(loss.gaussian.is_trivial() && loss.laws.empty())) return false;
  const Ball largest = largest_finite_loss(loss);
  if (!largest.finite()) return false;
  return left ? (Ball(shift) + largest).surely_negative()
              : (largest - Ball(shift)).surely_nonpositive();
}

constexpr std::size_t most_components_in_balls = 64;

// A spectrum that is itself an estimate gains nothing from balls.
Accuracy gaussian_arithmetic(const GaussianSpectrum& spectrum, Accuracy accuracy) {
  if (accuracy != Accuracy::automatic) return accuracy;
  const bool cheap = spectrum.components().size() <= most_components_in_balls;
  return cheap && spectrum.proof() == Proof::certified ? Accuracy::certified : Accuracy::fast;
}

// One law, once, and nothing else.
bool is_single_law(const DirectedLoss& loss) {
  return loss.laws.size() == 1 && loss.laws.front().count == 1.0 && loss.gaussian.is_trivial() &&
         loss.two_points.empty() && loss.laplaces.empty();
}

QuantityValue single_law_quantity(const LossLaw& law, double shift, Kernel kernel,
                                  Accuracy accuracy) {
  constexpr double milliseconds = 0.02;
  const bool balls =
      accuracy == Accuracy::certified ||
      (accuracy == Accuracy::automatic && law.cost(Accuracy::certified) < milliseconds);
  const LossTails tails = law.tails(shift, balls ? Accuracy::certified : Accuracy::fast);
  const Ball scale = exp(Ball(shift));
  switch (kernel) {
    case Kernel::upper_tail:
      return {tails.above_x, tails.proof};
    case Kernel::lower_tail:
      return {tails.below_x, tails.proof};
    case Kernel::tilted_upper:
      return {tails.above_y * scale, tails.proof};
    case Kernel::tilted_lower:
      return {tails.below_y * scale, tails.proof};
    case Kernel::profile:
      break;
  }
  return {max(tails.above_x - scale * tails.above_y, Ball(0.0)), tails.proof};
}

// Nothing is known of this tail; whoever asks sees it from the width.
QuantityValue unknown_tail(double shift, Kernel kernel) {
  return {Ball::between(0.0, 1.0) * (has_pole_at_zero(kernel) ? Ball(1.0) : exp(Ball(shift)))};
}

// Of a loss of parts with closed forms, given that it is finite.
QuantityValue closed_form_quantity(const DirectedLoss& loss, double shift, Kernel kernel,
                                   Accuracy accuracy) {
  const Accuracy inner = gaussian_arithmetic(loss.gaussian, accuracy);
  if (loss.is_gaussian()) return gaussian_quantity(loss.gaussian, Ball(shift), kernel, inner);
  if (residues_are_few(loss))
    return {residue_quantity(loss, Ball(shift), kernel), Proof::certified};
  if (loss.laplaces.empty()) {
    if (const auto value = atomic_quantity(loss, shift, kernel, inner)) return *value;
    if (accuracy == Accuracy::automatic)
      if (const auto value = atomic_quantity(loss, shift, kernel, Accuracy::fast)) return *value;
  }
  if (kernel != Kernel::profile) return unknown_tail(shift, kernel);  // too many atoms
  const bool balls = accuracy == Accuracy::certified ||
                     (inner == Accuracy::certified && line_is_cheap_in_balls(loss, shift));
  return line_profile(loss, shift, balls ? Accuracy::certified : Accuracy::fast);
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
  for (const LawPart& part : loss.laws) {
    const double end = part.law->support().upper();
    const double near = std::isfinite(end) ? end - std::abs(end) * 0x1p-50 : end;
    Ball most;
    if (std::isfinite(end)) most = Ball::between(near, end);
    else arb_pos_inf(most.raw());
    largest += most * Ball(part.count);
  }
  return largest;
}

QuantityValue log_moment(const DirectedLoss& loss, double x) {
  Ball sum = GaussianMoment(loss.gaussian).expand_ball(x)->value();
  Proof proof = loss.gaussian.proof();
  for (const TwoPointPart& part : loss.two_points) sum += TwoPointMoment(part).value(Ball(x));
  for (const LaplacePart& part : loss.laplaces) sum += LaplaceMoment(part).value(Ball(x));
  for (const LawPart& part : loss.laws) {
    const QuantityValue moment = part.law->moment(Ball(x));
    sum += log(moment.value) * Ball(part.count);
    proof = weaker_of(proof, moment.proof);
  }
  return {sum, proof};
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

// K'(0), directly or by convexity from K on both sides; of an estimated K not so close.
QuantityValue law_mean(const LossLaw& law) {
  if (const auto mean = law.mean()) return {*mean};
  const Proof proof = law.moment(Ball(0.5)).proof;
  const double h = proof == Proof::certified ? 0x1p-40 : 0x1p-12;
  const Ball below = -log(law.moment(Ball(-h)).value) / Ball(h);
  const Ball above = log(law.moment(Ball(h)).value) / Ball(h);
  Ball hull;
  arb_union(hull.raw(), below.raw(), above.raw(), PrecisionScope::bits());
  return {hull, proof};
}
}  // namespace

QuantityValue mean_loss(const DirectedLoss& loss) {
  Ball sum = gaussian_mean(loss.gaussian);
  Proof proof = loss.gaussian.proof();
  for (const TwoPointPart& part : loss.two_points) {
    const Ball e = to_ball(part.epsilon);
    sum += Ball(part.count) * e * expm1(e) / (expm1(e) + 2.0);  // e tanh(e/2)
  }
  for (const LaplacePart& part : loss.laplaces) {
    const Ball a = to_ball(part.range);
    sum += Ball(part.count) * (a + expm1(-a));
  }
  for (const LawPart& part : loss.laws) {
    const QuantityValue mean = law_mean(*part.law);
    sum += Ball(part.count) * mean.value;
    proof = weaker_of(proof, mean.proof);
  }
  return {sum, proof};
}

bool is_pair(const DirectedLoss& loss) {
  return std::ranges::all_of(loss.laws, [](const LawPart& part) { return part.law->is_pair(); });
}

bool has_tails(const DirectedLoss& loss) {
  if (!loss.laws.empty()) return is_single_law(loss);
  return loss.is_gaussian() || residues_are_few(loss) || atoms_are_few(loss);
}

namespace {

// Below this a bound of a bound is as good as its value.
constexpr double negligible = 1e-60;

// (1 - e^{-x})_+ <= e^{zx} z^z / (1+z)^{1+z} for every z > 0, so that delta is at most that moment:
// in a moment, where the value itself would take many digits of a deep tail.
std::optional<QuantityValue> negligible_profile(const DirectedLoss& loss, double shift) {
  const auto saddle = find_saddle(LossMoment(loss), shift, Kernel::profile);
  if (!saddle || !(saddle->point > 0.0)) return std::nullopt;
  const Ball z = saddle->point;
  const QuantityValue moment = log_moment(loss, saddle->point);
  const Ball bound = exp(moment.value - z * Ball(shift) + z * log(z) - (z + 1.0) * log1p(z));
  if (!(bound.upper() < negligible)) return std::nullopt;
  return QuantityValue{Ball::between(0.0, bound.upper()), moment.proof};
}

}  // namespace

QuantitySource::QuantitySource(const DirectedLoss& loss, Accuracy accuracy)
    : loss_(loss), accuracy_(accuracy) {}
QuantitySource::~QuantitySource() = default;
QuantitySource::QuantitySource(QuantitySource&&) noexcept = default;

// Sums with a part that is known by its law alone: on a line where its moments decay, else
// discretized.
QuantityValue QuantitySource::of_laws(double shift, Kernel kernel) {
  if (is_single_law(loss_))
    return single_law_quantity(*loss_.laws.front().law, shift, kernel, accuracy_);
  if (kernel != Kernel::profile) return unknown_tail(shift, kernel);
  if (!is_pair(loss_))
    if (const auto value = negligible_profile(loss_, shift)) return *value;
  const bool balls = accuracy_ == Accuracy::certified;
  if (!discretized_) {
    if (const auto value = objective_profile(loss_, shift)) return *value;
    if (const auto value = line_profile_of_laws(loss_, shift, accuracy_)) return *value;
    if (accuracy_ == Accuracy::automatic)
      if (const auto value = line_profile_of_laws(loss_, shift, Accuracy::fast)) return *value;
    const bool cheap = std::ranges::all_of(
        loss_.laws, [](const LawPart& part) { return part.law->cost(Accuracy::certified) < 1e-4; });
    const bool proved = balls || (cheap && accuracy_ == Accuracy::automatic);
    discretized_ =
        std::make_unique<DiscretizedProfile>(loss_, proved ? Accuracy::certified : Accuracy::fast);
  }
  return discretized_->at(shift);
}

QuantityValue QuantitySource::finite_part(double shift, Kernel kernel) {
  if (!loss_.is_gaussian() && beyond_all_atoms(loss_, shift, kernel))
    return {Ball(0.0), loss_.gaussian.proof()};
  return loss_.laws.empty() ? closed_form_quantity(loss_, shift, kernel, accuracy_)
                            : of_laws(shift, kernel);
}

QuantityValue QuantitySource::at(double shift, Kernel kernel) {
  const PrecisionScope scope(160);
  const bool includes_infinity = kernel == Kernel::profile || kernel == Kernel::upper_tail;
  if (loss_.mutually_singular) return {Ball(includes_infinity ? 1.0 : 0.0), Proof::certified};
  QuantityValue result = finite_part(shift, kernel);
  if (loss_.infinite_mass.is_exactly(0.0)) return result;
  const Ball infinite = to_ball(loss_.infinite_mass);
  result.value *= Ball(1.0) - infinite;
  if (includes_infinity) result.value += infinite;
  return result;
}

QuantityValue quantity(const DirectedLoss& loss, double shift, Kernel kernel, Accuracy accuracy) {
  return QuantitySource(loss, accuracy).at(shift, kernel);
}

}  // namespace modicum
