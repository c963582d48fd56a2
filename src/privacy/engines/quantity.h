// One number about a privacy loss: a kernel and a shift (numerics/contour.h).
#pragma once

#include <memory>

#include "modicum/privacy/accuracy.h"
#include "modicum/privacy/privacy_loss.h"
#include "numerics/contour.h"
#include "privacy/quantity_value.h"

namespace modicum {

class DiscretizedProfile;

/// The quantity of the kernel for L of this direction, atoms at infinity included:
///   profile       E_X[(1 - exp(shift - L))_+]
///   upper_tail    P_X[L > shift]          lower_tail    P_X[L <= shift]
///   tilted_upper  exp(shift) P_Y[L > shift]
///   tilted_lower  exp(shift) P_Y[L <= shift]   (without the mass of Y where L = -infinity)
/// Only `profile` is available for every loss: see has_tails.
QuantityValue quantity(const DirectedLoss& loss, double shift, Kernel kernel, Accuracy accuracy);

/// The same for many shifts of one loss: what was learned at one is kept for the next. The loss
/// must outlive it.
class QuantitySource {
 public:
  QuantitySource(const DirectedLoss& loss, Accuracy accuracy);
  ~QuantitySource();
  QuantitySource(QuantitySource&&) noexcept;
  QuantityValue at(double shift, Kernel kernel);

 private:
  QuantityValue finite_part(double shift, Kernel kernel);
  QuantityValue of_laws(double shift, Kernel kernel);
  const DirectedLoss& loss_;
  Accuracy accuracy_;
  std::unique_ptr<DiscretizedProfile> discretized_;
};

/// Whether the loss is that of two laws X and Y, and not only a bound in distribution: only then is
/// one direction of a loss known from the other.
bool is_pair(const DirectedLoss& loss);

/// Whether the four tail kernels are available.
bool has_tails(const DirectedLoss& loss);

// The engines. Each takes the shift as a ball: conditioning on an atom moves it by a number that is
// no double.

/// A Gaussian spectrum: closed form for a pure shift, else one contour integral.
/// Proved only if `certified` is asked for.
QuantityValue gaussian_quantity(const GaussianSpectrum& spectrum, const Ball& shift, Kernel kernel,
                                Accuracy accuracy);
/// A proof to some hundredths of a percent, for searches that ask for a bound only.
QuantityValue coarse_gaussian_quantity(const GaussianSpectrum& spectrum, const Ball& shift,
                                       Kernel kernel);

/// Two-point parts: conditioning on the atoms, delta = sum of weight * delta_gaussian(shift -
/// atom). Empty if there are too many atoms.
std::optional<QuantityValue> atomic_quantity(const DirectedLoss& loss, double shift, Kernel kernel,
                                             Accuracy accuracy);
bool atoms_are_few(const DirectedLoss& loss);

/// Laplace and two-point parts alone, not too many of them: residues in closed form.
Ball residue_quantity(const DirectedLoss& loss, const Ball& shift, Kernel kernel);
bool residues_are_few(const DirectedLoss& loss);

/// E[(1 - exp(shift - L))_+] for any finite loss, on a straight line: proven bounds on both sides.
QuantityValue line_profile(const DirectedLoss& loss, double shift, Accuracy accuracy);
/// The same for a loss with parts known by their law. Empty where their moments decay too slowly
/// along the line, or are not to be had to this accuracy; with `automatic` also where a
/// proof takes longer than a third of a second.
std::optional<QuantityValue> line_profile_of_laws(const DirectedLoss& loss, double shift,
                                                  Accuracy accuracy);
/// Whether a proof costs milliseconds rather than a second.
bool line_is_cheap_in_balls(const DirectedLoss& loss, double shift);

/// Largest value of L apart from infinity itself: a ball, or +infinity.
Ball largest_finite_loss(const DirectedLoss& loss);
/// K(x) of the finite part, at a real point of the strip.
QuantityValue log_moment(const DirectedLoss& loss, double x);
/// K'(0): the mean of the finite part.
QuantityValue mean_loss(const DirectedLoss& loss);

}  // namespace modicum
