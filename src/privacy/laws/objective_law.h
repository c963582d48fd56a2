// Losses that bound those of objective perturbation in distribution
// (docs/derivations/objective-perturbation.md). No pairs: E[exp(-U)] is below 1.
#pragma once

#include <memory>

#include "modicum/numerics/precise.h"
#include "numerics/ball.h"
#include "privacy/laws/loss_law.h"
#include "privacy/laws/normal_pieces.h"

namespace modicum {

/// What both have in common: bounded from below, and a moment that allows the line of integration
/// to be bent to the right.
class ObjectiveLaw : public LossLaw {
 public:
  bool is_pair() const override { return false; }
  virtual const Ball& least() const = 0;  ///< U
  /// One piece, from `least` on.
  virtual NormalPieces pieces() const = 0;
  /// E[exp(z (U - least))].
  virtual ComplexBall moment_above(const ComplexBall& z) const = 0;
  /// At least |moment_above(c + r e^{i pi/3})| for every r >= reach, where reach >= c + 1/2.
  virtual Ball sector_bound(const Ball& c, const Ball& reach) const = 0;
};

/// U = offset + (a^2/2 + a N)_+ with N standard normal; offset >= 0, a > 0.
std::shared_ptr<const LossLaw> cut_normal_law(const Ball& offset, const Precise& a);

/// U = offset + a^2/2 + a |N|.
std::shared_ptr<const LossLaw> folded_normal_law(const Ball& offset, const Precise& a);

}  // namespace modicum
