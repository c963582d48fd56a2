// The guessing game under a privacy claim: how many weighted guesses can be right.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace modicum {

/// So many guesses that count this much.
struct WeightClass {
  std::size_t weight, count;
};

/// The binomial law but for its tails: no mass is below its true value, and `lost` is not below
/// what the masses leave out.
struct TruncatedBinomial {
  std::size_t first = 0;
  std::vector<double> mass;
  double lost = 0.0;
};
/// `success` + `failure` = 1, each accurate.
TruncatedBinomial truncated_binomial(std::size_t count, double success, double failure);

/// The law at one epsilon of
///   T_j = (sum of the j largest weights) + (sum of the others that are right, each with
///   probability e^epsilon / (1 + e^epsilon)).
class RightGuesses {
 public:
  /// Classes in descending order of weight, and the score that was reached.
  RightGuesses(const std::vector<WeightClass>& classes, double epsilon, std::size_t score);

  /// P[T_J >= score], J binomial(trials, delta): the p-value of (epsilon, delta), never below the
  /// exact one; 1 where arithmetic fails. Grows with delta, and with epsilon.
  double p_value(std::size_t trials, double delta);

 private:
  // Mass of a sum of weights: P[sum >= first + i] at i.
  struct Tail {
    std::size_t first = 0;
    std::vector<double> mass, reached;
    double lost = 0.0;
    double at(long long value) const;
  };
  static Tail joined(const Tail& tail, const TruncatedBinomial& guesses, std::size_t weight);
  double reaches(std::size_t given_away) const;

  std::vector<WeightClass> classes_;
  double success_, failure_;
  std::size_t score_;
  std::unordered_map<std::size_t, double> reached_;  // by how many are given away
  std::vector<Tail> suffixes_;                       // suffixes_[c]: the classes from c on
};

}  // namespace modicum
