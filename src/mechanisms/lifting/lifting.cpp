#include "modicum/mechanisms/lifting.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/lifting/lifted_pairs.h"
#include "mechanisms/suprema/supremum.h"
#include "modicum/numerics/bracketing.h"
#include "modicum/privacy/analytic_bounds.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

// The larger covariance first, equal means: k copies of 1 + T dominate (docs, monotone).
GaussianSpectrum covariance_step(const OutputSensitivity& sensitivity) {
  GaussianSpectrum spectrum;
  spectrum.add(
      {Precise::exactly(sensitivity.variance_excess), Precise::exactly(0.0), sensitivity.rank});
  return spectrum;
}

GaussianSpectrum mean_step(const OutputSensitivity& sensitivity) {
  return GaussianSpectrum::shift(sensitivity.mean_shift, 1.0);
}

double delta_of(const GaussianSpectrum& spectrum, double epsilon, Accuracy accuracy) {
  return directed_delta(PrivacyLoss::gaussian(spectrum).forward(), epsilon, accuracy).value.upper();
}

// One step after the other, at the best split of epsilon.
double one_after_the_other(const GaussianSpectrum& first, const GaussianSpectrum& second,
                           double epsilon) {
  const auto bound = [&](double split, Accuracy accuracy) {
    return chained_bound([&](double at) { return delta_of(first, at, accuracy); },
                         [&](double at) { return delta_of(second, at, accuracy); }, epsilon, split);
  };
  const double most = std::max(epsilon, 0.0);
  const Bracket place = narrow_to_minimum(
      [&](double split) { return bound(split, Accuracy::fast); }, {0.0, most}, 1e-6 * (1.0 + most));
  return bound(0.5 * (place.low + place.high), Accuracy::certified);
}

// Z is either Gaussian with the mean of one side and the covariance of the other.
double triangle_bound(const OutputSensitivity& sensitivity, double epsilon) {
  const GaussianSpectrum mean = mean_step(sensitivity);
  const GaussianSpectrum hard = covariance_step(sensitivity), easy = hard.reversed();
  const auto best_order = [&](const GaussianSpectrum& covariance) {
    return std::min(one_after_the_other(covariance, mean, epsilon),
                    one_after_the_other(mean, covariance, epsilon));
  };
  return std::min(1.0, std::max(best_order(hard), best_order(easy)));
}

// {(Delta / sqrt c, 1), (0, 1 + T / (1 - c)) x k}: sqrt c y + sqrt(1-c) y' maps it to any pair.
GaussianSpectrum side_by_side(const OutputSensitivity& sensitivity, double share) {
  const PrecisionScope scope(proof_bits);
  const Ball c = share, delta = sensitivity.mean_shift, one = 1.0;
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(0.0), to_precise("mean_shift", delta * delta / c), 1.0});
  spectrum.add({to_precise("variance_excess", Ball(sensitivity.variance_excess) / (one - c)),
                Precise::exactly(0.0), sensitivity.rank});
  return spectrum;
}

double composition_bound(const OutputSensitivity& sensitivity, double epsilon) {
  const auto bound = [&](double share, bool reverse, Accuracy accuracy) {
    const GaussianSpectrum spectrum = side_by_side(sensitivity, share);
    return delta_of(reverse ? spectrum.reversed() : spectrum, epsilon, accuracy);
  };
  const auto best_share = [&](bool reverse) {
    // In the logit of c: either part may need nearly all.
    const auto share = [](double logit) { return 1.0 / (1.0 + std::exp(-logit)); };
    const Bracket place = narrow_to_minimum(
        [&](double logit) { return bound(share(logit), reverse, Accuracy::fast); }, {-25.0, 25.0},
        1e-4);
    return bound(share(0.5 * (place.low + place.high)), reverse, Accuracy::certified);
  };
  return std::max(best_share(false), best_share(true));
}

}  // namespace

