#include "modicum/mechanisms/spherical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "numerics/precise_ball.h"
#include "privacy/spherical/spherical_law.h"

namespace modicum {

SphericalNoise::SphericalNoise(double given_dimension, double given_alpha, double given_beta,
                               double given_p)
    : dimension(require_count("dimension", given_dimension)),
      alpha(given_alpha),
      beta(require_positive("beta", given_beta)),
      p(require_positive("p", given_p)),
      exact_beta(Precise::exactly(given_beta)) {
  if (!(dimension <= largest_spherical_dimension))
    throw InvalidParameter("dimension", dimension, "must be at most 100000000");
  if (!(alpha > -1.0 && alpha <= dimension - 1.0))
    throw InvalidParameter("alpha", alpha, "must be above -1 and at most dimension - 1");
}

SphericalNoise SphericalNoise::gaussian(double dimension, double standard_deviation) {
  require_positive("standard_deviation", standard_deviation);
  SphericalNoise noise(dimension, dimension - 1.0, 0.5 / (standard_deviation * standard_deviation),
                       2.0);
  const PrecisionScope scope(160);
  const Ball deviation = standard_deviation;
  noise.exact_beta = to_precise("standard_deviation", Ball(0.5) / (deviation * deviation));
  return noise;
}

SphericalNoise SphericalNoise::l2(double dimension, double scale) {
  SphericalNoise noise(dimension, dimension - 1.0, 1.0 / require_positive("scale", scale), 1.0);
  noise.exact_beta = Precise::ratio(1.0, scale);
  return noise;
}

SphericalNoise SphericalNoise::rank_one(double dimension, double variance) {
  SphericalNoise noise(dimension, 0.0, 0.5 / require_positive("variance", variance), 2.0);
  noise.exact_beta = Precise::ratio(0.5, variance);
  return noise;
}

double SphericalNoise::mean_squared_error() const {
  return std::exp(std::lgamma((alpha + 3.0) / p) - std::lgamma((alpha + 1.0) / p) -
                  2.0 / p * std::log(beta));
}

double SphericalNoise::log_radial_density(double radius) const {
  require_positive("radius", radius);
  const double shape = (alpha + 1.0) / p;
  return std::log(p) + shape * std::log(beta) - std::lgamma(shape) + alpha * std::log(radius) -
         beta * std::pow(radius, p);
}

namespace {

// Members whose loss has a closed form: Gaussian noise, of mean square 2 beta s^2 in units of its
// deviation, and Laplace noise, of range beta s.
std::optional<PrivacyLoss> loss_in_closed_form(const SphericalNoise& noise, double sensitivity) {
  if (noise.alpha != noise.dimension - 1.0) return {};
  const PrecisionScope scope(160);
  const Ball beta = to_ball(noise.exact_beta), s = sensitivity;
  const auto is_ordinary = [](const Ball& value) {
    return value.middle() > 1e-290 && value.middle() < 1e290;
  };
  if (noise.p == 2.0 && is_ordinary(beta * s * s)) {
    GaussianSpectrum spectrum;
    spectrum.add(SpectrumComponent{{}, to_precise("beta", beta * s * s * 2.0), 1.0});
    return PrivacyLoss::gaussian(spectrum);
  }
  if (noise.p == 1.0 && noise.dimension == 1.0 && is_ordinary(beta * s))
    return PrivacyLoss::laplace(to_precise("beta", beta * s));
  return {};
}

}  // namespace

PrivacyLoss spherical_mechanism(const SphericalNoise& noise, double sensitivity) {
  if (require_non_negative("sensitivity", sensitivity) == 0.0) return {};
  if (auto closed = loss_in_closed_form(noise, sensitivity)) return *std::move(closed);
  const auto law =
      spherical_law(noise.dimension, noise.alpha, noise.exact_beta, noise.p, sensitivity);
  return PrivacyLoss::law(law, law);
}

double spherical_oracle(const SphericalNoise& noise, double sensitivity, double epsilon,
                        double slack) {
  if (!(slack >= 1e-12 && slack < 1.0))
    throw InvalidParameter("slack", slack, "must be at least 1e-12 and below 1");
  const Enclosure delta =
      profile(spherical_mechanism(noise, sensitivity), epsilon, Accuracy::certified).delta();
  if (!(delta.upper() - delta.lower() <= slack))
    throw TargetUnreachable(fmt::format("delta lies between {} and {}, which is wider than {}",
                                        delta.lower(), delta.upper(), slack));
  return delta.upper();
}

namespace {

// The family by its scale beta^{-1/p}, as far as beta is a double.
class SphericalScales {
 public:
  explicit SphericalScales(double p) : p_(p) {}

