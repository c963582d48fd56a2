#include "privacy/engines/epsilon_guess.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/engines/loss_moment.h"

namespace modicum {
namespace {

double above(double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

// Where a function that falls is 0, between these.
template <class Function>
double crossing(const Function& excess, double low, double high) {
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  return low;
}

// Of a loss that is normal with a small deviation: delta = deviation (phi(x) - x Q(x)), which falls
// with x at the rate of deviation Q(x).
EpsilonGuess normal_epsilon(double deviation, double delta) {
  const double root = std::sqrt(2.0 * std::numbers::pi);
  const auto profile = [&](double x) { return std::exp(-0.5 * x * x) / root - x * above(x); };
  const double wanted = delta / deviation;
  const double x = crossing([&](double at) { return profile(at) - wanted; }, 0.0, 38.0);
  return {deviation * x, above(x) / (deviation * wanted)};
}

// Whether the deviation grows so fast next to this center that the tilted loss is no single hill:
// rare samples, of which one with a huge loss is about to outweigh all others.
bool has_two_modes(const LossMoment& moment, double center) {
  const auto here = static_cast<double>(moment.jet(center).second);
  const double beside = std::max(center - 1.0 / std::sqrt(here), 0.5 * center);
  return !(static_cast<double>(moment.jet(beside).second) > 0.2 * here);
}

// Then most of the loss is about normal, and decides.
EpsilonGuess bulk_epsilon(const LossMoment& moment, double delta) {
  const Jet jet = moment.jet(0.0L);
  EpsilonGuess guess = normal_epsilon(std::sqrt(static_cast<double>(jet.second)), delta);
  guess.epsilon += static_cast<double>(jet.first);
  return guess;
}

// Of all centers that were looked at: the least epsilon that Chernoff's bound allows.
EpsilonGuess saddle_epsilon(const LossMoment& moment, double delta, double& most) {
  // Each center c = e^v is the saddle point of one shift; delta falls as c grows.
  struct Place {
    double shift, excess;
  };
  const auto place = [&](double v) -> Place {
    const double c = std::exp(v);
    const Jet jet = moment.jet(c);
    const double shift = static_cast<double>(jet.first) - 1.0 / c - 1.0 / (c + 1.0);
    const double curvature =
        static_cast<double>(jet.second) + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
    most = std::min(
        most,
        (static_cast<double>(jet.value) + c * v - (c + 1.0) * std::log1p(c) - std::log(delta)) / c);
    return {shift, static_cast<double>(jet.value) - shift * c - std::log(c * (c + 1.0)) -
                       0.5 * std::log(2.0 * std::numbers::pi * curvature) - std::log(delta)};
  };
  double low = 0.0, high = 0.0;
  Place at_low = place(low), at_high = at_low;
  while (at_high.excess > 0.0 && high < 12.0) {
    low = high, at_low = at_high;
    at_high = place(high += 1.0);
  }
  while (at_low.excess <= 0.0 && low > -12.0) {
    high = low, at_high = at_low;
    at_low = place(low -= 1.0);
  }
  if (!(at_low.excess > 0.0 && at_high.excess <= 0.0)) return {};
  // By chords; where one end is far off, they hardly move, and every other step halves.
  for (int i = 0; i < 16; ++i) {
    const double share = at_low.excess / (at_low.excess - at_high.excess);
    const double middle =
        low + (high - low) * (i < 4 || i % 2 == 0 ? std::clamp(share, 0.05, 0.95) : 0.5);
    const Place at = place(middle);
    if (std::abs(at.excess) < 0.01) return {at.shift, std::exp(middle)};
    if (at.excess > 0.0) low = middle, at_low = at;
    else high = middle, at_high = at;
  }
  return {0.5 * (at_low.shift + at_high.shift), std::exp(0.5 * (low + high))};
}

// One of the steps has nearly all of the loss, delta_1(epsilon) = delta/n; the others are about
// normal, and move it by half their variance times the slope, but no further than if they were
// alone. With the threshold x of this step, delta_1 = q (Q(x - mu) - e^u Q(x)), u = mu x - mu^2/2,
// and -delta_1' = e^epsilon Q(x).
EpsilonGuess jump_epsilon(const SampledShift& step, double count, double delta) {
  const double mu = step.mu.high, q = step.rate, wanted = delta / count;
  const auto exponent = [&](double x) { return mu * x - 0.5 * mu * mu; };
  const auto profile = [&](double x) {
    return q * (above(x - mu) - std::exp(exponent(x)) * above(x));
  };
  // From epsilon = 0 to beyond all doubles.
  const double x = crossing([&](double at) { return profile(at) - wanted; }, 0.5 * mu, mu + 36.0);
  const double epsilon = std::log1p(q * std::expm1(exponent(x)));
  const double slope = std::exp(epsilon) * above(x) / profile(x);
  const double variance = (count - 1.0) * q * q * std::expm1(std::min(mu * mu, 1.0));
  const double alone = normal_epsilon(std::sqrt(variance), delta).epsilon;
  const double added = std::min(0.5 * slope * variance, alone);
  return {epsilon + added, slope};
}

bool usable(const EpsilonGuess& guess) {
  return guess.epsilon > 0.0 && std::isfinite(guess.epsilon) && guess.slope > 0.0;
}

}  // namespace

EpsilonGuess guessed_epsilon(const DirectedLoss& loss, double delta) {
  const LossMoment moment(loss);
  double most = infinity;
  const EpsilonGuess saddle = saddle_epsilon(moment, delta, most);
  const bool two_modes = usable(saddle) && !loss.laws.empty() &&
                         (saddle.epsilon > most || has_two_modes(moment, saddle.slope));
  const auto step =
      are_copies_of_one_law(loss) ? loss.laws.front().law->sampled_shift() : std::nullopt;
  // The record is hardly taken twice.
  if (step && !step->reversed && loss.laws.front().count * step->rate <= 1.0) {
    const EpsilonGuess jump = jump_epsilon(*step, loss.laws.front().count, delta);
    const bool less = usable(saddle) && !two_modes && saddle.epsilon < jump.epsilon;
    if (usable(jump) && !less) return jump;
  }
  return two_modes ? bulk_epsilon(moment, delta) : saddle;
}

}  // namespace modicum
