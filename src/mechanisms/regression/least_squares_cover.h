// The supremum of the least-squares delta over all neighbors, with proof
// (docs/derivations/least-squares.md).
//
// In the coordinates a = tau_row - 1 and b = tau_other - 1 the loss only grows along rays from
// a = b = 0, so the supremum over a set is that over its outer edge. The edge is cut into pieces;
// each piece is dominated by one spectrum.
#pragma once

#include <utility>
#include <vector>

#include "mechanisms/suprema/moving_spectrum.h"
#include "modicum/privacy/profile.h"

namespace modicum {

/// A straight piece of the (p, q) plane, both ends in 0 <= p <= q < 1, neither coordinate falling.
struct LeverageSegment {
  double row_start, full_start;
  double row_end, full_end;
};

class LeastSquaresCover {
 public:
  LeastSquaresCover(double columns, double features, std::vector<LeverageSegment> edge)
      : columns_(columns), features_(features), edge_(std::move(edge)) {}

  struct Worst {
    double row, full;
    double delta;  ///< estimated
  };
  /// The largest delta found, in doubles: a lower bound but for rounding.
  Worst search(double epsilon) const;

  /// The pairs of each segment of the edge; empty where they move too far.
  std::vector<MovingSpectrum> moving() const;

  /// Upper bound on delta over the whole edge, proved, above the largest by some `slack`.
  double bound(double epsilon, double slack) const;

  /// Whether delta <= threshold, in both directions, is proved for the whole edge.
  bool proves(double epsilon, double threshold) const;

  /// The same by pieces, where paths fail.
  bool stays_below(double epsilon, double threshold) const;

 private:
  static constexpr double piece_slack = 4e-3;
  double bound_by_pieces(double epsilon, double attained, double slack) const;
  double delta_at(const LeverageSegment& point, double epsilon) const;  // estimated
  bool piece_stays_below(const LeverageSegment& piece, double epsilon, double threshold) const;
  double columns_, features_;
  std::vector<LeverageSegment> edge_;
};

}  // namespace modicum
