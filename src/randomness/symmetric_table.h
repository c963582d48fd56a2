// Exact draws of a symmetric distribution on the integers whose sums are known to any precision.
#pragma once

#include <functional>
#include <vector>

#include "modicum/randomness/random_source.h"
#include "numerics/ball.h"
#include "randomness/guided_search.h"

namespace modicum {

/// A uniform number is looked up among the sums of the probabilities of 0, 1, -1, 2, -2, ... Its
/// first 64 bits decide nearly always; where a sum shares them, more bits are drawn and compared
/// with the sum in balls, of as many bits as it takes (docs/derivations/sampling.md).
class SymmetricTable {
 public:
  /// P[|k| < 1], .., P[|k| < count], to the precision of the moment: rising to 1, and below it.
  using Sums = std::function<std::vector<Ball>(std::size_t count)>;
  explicit SymmetricTable(Sums sums);
  std::int64_t draw(RandomSource& source) const;

  /// The sums before the i-th value, rounded down to 64 bits: up to the first that is all ones.
  const std::vector<std::uint64_t>& floors() const { return search_.floors(); }

 private:
  Ball sum_before(std::size_t index) const;
  std::size_t refined(std::size_t index, std::uint64_t word, RandomSource& source) const;

  Sums sums_;
  GuidedSearch search_;
};

}  // namespace modicum
