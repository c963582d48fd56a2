// Repeats, and the choice among distinguishers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "auditing/distinguisher.h"

namespace modicum {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// - log of the probability given to the true bit.
double loss(double log_odds, char bit) { return softplus(bit != 0 ? -log_odds : log_odds); }

// Shift and stretch of log odds that fit the first bits best: overconfidence is undone.
void recalibrate(const Trials& trials, std::vector<double>& log_odds) {
  double shift = 0.0, stretch = 1.0;
  for (int iteration = 0; iteration < 15; ++iteration) {
    // Newton, with a pull towards 0 and 1 that is worth a sighting.
    double g0 = shift, g1 = stretch - 1.0, h00 = 1.0, h01 = 0.0, h11 = 1.0;
    for (std::size_t i = 0; i < log_odds.size(); ++i) {
      const double s = log_odds[i], p = 1.0 / (1.0 + std::exp(-(shift + stretch * s)));
      const double residual = p - (trials.bit[i] != 0 ? 1.0 : 0.0), weight = p * (1.0 - p);
      g0 += residual;
      g1 += residual * s;
      h00 += weight;
      h01 += weight * s;
      h11 += weight * s * s;
    }
    const double determinant = h00 * h11 - h01 * h01;
    if (!(determinant > 0.0)) break;
    const double step0 = (h11 * g0 - h01 * g1) / determinant,
                 step1 = (h00 * g1 - h01 * g0) / determinant;
    shift -= std::clamp(step0, -1.0, 1.0);
    stretch -= std::clamp(step1, -1.0, 1.0);
    if (std::abs(step0) + std::abs(step1) < 1e-6) break;
  }
  if (!std::isfinite(shift) || !(stretch > 0.0)) shift = 0.0, stretch = 0.0;
  for (double& value : log_odds) value = shift + stretch * value;
}

// Whether the second list of losses is below the first by more than the error of the comparison,
// and by more than a single coefficient would gain by chance.
bool clearly_less(const std::vector<double>& first, const std::vector<double>& second) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double gain = first[i] - second[i];
    sum += gain;
    squares += gain * gain;
  }
  return sum > 1.0 && sum * sum > squares;
}

struct Candidate {
  std::string name;
  std::unique_ptr<Distinguisher> distinguisher;
};

// From the simplest on.
std::vector<Candidate> candidates(const Trials& trials) {
  std::vector<Candidate> result;
  result.push_back({"logistic regression", logistic_distinguisher(false)});
  if (trials.dimension <= most_for_products || trials.dimension > 200)
    result.push_back({"logistic regression with squares", logistic_distinguisher(true)});
  if (trials.dimension <= most_for_neighbors)
    result.push_back({"nearest neighbors", neighbor_distinguisher()});
  return result;
}

}  // namespace

RepeatCounts::RepeatCounts(const Trials& trials, std::size_t begin, std::size_t end)
    : ones_(static_cast<std::size_t>(trials.repeats), 0.0), zeros_(ones_) {
  for (std::size_t i = begin; i < end; ++i)
    if (trials.repeat[i] != seen_once)
      (trials.bit[i] != 0 ? ones_ : zeros_)[static_cast<std::size_t>(trials.repeat[i])] += 1.0;
}

void RepeatCounts::adjust(const Trials& trials, std::size_t begin, double s,
                          std::vector<double>& log_odds) const {
  for (std::size_t i = 0; i < log_odds.size(); ++i) {
    const std::int32_t value = trials.repeat[begin + i];
    if (value == seen_once) continue;
    const bool regular = trials.regular[begin + i] != 0;
    if (regular && std::isinf(s)) continue;
    const double strength = regular ? s : 1.0;
    const double p = 1.0 / (1.0 + std::exp(-log_odds[i])), q = 1.0 / (1.0 + std::exp(log_odds[i]));
    const auto place = static_cast<std::size_t>(value);
    log_odds[i] = std::log((ones_[place] + strength * p) / (zeros_[place] + strength * q));
  }
}

std::vector<double> Recipe::log_odds(const Trials& trials, std::size_t known, std::size_t begin,
                                     std::size_t end) {
  distinguisher->learn(trials, 0, known);
  std::vector<double> result = distinguisher->log_odds(trials, begin, end);
  RepeatCounts(trials, 0, known).adjust(trials, begin, strength, result);
  return result;
}

ChosenRecipe choose_recipe(const Trials& trials, std::size_t end) {
  const std::size_t half = end / 2;
  const RepeatCounts first(trials, 0, half), second(trials, half, end);
  std::optional<ChosenRecipe> best;
  std::vector<double> least;
  for (Candidate& candidate : candidates(trials)) {
    Distinguisher& distinguisher = *candidate.distinguisher;
    distinguisher.learn(trials, half, end);
    const std::vector<double> below = distinguisher.log_odds(trials, 0, half);
    distinguisher.learn(trials, 0, half);
    const std::vector<double> above = distinguisher.log_odds(trials, half, end);
    std::optional<double> chosen;  // the strength, where this candidate leads
    for (const double strength : {infinite, 20.0, 1.0}) {
      if (trials.repeats == 0 && !std::isinf(strength)) continue;
      std::vector<double> log_odds = below, others = above;
      second.adjust(trials, 0, strength, log_odds);
      first.adjust(trials, half, strength, others);
      log_odds.insert(log_odds.end(), others.begin(), others.end());
      recalibrate(trials, log_odds);
      std::vector<double> losses;
      for (std::size_t i = 0; i < end; ++i) losses.push_back(loss(log_odds[i], trials.bit[i]));
      if (best && !clearly_less(least, losses)) continue;
      if (!best) best.emplace();
      chosen = strength;
      least = std::move(losses);
      best->log_odds = std::move(log_odds);
    }
    if (!chosen) continue;
    const char* const suffix = std::isinf(*chosen) ? "" : ", repeats counted";
    best->recipe = {candidate.name + suffix, std::move(candidate.distinguisher), *chosen};
  }
  return std::move(*best);
}

}  // namespace modicum
