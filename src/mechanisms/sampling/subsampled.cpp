#include "modicum/mechanisms/subsampled.h"

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "numerics/ball.h"
#include "privacy/laws/subsampled_law.h"

namespace modicum {

double require_sampling_rate(double rate) {
  if (!(rate > 0.0 && rate <= 1.0))
    throw InvalidParameter("sampling_rate", rate, "must be above 0 and at most 1");
  return rate;
}

namespace {

PrivacyLoss in_both_directions(const std::shared_ptr<const LossLaw>& law) {
  return PrivacyLoss::law(law, reversed(law));
}

}  // namespace

PrivacyLoss subsampled_gaussian(double standard_deviation, double sensitivity,
                                double sampling_rate) {
  const PrivacyLoss whole = gaussian_mechanism(standard_deviation, sensitivity);
  if (require_sampling_rate(sampling_rate) == 1.0 || sensitivity == 0.0) return whole;
  return in_both_directions(
      subsampled_gaussian_law(Precise::ratio(sensitivity, standard_deviation), sampling_rate));
}

PrivacyLoss subsampled_laplace(double scale, double sensitivity, double sampling_rate) {
  const PrivacyLoss whole = laplace_mechanism(scale, sensitivity);
  if (require_sampling_rate(sampling_rate) == 1.0 || sensitivity == 0.0) return whole;
  return in_both_directions(
      subsampled_laplace_law(Precise::ratio(sensitivity, scale), sampling_rate));
}

Calibration calibrate_subsampled_gaussian(const PrivacyTarget& target, double sensitivity,
                                          double sampling_rate, double count, Accuracy accuracy) {
  require_positive("sensitivity", sensitivity);
  require_sampling_rate(sampling_rate);
  require_count("count", count);
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of the Gaussian mechanism is unbounded");
  const auto family = [&](double noise) {
    return subsampled_gaussian(noise, sensitivity, sampling_rate).repeated(count);
  };
  const double start = sensitivity * std::max(0.5, sampling_rate * std::sqrt(count));
  return smallest_noise(family, target, start, accuracy);
}

PrivacyTarget amplified_by_sampling(const PrivacyTarget& guarantee, double sampling_rate) {
  require_sampling_rate(sampling_rate);
  const PrecisionScope scope(128);
  const Ball rate = sampling_rate;
  const double epsilon = log1p(rate * expm1(Ball(guarantee.epsilon))).upper();
  return {std::isfinite(epsilon) ? epsilon : guarantee.epsilon,
          (rate * Ball(guarantee.delta)).upper()};
}

}  // namespace modicum
