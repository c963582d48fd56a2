// K of a whole loss, atoms included: for saddle points and straight lines; and what else is the sum
// of a number a part.
#pragma once

#include <memory>
#include <vector>

#include "privacy/gaussian/gaussian_moment.h"
#include "privacy/laws/atomic_moment.h"
#include "privacy/laws/law_moment.h"

namespace modicum {

class LossMoment final : public LogMoment {
 public:
  /// `level` refines the quadrature of parts that need it (law_moment.h).
  explicit LossMoment(const DirectedLoss& loss, int level = 0);
  double lower_end() const override { return lower_end_; }
  double upper_end() const override { return upper_end_; }
  Jet jet(long double x) const override;
  // Atoms allow no bent path, so there is nothing to expand.
  std::unique_ptr<Expansion> expand(double) const override { return nullptr; }
  std::unique_ptr<BallExpansion> expand_ball(double) const override { return nullptr; }

  const GaussianMoment& gaussian() const { return gaussian_; }
  const std::vector<std::unique_ptr<AtomicMoment>>& atomic() const { return atomic_; }

 private:
  GaussianMoment gaussian_;
  double lower_end_, upper_end_;
  std::vector<std::unique_ptr<AtomicMoment>> atomic_;
};

/// K(x) of the finite part, at a real point of the strip.
QuantityValue log_moment(const DirectedLoss& loss, double x);
/// An upper bound of E[(1 - exp(shift - L))_+] for every x > 0 in the strip: with y = L - shift,
/// (1 - e^{-y})_+ <= e^{xy} x^x / (1+x)^{1+x}.
QuantityValue profile_bound(const DirectedLoss& loss, double x, double shift);
/// An upper bound of 1 less that, E[min(1, exp(shift - L))], for every x of [0, 1]: min(1, e^{-y})
/// is at most e^{-xy}.
QuantityValue missing_bound(const DirectedLoss& loss, double x, double shift);
/// K'(0): the mean of the finite part.
QuantityValue mean_loss(const DirectedLoss& loss);
/// Largest value of L apart from infinity itself: a ball, or +infinity.
Ball largest_finite_loss(const DirectedLoss& loss);

}  // namespace modicum
