// One number about a privacy loss: a kernel and a shift (numerics/contour.h).
#pragma once

#include "privacy/engines/engine.h"

namespace modicum {

/// The quantity of the kernel for L of this direction, atoms at infinity included:
///   profile       E_X[(1 - exp(shift - L))_+]
///   upper_tail    P_X[L > shift]          lower_tail    P_X[L <= shift]
///   tilted_upper  exp(shift) P_Y[L > shift]
///   tilted_lower  exp(shift) P_Y[L <= shift]   (without the mass of Y where L = -infinity)
/// Only `profile` is available for every loss: see has_tails.
QuantityValue quantity(const DirectedLoss& loss, double shift, Kernel kernel, Accuracy accuracy);

/// About the epsilon at which a profile has a given value, and how fast its logarithm falls there;
/// not above 0 or not finite where nothing is known beforehand.
struct EpsilonGuess {
  double epsilon = -1.0, slope = 1.0;
};

/// The same for many shifts of one loss: what was learned at one is kept for the next. The loss
/// must outlive it.
class QuantitySource {
 public:
  QuantitySource(const DirectedLoss& loss, Accuracy accuracy);
  ~QuantitySource();
  QuantitySource(QuantitySource&&) noexcept;
  QuantityValue at(double shift, Kernel kernel);
  /// The profile where a few digits will do: about this width, and quicker where that takes a
  /// lattice.
  QuantityValue roughly(double shift, double width);
  /// Whether answers so far were sums on a lattice, which know few digits.
  bool has_lattice() const { return discretized_ != nullptr; }
  /// For a start.
  EpsilonGuess epsilon_guess(double delta);

 private:
  QuantityValue with_infinity(QuantityValue finite, bool includes_infinity) const;
  const DirectedLoss& loss_;
  Accuracy accuracy_;
  std::unique_ptr<DiscretizedProfile> discretized_, rough_;
};

struct SphericalPair;

/// Whether the loss is that of two laws X and Y, and not only a bound in distribution: only then is
/// one direction of a loss known from the other.
bool is_pair(const DirectedLoss& loss);

/// Whether the four tail kernels are available.
bool has_tails(const DirectedLoss& loss);
/// One law, once, and nothing else.
bool is_one_law(const DirectedLoss& loss);
/// The same with any count.
bool are_copies_of_one_law(const DirectedLoss& loss);
/// The noise of a few of them, more than one, with rays of their own; else none.
const SphericalPair* few_spherical(const DirectedLoss& loss);

}  // namespace modicum
