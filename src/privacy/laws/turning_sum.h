// Sums of weight * e^{iy loss} for many heights y, with a proof: a quadrature rule of a moment
// along a vertical line (docs/derivations/bent-path.md).
#pragma once

#include <vector>

#include "numerics/ball.h"

namespace modicum {

/// For equal steps of y each node is turned by one multiplication in extended precision, whose
/// rounding is bounded as it goes. What is turned is e^{iyl} - 1, so that the error is relative to
/// |yl| and a power of the sum loses few digits.
class TurningSum {
 public:
  TurningSum() = default;
  /// Weights are not negative.
  TurningSum(const std::vector<Ball>& losses, const std::vector<Ball>& weights);
  bool empty() const { return losses_.empty(); }
  /// Of all weights: the sum at y = 0.
  const Ball& total() const { return total_; }
  ComplexBall at(const Ball& y);

 private:
  struct Turn {
    long double real, imaginary;  // of e^{iyl} - 1
  };
  // Each turn is wrong by at most `in_units` times the size of its loss, plus `absolute`.
  struct Turns {
    std::vector<Turn> values;
    double in_units = 0.0, absolute = 0.0;
  };
  Turns turns_at(const Ball& y) const;
  static void turn(Turns& turns, const Turns& by, double height);
  void advance(const Ball& y, const Ball& step);
  ComplexBall sum(double height) const;

  double middle_ = 0.0;  // losses are relative to this
  std::vector<Ball> losses_;
  std::vector<long double> weights_;  // divided by scale_
  Ball total_;
  Ball scale_ = 1.0;
  double spread_ = 0.0;        // bounds the sum of weight * |loss|
  double weight_error_ = 0.0;  // bounds the sum of the errors of the weights, times |loss|
  double mass_ = 0.0;          // bounds the sum of the weights
  // Those at the last height; from one step to the next; at the last of every 64 heights, from
  // which the next ones start; and from one of these to the next.
  Turns turns_, step_turns_, anchors_, long_step_turns_;
  Ball last_, step_;
  int turned_ = 0;  // since the last anchor
};

}  // namespace modicum