OutputSensitivity::OutputSensitivity(double shift, double excess, double directions)
    : mean_shift(require_non_negative("mean_shift", shift)),
      variance_excess(require_non_negative("variance_excess", excess)),
      rank(require_count("rank", directions)) {}

ProfilePoint LiftedBounds::delta() const {
  const Enclosure value(worst_found, std::min({triangle, composition, cover}));
  return {epsilon, value, value, Proof::certified};
}

ProfilePoint LiftedBounds::upper_bound() const {
  const Enclosure value(0.0, delta().delta().upper());
  return {epsilon, value, value, Proof::certified};
}

LiftedBounds lifted_bounds(const OutputSensitivity& sensitivity, double epsilon) {
  require_finite("epsilon", epsilon);
  const LiftedPairs pairs(sensitivity);
  const PrivacyLoss worst = PrivacyLoss::gaussian(pairs.at(pairs.search(epsilon).share));
  return {epsilon, triangle_bound(sensitivity, epsilon), composition_bound(sensitivity, epsilon),
          pairs.bound(epsilon, close_slack),
          profile(worst, epsilon, Accuracy::certified).delta().lower()};
}

PrivacyLoss lifted_loss(const OutputSensitivity& least) {
  if (least.mean_shift == 0.0 && least.variance_excess == 0.0) return {};
  // The same covariances: one Gaussian mechanism.
  if (least.variance_excess == 0.0) return PrivacyLoss::gaussian(mean_step(least)).as_upper_bound();
  // Squares of squares of smaller numbers underflow; larger ones only lose more.
  constexpr double smallest = 1e-50;
  const OutputSensitivity sensitivity(
      least.mean_shift == 0.0 ? 0.0 : std::max(least.mean_shift, smallest),
      std::max(least.variance_excess, smallest), least.rank);
  const LiftedPairs pairs(sensitivity);
  SupremumFamily family{
      "lifted",
      {sensitivity.mean_shift, sensitivity.variance_excess, sensitivity.rank},
      [pairs](double epsilon) { return pairs.search(epsilon).delta; },
      [pairs](double epsilon, double slack) { return pairs.bound(epsilon, slack); }};
  if (sensitivity.mean_shift > 0.0) family.spectra = {pairs.moving()};
  return loss_of_supremum(std::move(family), 128, 0.01);
}

LiftCalibration calibrate_lift(const PrivacyTarget& target, const OutputSensitivityOf& sensitivity,
                               double start) {
  require_positive("start", start);
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss between Gaussians is unbounded");
  const auto found = [&](double noise) {
    return LiftedPairs(sensitivity(noise)).search(target.epsilon).delta;
  };
  const auto log_excess = [&](double noise) {
    return std::log(found(noise)) - std::log(target.delta);
  };
  // By the bound that the loss itself will give.
  const auto is_proved = [&](double noise) {
    return LiftedPairs(sensitivity(noise)).bound(target.epsilon, close_slack) <= target.delta;
  };
  const double noise =
      smallest_proved("noise variance", log_excess, is_proved, start, 0x1p-60 * start, 2e-7);
  const OutputSensitivity left = sensitivity(noise);
  return {noise, left, lifted_bounds(left, target.epsilon)};
}

double published_lifted_bound(const OutputSensitivity& sensitivity, double epsilon) {
  require_non_negative("epsilon", epsilon);
  const GaussianSpectrum mean = mean_step(sensitivity);
  const GaussianSpectrum easy = covariance_step(sensitivity).reversed();
  const auto bound = [&](double split) {
    return delta_of(mean, split, Accuracy::fast) +
           std::exp(split) * lemma2_bound(easy, epsilon - split);
  };
  double least = std::min(bound(0.0), bound(epsilon));
  constexpr int samples = 256;  // the covariance term jumps to 0
  for (int i = 1; i < samples; ++i) least = std::min(least, bound(epsilon * i / samples));
  return std::min(1.0, least);
}

}  // namespace modicum