  /// Beyond the ends that of the end.
  double beta(double scale) const { return std::clamp(std::pow(scale, -p_), least_, largest_); }
  /// A search goes on in factors of 4: what is further from an end was tried there in vain.
  void require_double(double scale) const {
    if (scale > 4.0 * std::pow(least_, -1.0 / p_))
      throw CalibrationFailed(
          fmt::format("beta would have to be below {}, which hardly is a double", least_));
    if (scale < 0.25 * std::pow(largest_, -1.0 / p_))
      throw CalibrationFailed(
          fmt::format("beta could be above {}, which hardly is a double", largest_));
  }
  /// Where a search begins: at the scale of the Gaussian mechanism with about this guarantee, given
  /// the same mean squared error.
  double first(const PrivacyTarget& target, const SphericalNoise& unit, double sensitivity,
               double count) const {
    const double log_delta = -std::log(std::max(target.delta, 1e-300));
    const double deviation = sensitivity * std::sqrt(count) *
                             std::sqrt(2.0 * log_delta + 2.0 * target.epsilon + 1.0) /
                             std::max(target.epsilon, 1e-3);
    const double scale = deviation * std::sqrt(unit.dimension / unit.mean_squared_error());
    const double from = std::pow(largest_, -1.0 / p_), to = std::pow(least_, -1.0 / p_);
    return scale > 1e-140 && scale < 1e140 ? std::clamp(scale, from, to) : 1.0;
  }

 private:
  static constexpr double least_ = 1e-307, largest_ = 1e307;
  double p_;
};

// |L| <= beta s^p, and no less: the largest beta with count beta s^p <= epsilon.
Calibration calibrate_bounded(double epsilon, const SphericalNoise& unit, double sensitivity,
                              double count) {
  const PrecisionScope scope(proof_bits);
  const Ball most = Ball(count) * exp(log(Ball(sensitivity)) * unit.p);
  const double beta = (Ball(epsilon) / most).lower();
  if (!(beta > 0.0 && std::isfinite(beta))) throw CalibrationFailed("beta would be no double");
  const Enclosure nothing = Enclosure::exactly(0.0);
  return {beta, {epsilon, nothing, nothing, Proof::certified}};
}

}  // namespace

Calibration calibrate_spherical(const PrivacyTarget& target, double dimension, double alpha,
                                double p, double sensitivity, double count, Accuracy accuracy) {
  const SphericalNoise unit(dimension, alpha, 1.0, p);
  require_positive("sensitivity", sensitivity);
  require_count("count", count);
  const bool bounded = alpha == dimension - 1.0 && p <= 1.0;
  if (target.delta == 0.0 && !bounded)
    throw CalibrationFailed("delta is 0, but the loss of this noise is unbounded");
  if (target.delta == 0.0 && target.epsilon == 0.0)
    throw CalibrationFailed("epsilon and delta are 0, but every answer leaks something");
  if (target.delta == 0.0) return calibrate_bounded(target.epsilon, unit, sensitivity, count);
  const SphericalScales scales(p);
  const auto family = [&](double scale) {
    scales.require_double(scale);
    return spherical_mechanism({dimension, alpha, scales.beta(scale), p}, sensitivity)
        .repeated(count);
  };
  const Calibration found =
      smallest_noise(family, target, scales.first(target, unit, sensitivity, count), accuracy);
  return {scales.beta(found.parameter), found.achieved};
}

Calibration calibrate_l2(const PrivacyTarget& target, double dimension, double sensitivity,
                         double count, Accuracy accuracy) {
  Calibration found =
      calibrate_spherical(target, dimension, dimension - 1.0, 1.0, sensitivity, count, accuracy);
  // More noise is safe: the scale is rounded upwards.
  found.parameter = std::nextafter(1.0 / found.parameter, 1e300);
  return found;
}

}  // namespace modicum
