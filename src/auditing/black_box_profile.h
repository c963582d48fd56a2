// How many guesses are to count how much: fixed before the trials that count.
#pragma once

#include <cmath>
#include <vector>

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// Which bits are guessed at all. Whoever guesses ones only gains nothing from a zero that is given
/// away, and so only half as many trials are.
enum class Sides { both, ones, zeros };

inline double certainty(Sides sides, double log_odds) {
  return sides == Sides::both ? std::abs(log_odds) : sides == Sides::ones ? log_odds : -log_odds;
}
inline double given_away_rate(Sides sides, double delta) {
  return sides == Sides::both ? delta : 0.5 * delta;
}

/// shares[w - 1] of the trials, those of which the auditor is most certain first, have weight w.
struct WeightProfile {
  std::vector<double> shares;
  Sides sides = Sides::both;
};

/// What promises most for so many trials to come, if the log odds of some trials, taken at their
/// word, are typical.
struct WeightProfiles {
  /// To refute the claim, or where that is easy for the largest lower bound on epsilon.
  WeightProfile epsilon;
  /// For the largest lower bound on delta where the claim is easy to refute; else the same.
  WeightProfile delta;
};
WeightProfiles choose_profiles(const std::vector<double>& log_odds, const PrivacyTarget& claim,
                               std::size_t trials, double level);

}  // namespace modicum
