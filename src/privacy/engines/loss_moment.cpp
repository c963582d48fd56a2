#include "privacy/engines/loss_moment.h"

#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"

namespace modicum {
namespace {

// K'(0) of a convex K that vanishes at 0, from K on both sides.
Ball slope_at_zero(const Ball& before, const Ball& after, double h) {
  return hull(-before / Ball(h), after / Ball(h));
}

// K'(0). Of a dense pair only K is enclosed.
Ball gaussian_mean(const GaussianSpectrum& spectrum) {
  const GaussianMoment moment(spectrum);
  if (spectrum.off_diagonal().with_record == 0.0 && spectrum.off_diagonal().without_record == 0.0)
    return moment.expand_ball(0.0)->slope();
  const double h = 0x1p-60;
  return slope_at_zero(moment.expand_ball(-h)->value(), moment.expand_ball(h)->value(), h);
}

// Where there is no better way by convexity; of an estimated K not so close.
QuantityValue law_mean(const LossLaw& law) {
  if (const auto mean = law.mean()) return {*mean};
  const Proof proof = law.moment(Ball(0.5)).proof;
  const double h = proof == Proof::certified ? 0x1p-40 : 0x1p-12;
  return {slope_at_zero(log(law.moment(Ball(-h)).value), log(law.moment(Ball(h)).value), h), proof};
}

}  // namespace

LossMoment::LossMoment(const DirectedLoss& loss, int level)
    : gaussian_(loss.gaussian),
      lower_end_(gaussian_.lower_end()),
      upper_end_(gaussian_.upper_end()) {
  for (const TwoPointPart& part : loss.two_points)
    atomic_.push_back(std::make_unique<TwoPointMoment>(part));
  for (const LaplacePart& part : loss.laplaces)
    atomic_.push_back(std::make_unique<LaplaceMoment>(part));
  for (const LawPart& part : loss.laws) {
    atomic_.push_back(std::make_unique<LawMoment>(part, level));
    lower_end_ = std::max(lower_end_, part.law->lower_moment_end());
    upper_end_ = std::min(upper_end_, part.law->moment_end());
  }
}

Jet LossMoment::jet(long double x) const {
  Jet sum = gaussian_.jet(x);
  for (const auto& part : atomic_) sum += part->jet(x);
  return sum;
}

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
    const Ball most =
        std::isfinite(end) ? Ball::between(end - std::abs(end) * 0x1p-50, end) : Ball(end);
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

QuantityValue profile_bound(const DirectedLoss& loss, double x, double shift) {
  const QuantityValue moment = log_moment(loss, x);
  const Ball z = x;
  return {exp(moment.value - z * Ball(shift) + z * log(z) - (z + 1.0) * log1p(z)), moment.proof};
}

QuantityValue missing_bound(const DirectedLoss& loss, double x, double shift) {
  const QuantityValue moment = log_moment(loss, -x);
  return {exp(moment.value + Ball(x) * Ball(shift)), moment.proof};
}

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

}  // namespace modicum
