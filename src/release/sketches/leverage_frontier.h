// Of many pairs of neighbors those that may have the largest delta.
#pragma once

#include <vector>

#include "modicum/release/inherent.h"

namespace modicum {

/// Pairs that no other one dominates. In the coordinates a = tau_row - 1, b = tau_other - 1 and
/// w = m^2 / columns = b (b - a) / (1 + b), a pair is dominated by one with the same sign of a if
/// |a'| >= |a|, b' >= b and w'/|a'| >= w/|a|: y -> c y + noise with c^2 = a/a' <= 1 takes
/// (m', a') to (c m', a) with c m' >= m, and the other directions (0, b') to (0, b)
/// (docs/derivations/least-squares.md). For one feature there are no other directions.
class LeverageFrontier {
 public:
  explicit LeverageFrontier(double features) : has_others_(features > 1.0) {}

  /// q = row + residual < 1.
  void add(const LeveragePair& pair);
  void add(const LeverageFrontier& other);
  std::vector<LeveragePair> pairs() const;

 private:
  struct Point {
    LeveragePair pair;
    int sign;         // of a
    double row;       // |a|
    double other;     // b
    double mean_per;  // w / |a|; infinite for a = 0
  };
  static Point point_of(const LeveragePair& pair);
  bool dominates(const Point& larger, const Point& smaller) const;
  void add(const Point& point);

  bool has_others_;
  std::vector<Point> points_;  // those that dominated lately come first
};

}  // namespace modicum
