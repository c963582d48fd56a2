// Random bits for tests: the same in every run.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "modicum/randomness/random_source.h"

namespace modicum::testing {

class SeededSource final : public RandomSource {
 public:
  explicit SeededSource(std::uint64_t seed) : generator_(seed) {}
  std::uint64_t next() override { return generator_(); }

 private:
  std::mt19937_64 generator_;
};

/// Largest distance between an empirical distribution function and the true one. Above
/// sqrt(log(2 / rate) / (2 n)) with probability at most `rate` (Dvoretzky, Kiefer, Wolfowitz,
/// Massart).
template <class Distribution>
double largest_deviation(std::vector<double> draws, const Distribution& distribution) {
  std::ranges::sort(draws);
  const auto n = static_cast<double>(draws.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double exact = distribution(draws[i]), below = static_cast<double>(i) / n;
    largest = std::max({largest, std::abs(exact - below), std::abs(exact - below - 1.0 / n)});
  }
  return largest;
}

inline double deviation_allowed(double draws, double rate = 1e-9) {
  return std::sqrt(std::log(2.0 / rate) / (2.0 * draws));
}

}  // namespace modicum::testing
