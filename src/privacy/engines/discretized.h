// The second engine: any sum of independent losses, bounded from both sides by sums on a lattice
// (docs/derivations/discretized.md).
#pragma once

#include <optional>
#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "numerics/lattice_sum.h"
#include "privacy/engines/loss_partition.h"
#include "privacy/engines/quantity.h"
#include "privacy/quantity_value.h"

namespace modicum {

/// What a lattice is made with: with `automatic` a proof if the tails of every part are quick
/// enough for thousands of cuts.
Accuracy lattice_accuracy(const DirectedLoss& loss, Accuracy accuracy);

/// Whether every part sorts its outcomes into bins, so that a lattice of many points costs little.
bool all_sort(const DirectedLoss& loss);

/// The profile of a finite loss at any shift. What was learned at one shift is kept for the next:
/// close shifts cost little.
class DiscretizedProfile {
 public:
  DiscretizedProfile(const DirectedLoss& loss, Accuracy accuracy);
  /// E[(1 - exp(shift - L))_+] from below and from above; of a loss that is itself an upper bound
  /// only from above.
  QuantityValue at(double shift);
  /// The same for many shifts in any order, where a few digits will do: sums made for one shift
  /// serve every other at which they leave no more than this width. Where a new one is needed the
  /// answer may be wider.
  QuantityValue roughly(double shift, double width);
  /// About the shift at which the profile is this.
  EpsilonGuess epsilon_guess(double delta);

 private:
  /// One of the two bounds: tilted by exp(tilt * L), summed, wrapped around the lattice. The points
  /// in use start at the first of the window and end well before its last.
  struct Bound {
    double tilt, step;
    WrappedSum sum;
    std::size_t used;       // points of the window that are read
    Ball log_scale;         // log of what the tilting divided by
    double total;           // bound on the whole tilted mass
    double above_used;      // bound on the tilted mass beyond the points in use
    double wrapped_around;  // bound on the tilted mass that wrapping brings to the points in use
    Ball infinite;
  };
  LossPartition::Moment moment(double tilt) const;
  double saddle(double shift) const;
  double finest_width(double tilt) const;
  static long rough_cuts(const LossPartition& part, long added);
  void settle(double shift);
  void prepare(double shift);
  Bound sum_up(double shift, bool dominating) const;
  /// At a shift; the width is relative, and of an upper bound alone the share that is not mass seen
  /// on the lattice, but rounding and what lies beyond.
  struct Weighed {
    Ball value;
    double width;
  };
  static Weighed weigh(const Bound& bound, double shift, bool upwards);
  struct BothBounds {
    std::optional<Bound> lower;
    Bound upper;
    bool reach(double shift) const;
    Weighed at(double shift) const;
  };
  bool serves(double shift, double width) const;
  Proof proof() const;

  void start_over();

  std::vector<LawPart> laws_;
  std::vector<LossPartition> parts_;
  Accuracy accuracy_;
  bool only_above_;
  bool rough_ = false;
  bool negligible_ = false;  // at the shift prepared for: Chernoff's bound is the answer
  std::vector<double> costs_;
  double tilt_ = 0.0, step_ = 0.0, prepared_at_ = 0.0;
  double width_ = infinity;  // at the shift prepared for
  std::optional<BothBounds> bounds_;
  std::vector<BothBounds> kept_;  // for answers with a few digits
};

}  // namespace modicum
