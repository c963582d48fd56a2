// The outcomes of a pair (X, Y), sorted into bins by their privacy loss, in doubles with proven
// bounds (docs/derivations/discretized.md).
#pragma once

#include <vector>

namespace modicum {

/// Factors that outweigh a few roundings.
inline constexpr double outwards_up = 1.0 + 0x1p-48, outwards_down = 1.0 - 0x1p-48;

/// Outcomes whose losses lie within [left - early, right + late], with bounds of their mass under X
/// and of their mass under Y times exp(left).
struct LossBin {
  double left, right;
  double x_low, x_high, y_low, y_high;
  double early = 0.0, late = 0.0;
};

/// Neighboring bins between finite cuts, and last the one beyond all cuts, whose right end is
/// infinite.
struct LossBins {
  double below = 0.0;  ///< at least the mass under X left of the first cut
  double lost = 0.0;   ///< at least the mass under X of outcomes that are in no bin
  std::vector<LossBin> bins;
};

/// Of a pair that a reflection exchanges, so that -L has the law of L under Y: the bins of losses
/// above 0, the first of which starts there, continued to those below.
LossBins unfolded(const LossBins& above_zero);

}  // namespace modicum
