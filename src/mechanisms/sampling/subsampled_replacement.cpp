// Samples under replacement of a record (docs/derivations/replace-one.md).
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/subsampled.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/subsampled_law.h"
#include "privacy/laws/symmetric_law.h"

namespace modicum {
namespace {

enum Kind : int { gaussian_batches = 1, laplace_batches, gaussian_poisson };

std::vector<double> identity_of(Kind kind, const Precise& shift, double rate) {
  return {static_cast<double>(kind), shift.high, shift.low, shift.radius, rate};
}

PrivacyLoss bound_by(SymmetricLawShape shape) {
  const auto law = symmetric_law(std::move(shape));
  return PrivacyLoss::law(law, law).as_upper_bound();
}

// g H_{a'} is the profile of the mixture against the noise: at losses from 0 on the same tails.
PrivacyLoss batches(Kind kind, std::shared_ptr<const LossLaw> mixture, const Precise& shift,
                    double rate) {
  SymmetricLawShape shape;
  shape.largest = mixture->support().upper();
  for (const double place : mixture->atoms())
    if (place > 0.0) shape.atoms.push_back(place);
  shape.identity = identity_of(kind, shift, rate);
  shape.above = [mixture = std::move(mixture)](double loss) -> UpperTails {
    LossTails tails = mixture->tails(loss, Accuracy::certified);
    return {std::move(tails.above_x), std::move(tails.above_y)};
  };
  return bound_by(std::move(shape));
}

// With w = 1/a', A = q/w and h_m(w) = H_{a'}(m)/a' for two Gaussians at distance m:
//   D(a)   = A ((1-q) h_c + q h_2c) + q (1-q) (h_2c - h_c),
//   -D'(a) = (1-q) Phi(-c/2 - e/c) + q Phi(-c - e/(2c)) + (1-q) w^2 (h_2c' - h_c'),
// e = log a', h_m' = Phi(m/2 - e/m).
UpperTails poisson_tails(const Ball& near, double rate, double loss) {
  const Ball q = rate, rest = Ball(1.0) - q, far = near * 2.0, excess = expm1(Ball(loss));
  const Ball w = q / (q + excess), e = log1p(excess / q);
  struct Distance {
    Ball inner, outer, share;  // h', Phi(-m/2 - e/m), h
  };
  const auto at = [&](const Ball& m) {
    Distance result{normal_above(e / m - m / 2.0), normal_above(e / m + m / 2.0), {}};
    result.share = w * result.inner - result.outer;
    return result;
  };
  const Distance c = at(near), two_c = at(far);
  const Ball delta =
      (rest * c.share + q * two_c.share) * q / w + q * rest * (two_c.share - c.share);
  Ball slope = rest * c.outer + q * two_c.outer + rest * w * w * (two_c.inner - c.inner);
  return {max(delta + (excess + 1.0) * slope, Ball(0.0)), max(slope, Ball(0.0))};
}

}  // namespace

PrivacyLoss batched_gaussian(double standard_deviation, double sensitivity, double batch_share) {
  const PrivacyLoss whole = gaussian_mechanism(standard_deviation, sensitivity);
  if (require_sampling_rate(batch_share) == 1.0 || sensitivity == 0.0) return whole;
  const Precise shift = Precise::ratio(sensitivity, standard_deviation);
  return batches(gaussian_batches, subsampled_gaussian_law(shift, batch_share), shift, batch_share);
}

PrivacyLoss batched_laplace(double scale, double sensitivity, double batch_share) {
  const PrivacyLoss whole = laplace_mechanism(scale, sensitivity);
  if (require_sampling_rate(batch_share) == 1.0 || sensitivity == 0.0) return whole;
  const Precise shift = Precise::ratio(sensitivity, scale);
  return batches(laplace_batches, subsampled_laplace_law(shift, batch_share), shift, batch_share);
}

PrivacyLoss replaced_subsampled_gaussian(double standard_deviation, double sensitivity,
                                         double sampling_rate) {
  const PrivacyLoss whole = gaussian_mechanism(standard_deviation, sensitivity);
  if (require_sampling_rate(sampling_rate) == 1.0 || sensitivity == 0.0) return whole;
  const Precise shift = Precise::ratio(sensitivity, standard_deviation);
  SymmetricLawShape shape;
  shape.identity = identity_of(gaussian_poisson, shift, sampling_rate);
  shape.above = [near = to_ball(shift) / 2.0, sampling_rate](double loss) {
    return poisson_tails(near, sampling_rate, loss);
  };
  return bound_by(std::move(shape));
}

}  // namespace modicum
