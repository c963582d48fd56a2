#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "privacy/engines/bent_paths.h"
#include "privacy/engines/chernoff_bounds.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/kept_for.h"
#include "privacy/engines/kept_lines.h"
#include "privacy/engines/laplace_copies.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/part_laws.h"
#include "privacy/engines/proved_path.h"
#include "privacy/engines/quantity.h"
#include "privacy/engines/value_sums.h"
#include "privacy/sampled_laplace/laplace_rays.h"
#include "privacy/spherical/l2_path.h"
#include "privacy/spherical_rays/spherical_ray.h"

namespace modicum {
namespace {

// Which losses an engine is for.

bool any(const Question&) { return true; }
bool in_closed_form(const Question& q) { return q.loss.laws.empty(); }
bool is_gaussian(const Question& q) { return q.loss.is_gaussian(); }
// More of them between the ends fall soon along a line, which knows the profile alone.
bool has_laplace_copies(const Question& q) {
  return is_mostly_at_ends(q.loss) &&
         (q.kernel != Kernel::profile || !line_is_cheap_in_balls(q.loss, q.shift));
}
bool has_few_residues(const Question& q) { return residues_are_few(q.loss); }
bool has_atoms(const Question& q) { return in_closed_form(q) && q.loss.laplaces.empty(); }
bool asks_for_tail(const Question& q) { return q.kernel != Kernel::profile; }
bool wants_bent_path(const Question& q) {
  const bool proof_wanted = q.accuracy == Accuracy::certified ||
                            (q.accuracy == Accuracy::automatic && q.kernel == Kernel::profile);
  return !proof_wanted && !q.discretized && has_bent_paths(q.loss);
}
bool is_no_pair(const Question& q) { return !is_pair(q.loss); }
bool not_discretized(const Question& q) { return !q.discretized; }

bool is_beside_little(const Question& q) {
  return !asks_for_tail(q) && has_negligible_parts(q.loss);
}

// On a straight line the integrand falls the sooner the more steps there are, and rounds less.
bool has_few_steps(const Question& q) {
  constexpr double few_steps = 300.0;
  double steps = 0.0;
  for (const LawPart& part : q.loss.laws) steps += part.count;
  return not_discretized(q) && steps <= few_steps;
}

// More fall fast enough on a straight line.
bool has_few_l2(const Question& q) {
  constexpr double few_copies = 64.0, few_dimensions = 32.0;
  if (asks_for_tail(q) || !are_copies_of_one_law(q.loss)) return false;
  const LawPart& part = q.loss.laws.front();
  const auto noise = part.law->l2_noise();
  return noise && part.count <= few_copies && noise->dimension <= few_dimensions;
}

bool has_few_spherical(const Question& q) {
  return !asks_for_tail(q) && few_spherical(q.loss) != nullptr;
}

// More fall fast enough on a straight line.
bool has_sampled_laplace(const Question& q) {
  constexpr double some_copies = 2000.0;
  if (asks_for_tail(q) || !are_copies_of_one_law(q.loss)) return false;
  const LawPart& part = q.loss.laws.front();
  return part.count <= some_copies && part.law->sampled_laplace().has_value();
}

bool has_sums(const Question& q) { return has_few_sums(q.loss); }

bool is_single_law(const Question& q) { return is_one_law(q.loss); }
bool is_single_profile(const Question& q) { return is_one_law(q.loss) && !asks_for_tail(q); }

// Whether the shift lies beyond every value of a bounded loss with atoms.
bool beyond_all_atoms(const Question& q) {
  if (q.loss.is_gaussian()) return false;
  const bool left = closes_on_the_left(q.kernel);
  if (left && !(q.loss.gaussian.is_trivial() && q.loss.laws.empty())) return false;
  const Ball largest = largest_finite_loss(q.loss);
  if (!largest.finite()) return false;
  return left ? (Ball(q.shift) + largest).surely_negative()
              : (largest - Ball(q.shift)).surely_nonpositive();
}

// Whether a proof is cheap.

// A spectrum that is itself an estimate gains nothing from balls.
bool few_components(const Question& q) {
  constexpr std::size_t most_components_in_balls = 64;
  return q.loss.gaussian.components().size() <= most_components_in_balls &&
         q.loss.gaussian.proof() == Proof::certified;
}
bool line_is_short(const Question& q) {
  return few_components(q) && line_is_cheap_in_balls(q.loss, q.shift);
}
bool laws_take(const Question& q, double seconds) {
  return std::ranges::all_of(q.loss.laws, [&](const LawPart& part) {
    return part.law->cost(Accuracy::certified) < seconds;
  });
}
bool law_is_quick(const Question& q) { return laws_take(q, 0.02); }
bool lattice_is_cheap(const Question& q) {
  return lattice_accuracy(q.loss, Accuracy::automatic) == Accuracy::certified;
}

bool few_copies(const Question& q) {
  return std::ranges::all_of(q.loss.laws, [&](const LawPart& part) {
    const bool quick = part.law->bin_cost(0.0) < 1e-5 || q.accuracy == Accuracy::fast;
    return quick && part.count <= 8.0 && !part.law->falls_soon();
  });
}

// How each evaluates.

using Value = std::optional<QuantityValue>;

Accuracy either(bool proved) { return proved ? Accuracy::certified : Accuracy::fast; }

Value zero(const Question& q, bool) { return QuantityValue{Ball(0.0), q.loss.gaussian.proof()}; }

Value contour(const Question& q, bool proved) {
  return gaussian_quantity(q.loss.gaussian, Ball(q.shift), q.kernel, either(proved));
}

Value laplace_copies(const Question& q, bool) {
  const auto value = laplace_copies_quantity(q.loss, q.shift, q.kernel);
  if (!value || !(relative_width(*value) < 1e-9)) return std::nullopt;
  return QuantityValue{*value};
}

Value residues(const Question& q, bool) {
  return QuantityValue{residue_quantity(q.loss, Ball(q.shift), q.kernel)};
}

Value atoms(const Question& q, bool proved) {
  return atomic_quantity(q.loss, q.shift, q.kernel, either(proved));
}

Value profile_of_law(const Question& q, bool proved) {
  return q.loss.laws.front().law->profile(q.shift, either(proved));
}

Value sums_of_values(const Question& q, bool) {
  return QuantityValue{kept_for<ValueSums>(q.loss).at(q.shift, q.kernel)};
}

Value l2_rays(const Question& q, bool) {
  auto& paths = kept_for<KeptLines<L2Path>>(q.loss);
  if (auto value = paths.known(q.shift)) return QuantityValue{*value};
  const LawPart& part = q.loss.laws.front();
  auto path = L2Path::make(*part.law->l2_noise(), part.count, q.shift);
  if (!path || !(path->width() < 1e-9)) return std::nullopt;
  return QuantityValue{paths.add(*std::move(path))};
}

// Rays of one loss. Where none was found, none is looked for at smaller shifts, which need longer
// ones; after some failures at none.
class SphericalRays {
 public:
  explicit SphericalRays(const DirectedLoss& loss) : rays_(loss, sharp_enough) {}
  const DirectedLoss& loss() const { return rays_.loss(); }
  std::optional<Ball> at(double shift) {
    // Both directions have the same law.
    if (shift < 0.0) {
      const auto opposite = at(-shift);
      if (!opposite) return std::nullopt;
      return Ball(1.0) - exp(Ball(shift)) * (Ball(1.0) - *opposite);
    }
    if (auto value = rays_.known(shift)) return value;
    if (!(shift > in_vain_) || failures_ == most_failures) return std::nullopt;
    const LawPart& part = loss().laws.front();
    auto ray = SphericalRay::make(*few_spherical(loss()), part.count, shift);
    if (ray && ray->width() < widest) return rays_.add(*std::move(ray));
    in_vain_ = shift;
    ++failures_;
    return std::nullopt;
  }

