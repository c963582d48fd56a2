// Exact draws from any distribution on finitely many values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "modicum/randomness/random_source.h"

namespace modicum {

/// Value i with exactly the probability weights[i] / (their exact sum). One word of random bits
/// decides nearly always; where it does not, more are drawn and compared in whole numbers
/// (docs/derivations/sampling.md). The copies of a sampler share its table.
class TableSampler {
 public:
  /// Weights are finite, at least 0, and at least one is above 0. Throws InvalidParameter.
  explicit TableSampler(std::span<const double> weights);
  std::size_t draw(RandomSource& source) const;

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
};

}  // namespace modicum
