// The engines that compute quantities of a loss, and the table that says which is asked first.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "modicum/privacy/accuracy.h"
#include "modicum/privacy/privacy_loss.h"
#include "numerics/contour.h"
#include "privacy/quantity_value.h"

namespace modicum {

class DiscretizedProfile;

/// The quantity of the kernel at this shift, of a loss that is finite.
struct Question {
  const DirectedLoss& loss;
  double shift;
  Kernel kernel;
  Accuracy accuracy;
  /// Once the loss has been discretized this is kept for other shifts, and asked first.
  std::unique_ptr<DiscretizedProfile>& discretized;
};

/// Whether an answer is proved, as far as the loss itself is.
enum class Proves { always, where_asked };

struct Engine {
  std::string_view name;
  bool (*applies)(const Question&);
  /// The cost: whether a proof takes milliseconds, so that `automatic` asks for one.
  bool (*proof_is_cheap)(const Question&);
  Proves proves;
  /// Empty where the engine fails: then the next is asked.
  std::optional<QuantityValue> (*evaluate)(const Question&, bool proved);
};

/// In the order in which they are asked.
std::span<const Engine> engines();

struct EngineAnswer {
  std::string_view engine;
  QuantityValue value;
};
/// Of the first engine that applies and has an answer. There always is one.
EngineAnswer answer(const Question& question);

// What the table chooses from. Some take the shift as a ball: conditioning on an atom moves it by a
// number that is no double.

/// A Gaussian spectrum: closed form for a pure shift, else one contour integral. Proved only if
/// `certified` is asked for; to some hundredths of a percent with few digits, for searches that ask
/// for a bound only.
enum class Digits { all, few };
QuantityValue gaussian_quantity(const GaussianSpectrum& spectrum, const Ball& shift, Kernel kernel,
                                Accuracy accuracy, Digits digits = Digits::all);

/// Two-point parts: conditioning on the atoms, delta = sum of weight * delta_gaussian(shift -
/// atom). Empty if there are too many atoms.
std::optional<QuantityValue> atomic_quantity(const DirectedLoss& loss, double shift, Kernel kernel,
                                             Accuracy accuracy);
bool atoms_are_few(const DirectedLoss& loss);

/// Laplace, two-point and bounded-range parts alone, not too many of them: residues in closed form.
Ball residue_quantity(const DirectedLoss& loss, const Ball& shift, Kernel kernel);
bool residues_are_few(const DirectedLoss& loss);

/// E[(1 - exp(shift - L))_+] for any finite loss, on a straight line: proven bounds on both sides.
QuantityValue line_profile(const DirectedLoss& loss, double shift, Accuracy accuracy);
/// Whether a proof costs milliseconds rather than a second.
bool line_is_cheap_in_balls(const DirectedLoss& loss, double shift);
/// The same for a loss with parts known by their law. Empty where their moments decay too slowly
/// along the line, or are not to be had to this accuracy; with `automatic`, which asks for a cheap
/// proof, also where that takes longer than a third of a second.
std::optional<QuantityValue> line_profile_of_laws(const DirectedLoss& loss, double shift,
                                                  Accuracy accuracy);

/// Laws beside parts in closed form whose losses are so small that they hardly count: from the laws
/// alone. Empty where they count.
std::optional<QuantityValue> beside_negligible_parts(const DirectedLoss& loss, double shift,
                                                     Accuracy accuracy);
bool has_negligible_parts(const DirectedLoss& loss);

/// The profile of a sum of laws of objective perturbation and nothing else, with a proof; empty for
/// other losses, for more than 64 copies, whose moment decays along a straight line, and where the
/// integral is not to be had.
std::optional<QuantityValue> objective_profile(const DirectedLoss& loss, double shift);

}  // namespace modicum
