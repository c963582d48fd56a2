// Smallest epsilon for a delta: a search in doubles, then bounds proved on both sides of it.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

#include "modicum/numerics/bracketing.h"
#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/bent_paths.h"
#include "privacy/engines/laplace_copies.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/quantity.h"
#include "privacy/profile_source.h"

namespace modicum {
namespace {

[[noreturn]] void unreachable(double delta, const char* why) {
  throw TargetUnreachable(fmt::format("delta = {} cannot be reached: {}", delta, why));
}

Answer pure_epsilon(const PrivacyLoss& loss) {
  const auto largest = [](const DirectedLoss& directed) {
    if (directed.mutually_singular || !directed.infinite_mass.is_exactly(0.0))
      unreachable(0.0, "the loss is infinite with positive probability");
    const Ball value = largest_finite_loss(directed);
    if (!value.finite()) unreachable(0.0, "the loss is unbounded");
    return value.enclosure().within(0.0, std::numeric_limits<double>::max());
  };
  return {larger_of(largest(loss.forward()), largest(loss.reverse())),
          weaker_of(loss.forward().gaussian.proof(), loss.reverse().gaussian.proof())};
}

// Beyond every finite loss delta is the probability of an infinite one: an epsilon that suffices if
// that surely does, else infinite.
double largest_needed(const PrivacyLoss& loss, double delta) {
  const PrecisionScope scope(160);
  double largest = 0.0;
  for (const DirectedLoss* directed : {&loss.forward(), &loss.reverse()}) {
    const bool enough = (to_ball(directed->infinite_mass) - Ball(delta)).surely_nonpositive();
    const double own = enough ? largest_finite_loss(*directed).upper() : infinity;
    if (!(own <= largest)) largest = std::isnan(own) ? infinity : own;
  }
  return largest;
}

// delta is never below the probability of an infinite loss.
void require_reachable(const DirectedLoss& loss, double delta) {
  const PrecisionScope scope(160);
  if (loss.mutually_singular && delta < 1.0)
    unreachable(delta, "the two distributions are mutually singular");
  if ((to_ball(loss.infinite_mass) - Ball(delta)).surely_positive())
    unreachable(delta, "the loss is infinite with a larger probability");
}

// log delta(epsilon) - log target, of the larger direction, in doubles. Works below 1e-308 too.
class LogExcess {
 public:
  LogExcess(QuantitySource& forward, QuantitySource& reverse, bool symmetric, double delta)
      : forward_(forward), reverse_(reverse), symmetric_(symmetric), log_delta_(std::log(delta)) {}
  double operator()(double epsilon) {
    const double forward = skipped_ == &forward_ ? lowest : log_of(forward_, epsilon);
    const double reverse = symmetric_              ? forward
                           : skipped_ == &reverse_ ? lowest
                                                   : log_of(reverse_, epsilon);
    last_ = forward < reverse ? &forward_ : &reverse_;
    return std::max(forward, reverse) - log_delta_;
  }
  /// From here on only this direction is asked.
  void watch(bool forward) { skipped_ = forward ? &reverse_ : &forward_; }
  /// From here on only the direction that was the larger at both ends of the bracket is asked. The
  /// search may so end at the wrong place; what is then proved covers both directions.
  void watch_one(const Bracket& bracket) {
    (*this)(bracket.low);
    const QuantitySource* smaller = last_;
    (*this)(bracket.high);
    if (last_ == smaller) skipped_ = smaller;
  }

