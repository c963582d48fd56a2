// The loss of objective perturbation where curvature is tied to slope
// (docs/derivations/objective-perturbation.md): with p = |f'| as a share of its largest value and
// k(p) = f'' as a share of its own,
//
//   U(N) = max over p in [0, 1] of log(1 + b k(p)) + p^2 a^2/2 + p a N,      N standard normal.
#pragma once

#include <memory>
#include <vector>

#include "modicum/numerics/precise.h"
#include "numerics/ball.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// k(p) = 4 p (1 - p), and 1 - p^2.
enum class SlopeTie { logistic, log_cosh };

/// U as a function of N: convex, constant up to `start`, a^2/2 + a N from `end` on, bounded by
/// chords between.
class TiedLoss {
 public:
  /// b >= 0, a > 0.
  TiedLoss(SlopeTie tie, double b, double a);
  double start() const { return start_; }  ///< not above where U begins to grow
  double end() const { return end_; }      ///< not below where U is a^2/2 + a N
  /// U up to `start`.
  double least() const;
  /// At least U(n), by little: a share of 1e-9 of how far U rises between start and end.
  double at(double n) const;
  /// The ends of so many chords, `start` and `end` among them, and 0 where it lies between.
  std::vector<double> places(int chords) const;

 private:
  double curved(double p) const;             // log(1 + b k(p))
  double bending(double p, double q) const;  // at least -curved'' between them

  SlopeTie tie_;
  double b_, a_, start_, end_;
};

/// b = smoothness / regularization. Bounds the law of U, exactly so beyond the end of the chords.
std::shared_ptr<const LossLaw> tied_law(SlopeTie tie, const Ball& b, const Precise& a);

}  // namespace modicum
