// The second engine: any sum of independent losses, bounded from both sides by sums on a lattice
// (docs/derivations/discretized.md).
#pragma once

#include <optional>
#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "numerics/lattice_sum.h"
#include "privacy/engines/loss_partition.h"
#include "privacy/quantity_value.h"

namespace modicum {

/// The profile of a finite loss at any shift. What was learned at one shift is kept for the next:
/// close shifts cost little.
class DiscretizedProfile {
 public:
  DiscretizedProfile(const DirectedLoss& loss, Accuracy accuracy);
  /// E[(1 - exp(shift - L))_+] from below and from above.
  QuantityValue at(double shift);

 private:
  /// One of the two bounds: tilted by exp(tilt * L), summed, wrapped around the lattice. The points
  /// in use start at the first of the window and end well before its last.
  struct Bound {
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
  void settle(double shift);
  void prepare(double shift);
  Bound sum_up(double shift, bool dominating) const;
  Ball weigh(const Bound& bound, double shift, bool upwards) const;

  void start_over();

  std::vector<LawPart> laws_;
  std::vector<LossPartition> parts_;
  Accuracy accuracy_;
  std::vector<double> costs_;
  double tilt_ = 0.0, step_ = 0.0, prepared_at_ = 0.0;
  std::optional<Bound> lower_, upper_;
};

}  // namespace modicum
