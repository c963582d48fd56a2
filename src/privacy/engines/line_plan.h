// The straight line Re z = c: its nodes, and what they leave out (docs/derivations/atoms.md).
#pragma once

#include <optional>

#include "modicum/privacy/accuracy.h"
#include "privacy/engines/loss_moment.h"

namespace modicum {

struct Line {
  double center, step;
  long nodes;
};

/// The trapezium rule with step h sums D(s + 2 pi j/h) e^{2 pi j c/h} over all j: what it adds to
/// j = 0 is positive and at most two geometric series, that on the right by Chernoff's bound at
/// `further`. They are chosen in doubles and then proved.
struct Aliasing {
  double step, further;
};
std::optional<Aliasing> choose_step(const LossMoment& moment, const Saddle& saddle, double shift);

/// |integrand| at all heights from this on, but for the shift and a factor 1/y^2: its logarithm.
Ball log_far(const LossMoment& moment, const BallExpansion& gaussian, double center, double height);

class LinePlan {
 public:
  /// Empty if there is no saddle point or step, or if the integrand has not become negligible after
  /// the nodes allowed: exp(-46) of the whole, times exp(tolerated).
  static std::optional<LinePlan> make(const DirectedLoss& loss, const LossMoment& moment,
                                      double shift, Accuracy accuracy, double tolerated);
  const Line& line() const { return line_; }
  const Saddle& saddle() const { return saddle_; }
  /// What the nodes leave out of the profile at any shift: aliasing, and all above the last.
  Ball error(double shift) const;

 private:
  Line line_{};
  Saddle saddle_{};
  double further_ = 0.0;
  Ball log_remainder_, log_chernoff_;  // without the shift
};

/// About a tenth of a second in doubles and one second in balls, for parts in closed form.
long most_nodes(const DirectedLoss& loss, Accuracy accuracy);

}  // namespace modicum