 private:
  static constexpr double sharp_enough = 1e-9, widest = 1e-5;
  static constexpr int most_failures = 2;
  KeptLines<SphericalRay> rays_;
  double in_vain_ = 0.0;
  int failures_ = 0;
};

Value spherical_rays(const Question& q, bool) {
  const auto value = kept_for<SphericalRays>(q.loss).at(q.shift);
  if (!value) return std::nullopt;
  return QuantityValue{*value};
}

Value laplace_rays(const Question& q, bool) {
  auto& paths = kept_for<KeptLines<LaplaceRays>>(q.loss);
  if (auto value = paths.known(q.shift)) return QuantityValue{*value};
  const LawPart& part = q.loss.laws.front();
  auto path = LaplaceRays::make(*part.law->sampled_laplace(), part.count, q.shift);
  if (!path || !(path->width() < 1e-9)) return std::nullopt;
  return QuantityValue{paths.add(*std::move(path))};
}

Value beside_little(const Question& q, bool) {
  return beside_negligible_parts(q.loss, q.shift, q.accuracy);
}

Value tails_of_law(const Question& q, bool proved) {
  const LossTails tails = q.loss.laws.front().law->tails(q.shift, either(proved));
  const Ball value = tails.quantity(q.kernel, exp(Ball(q.shift)));
  return QuantityValue{q.kernel == Kernel::profile ? max(value, Ball(0.0)) : value, tails.proof};
}

Value bent_path(const Question& q, bool) {
  return kept_for<BentPaths>(q.loss).at(q.shift, q.kernel);
}

// Nothing is known of this tail; whoever asks sees it from the width.
Value unknown_tail(const Question& q, bool) {
  const Ball largest = has_pole_at_zero(q.kernel) ? Ball(1.0) : exp(Ball(q.shift));
  return QuantityValue{Ball::between(0.0, 1.0) * largest};
}

Value line(const Question& q, bool proved) { return line_profile(q.loss, q.shift, either(proved)); }

// So small that a bound is as good as the value, which would take many digits of a deep tail.
Value negligible(const Question& q, bool) {
  const auto saddle = find_saddle(LossMoment(q.loss), q.shift, Kernel::profile);
  if (!saddle || !(saddle->point > 0.0)) return std::nullopt;
  const QuantityValue bound = profile_bound(q.loss, saddle->point, q.shift);
  if (!(bound.value.upper() < 1e-60)) return std::nullopt;
  return QuantityValue{Ball::between(0.0, bound.value.upper()), bound.proof};
}

Value proved_path(const Question& q, bool) {
  return kept_for<ProvedPaths>(q.loss).at(q.shift, q.accuracy);
}

Value bent_line(const Question& q, bool) { return objective_profile(q.loss, q.shift); }

// Its own limit of time depends on what was asked for.
Value line_of_laws(const Question& q, bool proved) {
  // A lattice of many points proves what a line can only estimate; of few copies in less time.
  if (all_sort(q.loss) && (few_copies(q) || (!proved && q.accuracy == Accuracy::automatic)))
    return std::nullopt;
  if (!proved && has_bent_paths(q.loss))
    if (auto estimate = bent_path(q, false)) return estimate;
  // Sums of objective perturbations: the proof takes a third of the time of the estimate.
  if (!proved && is_no_pair(q))
    if (auto proof = line_profile_of_laws(q.loss, q.shift, Accuracy::certified)) return proof;
  // Where no proof was found on the line, one on a lattice is worth more than an estimate.
  if (!proved && q.accuracy == Accuracy::automatic && lattice_is_cheap(q)) return std::nullopt;
  if (auto value = line_profile_of_laws(q.loss, q.shift, proved ? q.accuracy : Accuracy::fast))
    return value;
  return proved ? proved_path(q, true) : std::nullopt;
}

// At least what all parts at their largest losses make of the profile: next to the end of the range
// that is nearly all of it.
Ball of_largest_losses(const Question& q) {
  const PrecisionScope scope(128);
  Ball loss, mass = 1.0;
  for (const LawPart& part : laws_of(q.loss)) {
    const auto largest = part.law->largest_value();
    if (!largest) return 0.0;
    loss += largest->loss * Ball(part.count);
    mass *= exp(log(largest->mass) * Ball(part.count));
  }
  return max(mass * -expm1(Ball(q.shift) - loss), Ball(0.0));
}

// What of both is left; the first where they contradict each other, as an estimate may a proof.
Ball common(const Ball& value, const Ball& bounds) {
  const double least = std::max(value.lower(), bounds.lower());
  const double most = std::min(value.upper(), bounds.upper());
  return least <= most ? Ball::between(least, most) : value;
}

Value discretized(const Question& q, bool proved) {
  if (!q.discretized) q.discretized = std::make_unique<DiscretizedProfile>(q.loss, either(proved));
  QuantityValue found = q.discretized->at(q.shift);
  const Ball most = min(-expm1(Ball(q.shift) - largest_finite_loss(q.loss)), Ball(1.0));
  found.value = common(found.value, hull(of_largest_losses(q), most));
  // Left of nearly all of the loss, or far out, where the lattice has no points.
  constexpr double hardly_known = 1e-3;
  if (!(relative_width(found.value) < hardly_known))
    found = {common(found.value, chernoff_bounds(q.loss, LossMoment(q.loss), q.shift)),
             weaker_of(found.proof, q.loss.gaussian.proof())};
  return found;
}

// From the line on there is only the profile, and after it only losses with a part that is known by
// its law alone.
constexpr std::array table{
    Engine{"beyond the range", beyond_all_atoms, any, Proves::always, zero},
    Engine{"contour", is_gaussian, few_components, Proves::where_asked, contour},
    Engine{"copies of Laplace noise", has_laplace_copies, any, Proves::always, laplace_copies},
    Engine{"residues", has_few_residues, any, Proves::always, residues},
    Engine{"atoms", has_atoms, few_components, Proves::where_asked, atoms},
    Engine{"profile of a law", is_single_profile, any, Proves::where_asked, profile_of_law},
    Engine{"tails of a law", is_single_law, law_is_quick, Proves::where_asked, tails_of_law},
    Engine{"sums of values", has_sums, any, Proves::always, sums_of_values},
    Engine{"rays of l2 noise", has_few_l2, any, Proves::always, l2_rays},
    Engine{"rays of spherical noise", has_few_spherical, any, Proves::always, spherical_rays},
    Engine{"rays of sampled Laplace noise", has_sampled_laplace, any, Proves::always, laplace_rays},
    Engine{"beside little", is_beside_little, any, Proves::always, beside_little},
    Engine{"bent path", wants_bent_path, any, Proves::where_asked, bent_path},
    Engine{"unknown tail", asks_for_tail, any, Proves::always, unknown_tail},
    Engine{"line", in_closed_form, line_is_short, Proves::where_asked, line},
    Engine{"negligible", is_no_pair, any, Proves::always, negligible},
    Engine{"bent line", not_discretized, any, Proves::always, bent_line},
    Engine{"proved path", has_few_steps, any, Proves::always, proved_path},
    Engine{"line of laws", not_discretized, any, Proves::where_asked, line_of_laws},
    Engine{"discretized", any, lattice_is_cheap, Proves::where_asked, discretized},
};

// With `automatic` a proof that is cheap, else the estimate.
Value ask(const Engine& engine, const Question& q) {
  const bool automatic = q.accuracy == Accuracy::automatic;
  const bool proved = automatic ? engine.proof_is_cheap(q) : q.accuracy == Accuracy::certified;
  if (auto value = engine.evaluate(q, proved)) return value;
  if (automatic && proved && engine.proves == Proves::where_asked) return engine.evaluate(q, false);
  return std::nullopt;
}

}  // namespace

std::span<const Engine> engines() { return table; }

EngineAnswer answer(const Question& question) {
  for (const Engine& engine : table)
    if (engine.applies(question))
      if (auto value = ask(engine, question)) return {engine.name, *std::move(value)};
  throw std::logic_error("the last engine always has an answer");
}

bool are_copies_of_one_law(const DirectedLoss& loss) {
  return loss.laws.size() == 1 && loss.gaussian.is_trivial() && loss.two_points.empty() &&
         loss.laplaces.empty();
}

const SphericalPair* few_spherical(const DirectedLoss& loss) {
  constexpr double few_copies = 32.0, few_dimensions = 64.0;
  if (!are_copies_of_one_law(loss)) return nullptr;
  const LawPart& part = loss.laws.front();
  const SphericalPair* noise = part.law->spherical_noise();
  const bool few = noise != nullptr && part.count > 1.0 && part.count <= few_copies &&
                   std::floor(part.count) == part.count && noise->dimension <= few_dimensions;
  return few ? noise : nullptr;
}

bool is_one_law(const DirectedLoss& loss) {
  return are_copies_of_one_law(loss) && loss.laws.front().count == 1.0;
}

bool has_tails(const DirectedLoss& loss) {
  if (is_mostly_at_ends(loss) || residues_are_few(loss)) return true;
  if (!loss.laws.empty()) return is_one_law(loss) || has_bent_paths(loss) || has_few_sums(loss);
  return loss.is_gaussian() || atoms_are_few(loss);
}

}  // namespace modicum