 private:
  static double log_of(QuantitySource& source, double epsilon) {
    const PrecisionScope scope(64);
    const Ball value = source.at(epsilon, Kernel::profile).value;
    if (!value.finite()) return infinity;
    const Ball middle = value.midpoint();
    return middle.surely_positive() ? log(middle).middle() : -infinity;
  }
  static constexpr double lowest = -infinity;
  QuantitySource &forward_, &reverse_;
  bool symmetric_;
  double log_delta_;
  const QuantitySource *last_ = nullptr, *skipped_ = nullptr;
};

// Around a guess, widened until it holds; empty where there is no guess, or it was no good.
std::optional<Bracket> bracket_near(LogExcess& excess, double guess) {
  if (!(guess > 0.0 && std::isfinite(guess))) return std::nullopt;
  Bracket bracket{guess * 0.98, guess * 1.02};
  for (double ratio = 1.05; ratio < 100.0; ratio *= ratio) {
    const bool above = excess(bracket.high) > 0.0;
    if (!above && excess(bracket.low) > 0.0) return bracket;
    bracket = above ? Bracket{bracket.high, bracket.high * ratio}
                    : Bracket{bracket.low / ratio, bracket.low};
  }
  return std::nullopt;
}

// By secants from a guess whose slope is known, each step within what is known to hold the root;
// empty where they do not close in on it.
std::optional<EpsilonGuess> root_near(LogExcess& excess, const EpsilonGuess& guess,
                                      double tolerance) {
  if (!(guess.epsilon > 0.0 && std::isfinite(guess.epsilon) && guess.slope > 0.0))
    return std::nullopt;
  double point = guess.epsilon, slope = guess.slope, before = 0.0, value_before = infinity;
  Bracket known{0.0, infinity};
  for (int i = 0; i < 16; ++i) {
    const double value = excess(point);
    if (!std::isfinite(value)) return std::nullopt;
    (value > 0.0 ? known.low : known.high) = point;
    const double secant = (value_before - value) / (point - before);
    // Values that are close tell more of their errors than of the slope.
    const bool apart = std::abs(value_before - value) > 1e-6;
    if (i > 0 && apart && secant > 0.1 * slope && secant < 10.0 * slope) slope = secant;
    const double step = value / slope;
    if (std::abs(step) <= tolerance * point) return EpsilonGuess{point + step, slope};
    before = point;
    value_before = value;
    point += step;
    if (!(point > known.low && point < known.high))
      point = std::isfinite(known.high) ? 0.5 * (known.low + known.high) : 2.0 * known.low;
  }
  return std::nullopt;
}

// Whether the range of the losses, or Chernoff's bound, shows that delta is not exceeded in this
// direction: with a proof, or for a fast answer in doubles.
bool surely_at_most(const DirectedLoss& loss, double epsilon, double delta, Accuracy accuracy) {
  const PrecisionScope scope(160);
  const Ball infinite = to_ball(loss.infinite_mass);
  if ((infinite - Ball(delta)).surely_nonpositive() &&
      (largest_finite_loss(loss) - Ball(epsilon)).surely_nonpositive())
    return true;
  const LossMoment moment(loss);
  const auto saddle = find_saddle(moment, epsilon, Kernel::profile);
  if (!saddle) return false;
  if (accuracy == Accuracy::fast && infinite.exactly_zero()) {
    constexpr double margin = 1e-6;
    const double x = saddle->point;
    const auto log_moment = static_cast<double>(moment.jet(x).value);
    return log_moment - x * epsilon + x * std::log(x) - (x + 1.0) * std::log1p(x) <
           std::log(delta) - margin;
  }
  const QuantityValue bound = profile_bound(loss, saddle->point, epsilon);
  const Ball most = infinite + (Ball(1.0) - infinite) * bound.value;
  return bound.proof == Proof::certified && (most - Ball(delta)).surely_nonpositive();
}

// Whether delta is proved to be on the right side of the target at a point, and by how much
// log delta misses it: below 0 where there is room.
struct Miss {
  bool proved;
  double by;
};

// Moves outwards from `start` until a point is proved: by as much as a straight line of this slope
// says that log delta misses, and by growing steps at least. Where that went far too far, back
// again by secants.
template <class MissAt>
double first_proved(double start, double direction, double step, double slope, MissAt miss_at) {
  struct {
    double point, by;
  } failed{start, 0.0}, proved{start, 0.0};
  for (int attempt = 0;; ++attempt) {
    if (attempt == 60) return std::numeric_limits<double>::quiet_NaN();
    if (proved.point <= 0.0 && direction < 0.0) return 0.0;
    const Miss miss = miss_at(proved.point);
    proved.by = miss.by;
    if (miss.proved) break;
    failed = proved;
    const double jump = 1.05 * miss.by / slope;
    proved.point += direction * (jump > step && std::isfinite(jump) ? jump : step);
    step *= 4.0;
  }
  for (int attempt = 0; attempt < 4; ++attempt) {
    const double gap = proved.point - failed.point;
    if (!(failed.by > 0.0 && proved.by < 0.0 && std::abs(gap) > 1e-7 * proved.point)) break;
    // An end where delta is 0 says nothing of where between it lies.
    const bool known = std::isfinite(failed.by) && std::isfinite(proved.by);
    const double share = known ? failed.by / (failed.by - proved.by) : 0.5;
    const double between = failed.point + gap * (share + 0.02 * (1.0 - share));
    const Miss miss = miss_at(between);
    (miss.proved ? proved : failed) = {between, miss.by};
    if (miss.proved && std::abs(gap) * (1.0 - share) < 1e-7 * proved.point) break;
  }
  return proved.point;
}

// Whether an answer takes so long that few are asked for.
bool is_costly(const DirectedLoss& loss) { return has_bent_paths(loss) || is_mostly_at_ends(loss); }

// Where delta is crossed, in doubles.
struct Crossing {
  double epsilon, slope;
  bool slow, coarse;
};

// Closer than the answers are known there is nothing to be found; of an upper bound nobody asks for
// the last digits.
double tolerance_of(const PrivacyLoss& loss, bool slow) {
  if (loss.forward().laws.empty()) return 1e-15;
  if (loss.is_upper_bound()) return 1e-9;
  return slow ? 1e-12 : 1e-14;
}

// By a bracket that is doubled and narrowed; empty if delta is not exceeded at 0.
std::optional<double> root_by_bracket(LogExcess& excess, ProfileSource& source, double guess,
                                      double delta, bool one_direction, double tolerance) {
  Bracket bracket{0.0, 1.0};
  if (const auto near = bracket_near(excess, guess)) {
    bracket = *near;
  } else {
    if (source.at(0.0).delta().upper() <= delta) return std::nullopt;
    while (excess(bracket.high) > 0.0) {
      if (bracket.high > 1e15) unreachable(delta, "delta is still larger at epsilon = 1e15");
      bracket = {bracket.high, bracket.high * 2.0};
    }
  }
  if (one_direction) excess.watch_one(bracket);
  return narrow_bracket(std::ref(excess), bracket, tolerance).high;
}

// By how much log delta falls; next to the largest loss, beyond which it is infinite, from a place
// that is closer.
double slope_at(LogExcess& excess, double root) {
  const double here = excess(root);
  double near = std::max(root * 1e-4, 1e-9), slope = infinity;
  for (; near > root * 1e-13 && !(slope < infinity); near *= 1e-2)
    slope = (here - excess(root + near)) / near;
  return std::max(slope, 1e-3);
}

// Empty if delta is not exceeded at 0.
std::optional<Crossing> find_crossing(const PrivacyLoss& loss, double delta,
                                      ProfileSource& source) {
  // Without tails sums take longer, and an estimate as long as a proof; what is on a lattice is
  // known to some millionths.
  const bool symmetric = loss.is_symmetric(), slow = !has_tails(loss.forward());
  QuantitySource forward_fast(loss.forward(), Accuracy::fast),
      reverse_fast(loss.reverse(), Accuracy::fast);
  QuantitySource& forward = slow ? source.forward() : forward_fast;
  QuantitySource& reverse = slow ? source.reverse() : reverse_fast;
  LogExcess excess(forward, reverse, symmetric, delta);
  const EpsilonGuess one = forward.epsilon_guess(delta);
  const EpsilonGuess other = symmetric ? one : reverse.epsilon_guess(delta);
  const bool first = one.epsilon >= other.epsilon;
  const EpsilonGuess& guess = first ? one : other;
  const double fine = tolerance_of(loss, slow);
  const auto is_coarse = [&](double epsilon) {
    return slow && !(source.at(epsilon).delta().relative_width() < 1e-9);
  };
  // The other direction may be far out in its tail, where it costs the most and decides nothing.
  if (slow || is_costly(loss.forward())) {
    LogExcess larger = excess;
    if (!symmetric) larger.watch(first);
    const double rough = loss.forward().laws.empty() ? 1e-13 : 1e-8;
    auto root = root_near(larger, guess, std::max(fine, rough));
    // Guesses are no more than that: the other direction may be the larger one after all.
    const DirectedLoss& unwatched = first ? loss.reverse() : loss.forward();
    if (root && !symmetric && !surely_at_most(unwatched, root->epsilon, delta, Accuracy::fast) &&
        excess(root->epsilon) > (slow ? 0.01 : 1e3 * rough)) {
      larger.watch(!first);
      root = root_near(larger, {root->epsilon, guess.slope}, std::max(fine, rough));
    }
    if (root) {
      const bool coarse = is_coarse(root->epsilon);
      if (!coarse && fine < 1e-9) root = root_near(larger, *root, fine).value_or(*root);
      return Crossing{root->epsilon, root->slope, slow, coarse};
    }
  }
  const double width = slow ? 1e-8 : fine;
  const auto root =
      root_by_bracket(excess, source, guess.epsilon, delta, slow && !symmetric, width);
  if (!root) return std::nullopt;
  return Crossing{*root, slope_at(excess, *root), slow, is_coarse(*root)};
}

Answer enclosed_epsilon(const PrivacyLoss& loss, double delta, Accuracy accuracy) {
  require_probability("delta", delta);
  if (delta == 0.0) return pure_epsilon(loss);
  require_reachable(loss.forward(), delta);
  require_reachable(loss.reverse(), delta);
  if (delta == 1.0) return {Enclosure::exactly(0.0), Proof::certified};
  ProfileSource source(loss, accuracy);
  const std::optional<Crossing> crossing = find_crossing(loss, delta, source);
  if (!crossing) return {Enclosure::exactly(0.0), source.at(0.0).proof};
  const auto [found, slope, slow, coarse] = *crossing;
  Proof proof = Proof::certified;
  const double step = coarse ? std::max(found * 1e-6, 1e-9) : std::max(found * 0x1p-50, 0x1p-60);
  // A direction that surely has enough at `found` has so above; below it the other one decides.
  const bool costly = slow || is_costly(loss.forward());
  const bool two = costly && !loss.is_symmetric();
  const bool forward_alone = two && surely_at_most(loss.reverse(), found, delta, accuracy);
  const bool reverse_alone =
      two && !forward_alone && surely_at_most(loss.forward(), found, delta, accuracy);
  const auto delta_at = [&](double epsilon) -> Answer {
    if (forward_alone) return source.forward_at(epsilon);
    if (reverse_alone) return source.reverse_at(epsilon);
    const ProfilePoint point = source.at(epsilon);
    return {point.delta(), point.proof};
  };
  // By the end of the enclosure that counts.
  const auto miss_at = [&](double epsilon, bool above) {
    const auto [value, own_proof] = delta_at(epsilon);
    proof = weaker_of(proof, own_proof);
    return above ? Miss{value.upper() <= delta, std::log(value.upper() / delta)}
                 : Miss{value.lower() > delta, std::log(delta / value.lower())};
  };
  // Where a proof is costly it is first tried so far out that it should succeed.
  const double margin = costly ? found * 0x1p-48 : 0.0;
  const double proved = first_proved(found + margin, 1.0, step, slope,
                                     [&](double epsilon) { return miss_at(epsilon, true); });
  const double most = largest_needed(loss, delta), upper = proved < most ? proved : most;
  if (!std::isfinite(upper)) unreachable(delta, "no epsilon could be proved to suffice");
  if (loss.is_upper_bound()) return {Enclosure(0.0, upper), proof};
  const double lower = first_proved(std::min(found, upper) - margin, -1.0, step, slope,
                                    [&](double epsilon) { return miss_at(epsilon, false); });
  return {Enclosure(std::isfinite(lower) ? std::min(lower, upper) : 0.0, upper), proof};
}

}  // namespace

Answer epsilon_at(const PrivacyLoss& loss, double delta, Accuracy accuracy) {
  if (const auto joined = loss.with_copies_joined()) return epsilon_at(*joined, delta, accuracy);
  const Answer answer = enclosed_epsilon(loss, delta, accuracy);
  return {upper_end_of(answer.value, loss.is_upper_bound()), answer.proof};
}

Enclosure matching_gaussian_mu(double epsilon, double delta) {
  require_finite("epsilon", epsilon);
  require_open_unit("delta", delta);
  const auto delta_of = [&](double mu) {
    return directed_delta(PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0)).forward(),
                          epsilon, Accuracy::certified)
        .value;
  };
  // Falls with 1/mu: search on that scale.
  const auto excess = [&](double inverse) {
    return std::log(delta_of(1.0 / inverse).upper()) - std::log(delta);
  };
  Bracket bracket{1.0, 1.0};
  while (excess(bracket.high) > 0.0 && bracket.high < 1e150) bracket.high *= 4.0;
  while (!(excess(bracket.low) > 0.0) && bracket.low > 1e-150) bracket.low *= 0.25;
  if (!(excess(bracket.low) > 0.0) || excess(bracket.high) > 0.0)
    throw TargetUnreachable(fmt::format("no mu has delta = {} at epsilon = {}", delta, epsilon));
  bracket = narrow_bracket(excess, bracket, 1e-15);
  double lower = 1.0 / bracket.high, upper = 1.0 / bracket.low;
  for (int i = 0; i < 60 && delta_of(lower).upper() > delta; ++i)
    lower *= 1.0 - std::ldexp(1e-16, i);
  for (int i = 0; i < 60 && delta_of(upper).lower() < delta; ++i)
    upper *= 1.0 + std::ldexp(1e-16, i);
  return {lower, upper};
}

}  // namespace modicum
