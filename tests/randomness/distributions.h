// Distribution functions that samples are compared with, and the comparison of counts.
#pragma once

#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "modicum/randomness/random_source.h"
#include "numerics/ball.h"

namespace modicum::testing {

inline double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The middle of what `compute(ball, bits)` finds, with as many bits as a double's worth takes.
template <class Compute>
double accurate(Compute compute) {
  for (long bits = 64; bits <= 1 << 16; bits *= 2) {
    Ball result;
    compute(result.raw(), bits);
    if (result.finite() && result.upper() - result.lower() < 1e-14) return result.middle();
  }
  throw std::logic_error("no digits");
}

inline double gamma_below(double shape, double x) {
  const Ball a = shape, z = x;
  return accurate([&](arb_ptr result, long bits) {
    arb_hypgeom_gamma_lower(result, a.raw(), z.raw(), 1, bits);
  });
}

inline double chi_square_below(double degrees, double x) {
  return gamma_below(degrees / 2.0, x / 2.0);
}

inline double beta_below(double a, double b, double x) {
  return accurate([&](arb_ptr result, long bits) {
    arb_hypgeom_beta_lower(result, Ball(a).raw(), Ball(b).raw(), Ball(x).raw(), 1, bits);
  });
}

/// The largest deviation (tests/support/seeded_source.h), looked for at 500 of the draws only: for
/// laws that are costly to compute. Never above the largest of all, so the same rate holds.
template <class Law>
double deviation_found(std::vector<double> draws, const Law& law) {
  std::ranges::sort(draws);
  const auto n = static_cast<double>(draws.size());
  double largest = 0.0;
  for (std::size_t point = 0; point < 500; ++point) {
    const std::size_t i = point * (draws.size() - 1) / 499;
    const double exact = law(draws[i]), below = static_cast<double>(i) / n;
    largest = std::max({largest, std::abs(exact - below), std::abs(exact - below - 1.0 / n)});
  }
  return largest;
}

struct Cell {
  double probability, count;
};

/// Pearson's test: the probability, if the cells have these probabilities, of counts that differ
/// from them as much or more (in the limit; cells are joined until 25 draws are expected).
inline double pearson_probability(const std::vector<Cell>& cells) {
  double draws = 0.0, total = 0.0;
  for (const Cell& cell : cells) draws += cell.count, total += cell.probability;
  if (std::abs(total - 1.0) > 1e-9) throw std::logic_error("these cells are not all there are");
  std::vector<Cell> joined{{0.0, 0.0}};
  for (const Cell& cell : cells) {
    if (joined.back().probability * draws >= 25.0) joined.push_back({0.0, 0.0});
    joined.back().probability += cell.probability;
    joined.back().count += cell.count;
  }
  if (joined.size() > 1 && joined.back().probability * draws < 25.0) {
    const Cell last = joined.back();
    joined.pop_back();
    joined.back().probability += last.probability;
    joined.back().count += last.count;
  }
  double distance = 0.0;
  for (const auto& [probability, count] : joined)
    distance += std::pow(count - draws * probability, 2) / (draws * probability);
  if (joined.size() < 2) throw std::logic_error("one cell tests nothing");
  return 1.0 - chi_square_below(static_cast<double>(joined.size() - 1), distance);
}

/// These words, then nothing.
class ScriptedSource final : public RandomSource {
 public:
  explicit ScriptedSource(std::deque<std::uint64_t> words) : words_(std::move(words)) {}
  std::uint64_t next() override {
    if (words_.empty()) throw std::logic_error("more words were drawn than expected");
    const std::uint64_t word = words_.front();
    words_.pop_front();
    return word;
  }
  bool used_up() const { return words_.empty(); }

 private:
  std::deque<std::uint64_t> words_;
};

/// The same word for ever.
class ConstantSource final : public RandomSource {
 public:
  explicit ConstantSource(std::uint64_t word) : word_(word) {}
  std::uint64_t next() override { return word_; }

 private:
  std::uint64_t word_;
};

}  // namespace modicum::testing
