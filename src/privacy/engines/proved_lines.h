// The profile of a loss with parts known by their law, with a proof: the integrand at the nodes of
// a straight line, which serves a range of shifts (docs/derivations/bent-path.md).
#pragma once

#include <optional>
#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "privacy/engines/kept_lines.h"
#include "privacy/engines/line_plan.h"
#include "privacy/quantity_value.h"

namespace modicum {

/// e^{K(z)} / (z (z + 1)) at the nodes of one line, less a factor.
class ProvedLine {
 public:
  ProvedLine(LinePlan plan, const LossMoment& moment, double shift);
  double home() const { return home_; }
  Ball at(double shift) const { return shift == home_ ? at_home_ : integral(shift); }
  double width() const { return width_; }
  std::size_t size() const { return values_.size(); }

 private:
  Ball integral(double shift) const;
  LinePlan plan_;
  double home_, width_;
  Ball at_home_;
  Ball log_scale_;
  std::vector<ComplexBall> values_;
};

/// The lines of one loss: each is made where the last ones do not reach.
class ProvedLines {
 public:
  explicit ProvedLines(const DirectedLoss& loss);
  const DirectedLoss& loss() const { return lines_.loss(); }
  /// Empty where the moments decay too slowly, or no proof is on offer.
  std::optional<QuantityValue> at(double shift, Accuracy accuracy);

 private:
  KeptLines<ProvedLine> lines_;
  bool provable_;
};

/// What may be left of the integrand when the nodes run out: 1e-8 of the whole.
inline constexpr double slow_decay = 28.0;

}  // namespace modicum
