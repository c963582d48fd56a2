// Rules that tell two laws apart, learned from trials whose bits are known.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "auditing/black_box_trials.h"

namespace modicum {

/// log(1 + e^x), which is - log of the probability that log odds of -x give.
inline double softplus(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// Log odds that the bit of an output is 1. Nothing rests on their being right: better ones make
/// an audit sharper, worse ones do not make it wrong.
class Distinguisher {
 public:
  virtual ~Distinguisher() = default;
  /// Learns from the trials from `begin` to `end`.
  virtual void learn(const Trials& trials, std::size_t begin, std::size_t end) = 0;
  /// For the trials from `begin` to `end`; 0 where an output is not regular.
  virtual std::vector<double> log_odds(const Trials& trials, std::size_t begin,
                                       std::size_t end) const = 0;
};

/// Logistic regression on the coordinates, or on their squares and products too.
std::unique_ptr<Distinguisher> logistic_distinguisher(bool with_products);
/// The share of ones among the nearest of some trials.
std::unique_ptr<Distinguisher> neighbor_distinguisher();

/// Coordinates from which squares and products are formed, and up to which neighbors are sought.
inline constexpr std::size_t most_for_products = 20, most_for_neighbors = 50;

/// Counts of values that are seen again and again. An output seen a times with bit 1 and b times
/// with bit 0, whose log odds are those of a probability p otherwise, gets
///   log((a + s p) / (b + s (1 - p))),
/// s being how many sightings the other opinion counts for.
class RepeatCounts {
 public:
  RepeatCounts(const Trials& trials, std::size_t begin, std::size_t end);
  /// An infinite `s` leaves log odds as they are, but for outputs that are not regular.
  void adjust(const Trials& trials, std::size_t begin, double s,
              std::vector<double>& log_odds) const;

 private:
  std::vector<double> ones_, zeros_;
};

/// A distinguisher with its treatment of repeats.
struct Recipe {
  std::string name;
  std::unique_ptr<Distinguisher> distinguisher;
  double strength;  // s of RepeatCounts

  /// Learns from the trials before `known`, answers for those from `begin` to `end`.
  std::vector<double> log_odds(const Trials& trials, std::size_t known, std::size_t begin,
                               std::size_t end);
};

/// The recipe that has the least logarithmic loss on each half of the trials before `end` when it
/// has learned from the other, and its log odds there, recalibrated. A simpler one is kept unless
/// the other is better by more than the error of the comparison.
struct ChosenRecipe {
  Recipe recipe;
  std::vector<double> log_odds;
};
ChosenRecipe choose_recipe(const Trials& trials, std::size_t end);

}  // namespace modicum
