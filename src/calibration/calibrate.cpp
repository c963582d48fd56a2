#include "modicum/calibration/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "calibration/laplace_start.h"
#include "modicum/numerics/bracketing.h"
#include "privacy/profile_source.h"

namespace modicum {

PrivacyTarget::PrivacyTarget(double given_epsilon, double given_delta)
    : epsilon(require_non_negative("epsilon", given_epsilon)), delta(given_delta) {
  if (!(given_delta >= 0.0 && given_delta < 1.0))
    throw InvalidParameter("delta", given_delta, "must be at least 0 and below 1");
}

namespace {

[[noreturn]] void fail(const PrivacyTarget& target, const char* why) {
  throw CalibrationFailed(
      fmt::format("no noise could be proved to meet epsilon = {}, delta = {}: {}", target.epsilon,
                  target.delta, why));
}

// How far the largest loss lies above epsilon, as a logarithm where that is to be had.
double pure_excess(const PrivacyLoss& loss, double epsilon) {
  try {
    const double largest = epsilon_at(loss, 0.0, Accuracy::fast).value.upper();
    if (largest == 0.0) return -1.0;
    if (largest <= epsilon) return std::clamp(std::log(largest) - std::log(epsilon), -1e3, -1e-300);
    return epsilon > 0.0 ? std::log(largest) - std::log(epsilon) : 1.0;
  } catch (const TargetUnreachable&) {
    return 1.0;
  }
}

// Steps in the logarithm of the noise, each a little further than the slope so far promises, at
// most by a factor of 4.
Bracket bracket_from(const std::function<double(double)>& excess, double start,
                     const PrivacyTarget& target) {
  const auto too_small = [](double value) { return !(value <= 0.0); };
  const double longest = std::log(4.0);
  double noise = start, value = excess(start), step = 0.5 * longest;
  const bool upwards = too_small(value);
  for (;;) {
    if (noise > 1e150) fail(target, "noise of 1e150 is still too small");
    if (noise < 1e-150) fail(target, "no noise at all would do");
    const double next = noise * std::exp(upwards ? step : -step), there = excess(next);
    if (too_small(there) != upwards) return upwards ? Bracket{noise, next} : Bracket{next, noise};
    const double promised = 1.2 * step * there / (value - there) + 1e-3;
    step = promised > 0.0 && promised < longest ? promised : longest;
    noise = next;
    value = there;
  }
}

}  // namespace

Calibration smallest_noise(const NoiseFamily& family, const PrivacyTarget& target, double start,
                           Accuracy accuracy) {
  require_positive("start", start);
  // Positive while the noise is too small. Compositions may take long: none is asked twice.
  std::map<double, double> known;
  const auto excess = [&](double noise) {
    if (const auto before = known.find(noise); before != known.end()) return before->second;
    if (target.delta == 0.0) return known[noise] = pure_excess(family(noise), target.epsilon);
    const double delta = profile(family(noise), target.epsilon, Accuracy::fast).delta().upper();
    return known[noise] = std::log(delta) - std::log(target.delta);
  };
  Bracket bracket = bracket_from(excess, start, target);
  // Closer than the answers themselves are known there is nothing to be found.
  bracket = narrow_bracket(excess, bracket, 1e-3);
  // Of a bound too, which has no lower end to show.
  const PrivacyLoss found = family(bracket.high);
  const PrivacyLoss joined = found.with_copies_joined().value_or(found);
  const Enclosure width = ProfileSource(joined, Accuracy::fast).at(target.epsilon).delta();
  bracket = narrow_bracket(excess, bracket, std::clamp(0.01 * width.relative_width(), 1e-15, 1e-6));
  // How fast log delta falls with the logarithm of the noise.
  const double slope = (excess(bracket.high) - excess(bracket.high * 1.001)) / 0.001;
  double noise = bracket.high;
  for (double step = 0x1p-51; step < 1.0; step *= 4.0) {
    const ProfilePoint achieved = profile(family(noise), target.epsilon, accuracy);
    const double delta = achieved.delta().upper();
    if (delta <= target.delta) return {noise, achieved};
    const double missing = 1.02 * std::log(delta / target.delta) / slope;
    if (missing > step && missing < 1.0) step = missing;
    noise *= 1.0 + step;
  }
  fail(target, "the enclosure of delta stays too wide");
}

Calibration smallest_proved_noise(const NoiseFamily& family, const PrivacyTarget& target,
                                  double low, double high) {
  require_positive("low", low);
  if (!(high > low)) throw InvalidParameter("high", high, "must be above low");
  if (!(target.delta > 0.0)) fail(target, "delta is 0");
  std::map<double, ProfilePoint> proofs;  // the ends are asked for again, and a proof is dear
  const auto achieved = [&](double noise) -> const ProfilePoint& {
    const auto known = proofs.find(noise);
    if (known != proofs.end()) return known->second;
    return proofs.emplace(noise, profile(family(noise), target.epsilon, Accuracy::certified))
        .first->second;
  };
  const auto excess = [&](double noise) {
    const ProfilePoint& point = achieved(noise);
    if (point.proof != Proof::certified) return infinity;
    return std::log(point.delta().upper()) - std::log(target.delta);
  };
  const double step = high / low;
  Bracket bracket{low, high};
  while (!(excess(bracket.high) <= 0.0)) {
    if (!(bracket.high < 1e150)) fail(target, "noise of 1e150 is still too small");
    bracket = {bracket.high, bracket.high * std::max(step, 4.0)};
  }
  while (excess(bracket.low) <= 0.0) {
    if (!(bracket.low > 1e-150)) fail(target, "no noise at all would do");
    bracket = {bracket.low / std::max(step, 4.0), bracket.low};
  }
  const double noise = narrow_bracket(excess, bracket, 1e-7).high;
  return {noise, achieved(noise)};
}

Calibration calibrate_gaussian(const PrivacyTarget& target, double sensitivity, double count,
                               Accuracy accuracy) {
  require_positive("sensitivity", sensitivity);
  require_count("count", count);
  if (!(target.delta > 0.0)) fail(target, "the loss of the Gaussian mechanism is unbounded");
  const auto family = [&](double noise) {
    return PrivacyLoss::gaussian(GaussianSpectrum::shift(sensitivity, noise)).repeated(count);
  };
  return smallest_noise(family, target, sensitivity * std::sqrt(count), accuracy);
}

Calibration calibrate_laplace(const PrivacyTarget& target, double sensitivity, double count,
                              Accuracy accuracy) {
  require_positive("sensitivity", sensitivity);
  require_count("count", count);
  if (target.epsilon == 0.0 && target.delta == 0.0) fail(target, "every answer leaks something");
  const auto family = [&](double noise) {
    return PrivacyLoss::laplace(Precise::ratio(sensitivity, noise)).repeated(count);
  };
  return smallest_noise(family, target, laplace_start(target, sensitivity, count), accuracy);
}

double laplace_start(const PrivacyTarget& target, double sensitivity, double count) {
  // Not where delta is exactly 0, of which no slope is known.
  if (!(target.delta > 0.0 && count > 20.0)) return sensitivity * std::sqrt(count);
  return 0.9 * calibrate_gaussian(target, sensitivity, count, Accuracy::fast).parameter;
}

}  // namespace modicum
