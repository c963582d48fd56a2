#include "auditing/black_box_profile.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace modicum {
namespace {

// Standard deviations beyond what is needed that make a refutation easy: it then hardly ever fails.
constexpr double margin = 2.0;

// Sums over guesses, for a normal approximation to the game. It is used to choose only.
struct Forecast {
  double right = 0.0, weight = 0.0, squares = 0.0;  // expected right weight, weight, its squares
  double given_away = 0.0, top = 0.0;               // trials given away, each at the top weight

  // Standard deviations by which the expected score exceeds what epsilon allows.
  double excess(double epsilon) const {
    const double q = 1.0 / (1.0 + std::exp(-epsilon)), wrong = 1.0 / (1.0 + std::exp(epsilon));
    const double mean = q * weight + given_away * wrong * top;
    const double variance = q * wrong * squares + given_away * top * top;
    return variance > 0.0 ? (right - mean) / std::sqrt(variance) : 0.0;
  }
};

// z with P[N(0, 1) > z] = level.
double upper_quantile(double level) {
  double low = -40.0, high = 40.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > level ? low : high) = middle;
  }
  return low;
}

// The largest epsilon that a score as expected would refute.
double epsilon_bound(const Forecast& forecast, double needed) {
  double low = 0.0, high = 40.0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (forecast.excess(middle) > needed ? low : high) = middle;
  }
  return low;
}

// The same for delta: so many trials must be given away.
double delta_bound(const Forecast& forecast, double epsilon, double needed) {
  const double q = 1.0 / (1.0 + std::exp(-epsilon)), wrong = 1.0 / (1.0 + std::exp(epsilon));
  const double spread = std::sqrt(q * wrong * forecast.squares);
  return (forecast.right - q * forecast.weight - needed * spread) / (wrong * forecast.top);
}

// Weights proportional to certainty above a threshold, up to a cap: the log-likelihood ratio of a
// guess with these odds against one with the odds that are allowed is nearly that.
struct Shape {
  double threshold, cap;
  std::size_t levels;
  Sides sides;
  std::size_t weight(double certainty) const {
    if (!(certainty >= threshold)) return 0;
    if (!(certainty < cap)) return levels;
    const double level =
        std::ceil((certainty - threshold) / (cap - threshold) * static_cast<double>(levels));
    return static_cast<std::size_t>(std::clamp(level, 1.0, static_cast<double>(levels)));
  }
};

// Largest number of weights for which the law of the score stays quick to compute.
std::size_t affordable_levels(double guesses) {
  std::size_t levels = 16;
  while (levels > 1 && guesses * static_cast<double>(levels * levels) > 4e6) levels /= 2;
  return levels;
}

// Certainties in descending order, those that come typical of `trials`.
Forecast forecast_of(const std::vector<double>& certainties, const Shape& shape,
                     const PrivacyTarget& claim, double trials) {
  Forecast result;
  for (std::size_t i = 0; i < certainties.size() && certainties[i] >= shape.threshold; ++i) {
    const auto w = static_cast<double>(shape.weight(certainties[i]));
    result.right += w / (1.0 + std::exp(-certainties[i]));
    result.weight += w;
    result.squares += w * w;
  }
  const double repeated = trials / static_cast<double>(certainties.size());
  result.right *= repeated;
  result.weight *= repeated;
  result.squares *= repeated;
  result.given_away = given_away_rate(shape.sides, claim.delta) * trials;
  result.top = static_cast<double>(shape.levels);
  return result;
}

// Descending.
std::vector<Shape> shapes(const std::vector<double>& certainties, Sides sides, double epsilon,
                          double trials) {
  const auto size = static_cast<double>(certainties.size());
  const auto ranked = [&](double rank) {
    return certainties[static_cast<std::size_t>(std::clamp(rank, 0.0, size - 1.0))];
  };
  std::vector<double> thresholds{epsilon};
  for (double share = 1.0; share * size >= 1.0; share *= 0.7)
    thresholds.push_back(ranked(std::ceil(share * size) - 1.0));
  std::vector<Shape> result;
  for (const double threshold : thresholds) {
    if (threshold < 0.0) continue;  // the other bit is more likely
    const auto guesses =
        static_cast<double>(std::partition_point(certainties.begin(), certainties.end(),
                                                 [&](double value) { return value >= threshold; }) -
                            certainties.begin());
    if (guesses == 0.0) continue;
    result.push_back({threshold, threshold, 1, sides});
    const std::size_t levels = affordable_levels(guesses / size * trials);
    if (levels == 1) continue;
    for (const double share : {0.0, 0.01, 0.05, 0.2, 0.5})
      if (const double cap = ranked(share * guesses); cap > threshold)
        result.push_back({threshold, cap, levels, sides});
  }
  return result;
}

// The best so far: one that makes refutation easy before one that does not.
struct Best {
  Shape shape{0.0, 0.0, 1, Sides::both};
  bool any = false, easy = false;
  double merit = 0.0;
  void offer(const Shape& other, bool other_easy, double other_merit) {
    if (any && (easy != other_easy ? easy : merit >= other_merit)) return;
    *this = {other, true, other_easy, other_merit};
  }
};

WeightProfile profile_of(const std::vector<double>& log_odds, const Shape& shape) {
  WeightProfile profile;
  profile.sides = shape.sides;
  profile.shares.assign(shape.levels, 0.0);
  for (const double value : log_odds)
    if (const std::size_t weight = shape.weight(certainty(shape.sides, value)); weight > 0)
      profile.shares[weight - 1] += 1.0 / static_cast<double>(log_odds.size());
  return profile;
}

}  // namespace

WeightProfiles choose_profiles(const std::vector<double>& log_odds, const PrivacyTarget& claim,
                               std::size_t trials, double level) {
  const auto count = static_cast<double>(trials);
  const double needed = upper_quantile(level);
  Best epsilon, delta;
  for (const Sides sides : {Sides::both, Sides::ones, Sides::zeros}) {
    std::vector<double> certainties;
    for (const double value : log_odds) certainties.push_back(certainty(sides, value));
    std::sort(certainties.begin(), certainties.end(), std::greater<>());
    for (const Shape& shape : shapes(certainties, sides, claim.epsilon, count)) {
      const Forecast forecast = forecast_of(certainties, shape, claim, count);
      const double excess = forecast.excess(claim.epsilon);
      const bool easy = excess > needed + margin;
      // The log odds are few and chance favors some shape: what theory says is kept unless
      // another promises clearly more.
      const bool expected = shape.threshold == claim.epsilon && sides == Sides::both;
      const double merit = excess - (expected ? 0.0 : 0.1 + 0.05 * std::abs(excess));
      epsilon.offer(shape, easy, easy ? epsilon_bound(forecast, needed) : merit);
      delta.offer(shape, easy,
                  easy ? delta_bound(forecast, claim.epsilon, needed) / given_away_rate(sides, 1.0)
                       : merit);
    }
  }
  return {profile_of(log_odds, epsilon.shape), profile_of(log_odds, delta.shape)};
}

}  // namespace modicum
