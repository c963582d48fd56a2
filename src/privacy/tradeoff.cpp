// The trade-off function f(a) = least type II error of a test of level a. With the threshold tests
// L > t, whose errors are a(t) = P_Y[L > t] and b(t) = P_X[L <= t]:
//   f(a) >= b(t) - e^t (a - a(t))                       for every t (a tangent), and
//   f(a) <= any mixture of two such tests of level at most a.
#include <array>
#include <cmath>
#include <utility>

#include "modicum/numerics/bracketing.h"
#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/kept_for.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/quantity.h"
#include "privacy/profile_source.h"

namespace modicum {
namespace {

struct TestErrors {
  double threshold;
  Ball level, miss;  // a(t) and b(t)
};

TestErrors errors_at(const DirectedLoss& loss, double threshold, Accuracy accuracy, Proof& proof) {
  const QuantityValue above = quantity(loss, threshold, Kernel::tilted_upper, accuracy);
  const QuantityValue below = quantity(loss, threshold, Kernel::lower_tail, accuracy);
  proof = weaker_of(proof, weaker_of(above.proof, below.proof));
  return {threshold, above.value * exp(-Ball(threshold)), below.value};
}

double tangent(const TestErrors& test, double level) {
  const Ball bound = test.miss - exp(Ball(test.threshold)) * (Ball(level) - test.level);
  return bound.finite() ? bound.lower() : 0.0;
}

// Type II error of the mixture of two tests that has exactly this level, or of the stricter alone.
double mixture(const TestErrors& strict, const TestErrors& loose, double level) {
  const Ball gap = Ball(level) - Ball(strict.level.upper());
  if (!gap.finite() || gap.surely_negative()) return 1.0;
  const Ball spread = Ball(loose.level.upper()) - Ball(strict.level.upper());
  const Ball share = gap / spread;
  const bool usable = spread.surely_positive() && (Ball(1.0) - share).surely_positive();
  const Ball miss = usable ? strict.miss * (Ball(1.0) - share) + loose.miss * share : strict.miss;
  return miss.finite() ? miss.upper() : 1.0;
}

// Least threshold whose level is at most `level`, in doubles.
double threshold_for(const DirectedLoss& loss, double level) {
  const auto excess = [&](double threshold) {
    const PrecisionScope scope(64);
    const Ball value = quantity(loss, threshold, Kernel::tilted_upper, Accuracy::fast).value;
    const Ball middle = value.midpoint();
    if (!middle.surely_positive()) return -infinity;
    return log(middle).middle() - threshold - std::log(level);
  };
  Bracket bracket{-1.0, 1.0};
  while (excess(bracket.high) > 0.0 && bracket.high < 1e15) bracket.high *= 2.0;
  while (!(excess(bracket.low) > 0.0) && bracket.low > -1e15) bracket.low *= 2.0;
  bracket = narrow_bracket(excess, bracket, 1e-15);
  return bracket.high;
}

Answer directed_tradeoff(const DirectedLoss& loss, double level, Accuracy accuracy) {
  const PrecisionScope scope(160);
  const double center = threshold_for(loss, level);
  Enclosure best{0.0, 1.0};
  Proof proof = Proof::certified;
  // Close thresholds make the chord short (next to an atom as short as can be); far enough apart,
  // they straddle the level for certain.
  for (double gap = loss.is_gaussian() ? 1e-8 : 1e-15; gap < 1.0; gap *= 100.0) {
    const double distance = gap * std::max(1.0, std::abs(center));
    const TestErrors loose = errors_at(loss, center - distance, accuracy, proof);
    const TestErrors strict = errors_at(loss, center + distance, accuracy, proof);
    const double lower =
        std::max({0.0, tangent(loose, level), tangent(strict, level), best.lower()});
    const double upper = std::min(mixture(strict, loose, level), best.upper());
    best = {std::min(lower, upper), upper};
    if (best.relative_width() < 1e-9) break;
  }
  return {best, proof};
}

// Upper bound on a concave function of s = e^epsilon that is 0 at s = 0, from its values at
// epsilon = -20 and 0 if it falls between them: up to the first it is below the secant through the
// two, between them below the line from 0 through the first, and further on below the second.
double bound_near_zero(const Ball& first, const Ball& second) {
  if (!(second.upper() < first.lower())) return 1.0;
  const Ball place = exp(Ball(-20.0));
  const Ball slope = (second - first) / (Ball(1.0) - place);
  return std::max({0.0, (first - slope * place).upper(), (first / place).upper(), first.upper()});
}

// Calls `search(width)`, which tells a type II error at a peak that it finds where the source knows
// the profile to that width: a wide one is quick, and enough unless the error is small beside it.
template <class Search>
void search_roughly(const QuantitySource& source, const Search& search) {
  constexpr double wide = 1e-6;
  if (!(search(wide) > 1e3 * wide) && source.has_lattice()) search(0.0);
}

// Around the peak of a function of epsilon that rises before it and falls after it. It walks away
// from 0 as long as the function rises, so that far tails, which take long, are not asked for.
template <class Function>
Bracket around_peak(const Function& function, double end) {
  const auto walk = [&](double direction, double here) {
    double far = 0.0;
    for (double next = 0.25; next <= 32.0; next *= 2.0) {
      if (direction * next > end) break;
      const double found = function(direction * next);
      if (!(found > here)) break;
      far = next;
      here = found;
    }
    return far;
  };
  const double middle = function(0.0);
  double far = walk(1.0, middle);
  const double direction = far > 0.0 ? 1.0 : -1.0;
  if (far == 0.0) far = walk(-1.0, middle);
  const double best = direction * far, reach = std::max(0.25, far);
  return {best - reach, best == 32.0 ? end : std::min(end, best + reach)};
}

// Of values at -3, -1, 1 and 3: about where the parabola through them has its peak, if they are
// known so well that they show it; infinite if not.
double towards_peak(const std::array<Ball, 4>& values) {
  const double slope = (values[2].middle() - values[1].middle()) / 2.0;
  const Ball bend = (values[0] - values[1] - values[2] + values[3]) / 8.0;
  const bool known = bend.surely_negative() && bend.upper() < 0.5 * bend.lower();
  return known ? -slope / bend.middle() : infinity;
}

// For losses of which only the profile is known: f(a) = max over s = e^epsilon of the concave
// 1 - delta(log s) - s a. Four points around the maximum bound it from above by their secants.
Answer dual_tradeoff(const DirectedLoss& loss, double level, Accuracy accuracy) {
  const PrecisionScope scope(160);
  Proof proof = Proof::certified;
  QuantitySource roughly(loss, Accuracy::fast), finally(loss, accuracy);
  const auto value_of = [&](const QuantityValue& delta, double epsilon) {
    const Enclosure bounds = bounded(delta.value, 1.0);
    return Ball(1.0) - Ball::between(bounds.lower(), bounds.upper()) -
           exp(Ball(epsilon)) * Ball(level);
  };
  const auto value = [&](double epsilon) {
    const QuantityValue delta = finally.at(epsilon, Kernel::profile);
    proof = weaker_of(proof, delta.proof);
    return value_of(delta, epsilon);
  };
  // Golden section in epsilon; the maximum of a concave function of e^epsilon is unimodal there.
  double center = 0.0;
  search_roughly(roughly, [&](double width) {
    const auto rough = [&](double epsilon) {
      return value_of(roughly.roughly(epsilon, width), epsilon).middle();
    };
    const Bracket peak =
        narrow_to_minimum([&](double epsilon) { return -rough(epsilon); },
                          around_peak(rough, std::min(700.0, 1.0 - std::log(level))), 1e-4);
    center = 0.5 * (peak.low + peak.high);
    return rough(center);
  });
  double lower = 0.0, upper = std::nextafter(1.0 - level, 2.0);
  constexpr int most_moves = 4;
  // Close points make secants sharp, if the profile is known so well that they show the peak.
  int moves = 0;
  for (double gap = 1e-4; gap < 0.5;) {
    const std::array<double, 4> points{center - 3.0 * gap, center - gap, center + gap,
                                       center + 3.0 * gap};
    std::array<Ball, 4> values, places;
    for (std::size_t i = 0; i < 4; ++i) {
      values[i] = value(points[i]);
      places[i] = exp(Ball(points[i]));
      lower = std::max(lower, values[i].lower());
    }
    if (!(values[0].upper() <= values[1].lower() && values[3].upper() <= values[2].lower())) {
      const double move = towards_peak(values) * gap;
      if (std::abs(move) < 0.1 && moves++ < most_moves) center += move;
      else gap *= 8.0;
      continue;
    }
    // Extended beyond its two points a secant lies above a concave function. Between points[1] and
    // points[2] the outer two secants do so; in the intervals beside, the middle one; further out
    // the function is below its values here (docs/derivations/tradeoff.md).
    const auto secant = [&](std::size_t a, std::size_t b, std::size_t at) {
      return (values[a] +
              (values[b] - values[a]) / (places[b] - places[a]) * (places[at] - places[a]))
          .upper();
    };
    upper = std::min(
        upper, std::max({0.0, secant(2, 3, 1), secant(0, 1, 2), secant(1, 2, 0), secant(1, 2, 3)}));
    break;
  }
  // No peak was found, or not the highest.
  if (!(lower > 0.5 * upper)) upper = std::min(upper, bound_near_zero(value(-20.0), value(0.0)));
  return {Enclosure(std::min(lower, upper), upper), proof};
}

// For a loss that is no pair: of each direction only a bound on its profile at epsilon >= 0 is
// used,
//   f(a) >= 1 - delta(epsilon) - e^epsilon a,  f(a) >= e^{-epsilon} (1 - opposite(epsilon) - a),
// concave in e^epsilon and in e^{-epsilon}, hence with one peak each. Nothing is known from above.
Answer bounded_tradeoff(const DirectedLoss& loss, const DirectedLoss& opposite, double level,
                        Accuracy accuracy) {
  const PrecisionScope scope(160);
  Proof proof = Proof::certified;
  const auto largest = [&](const DirectedLoss& direction, const auto& error) {
    QuantitySource roughly(direction, Accuracy::fast), finally(direction, accuracy);
    const auto value_of = [&](const QuantityValue& delta, double epsilon) {
      return error(Ball(epsilon), Ball(1.0) - Ball(bounded(delta.value, 1.0).upper()));
    };
    const auto value = [&](double epsilon) {
      const QuantityValue delta = finally.at(epsilon, Kernel::profile);
      proof = weaker_of(proof, delta.proof);
      return value_of(delta, epsilon).lower();
    };
    double best = 0.0;
    search_roughly(roughly, [&](double width) {
      const auto rough = [&](double epsilon) {
        return value_of(roughly.roughly(epsilon, width), epsilon).middle();
      };
      double far = 0.25;
      for (double here = rough(far), next = 0.0; far < 500.0; far *= 2.0, here = next)
        if ((next = rough(2.0 * far)) < here) break;
      // The peak may be a kink, and as close to it as the answers are cheap.
      best = narrow_to_minimum([&](double epsilon) { return -rough(epsilon); },
                               {far > 0.25 ? 0.5 * far : 0.0, 2.0 * far},
                               has_tails(direction) ? 1e-9 : 1e-4)
                 .low;
      return rough(best);
    });
    return std::max(value(best), value(0.0));
  };
  const Ball a = level;
  const double own =
      largest(loss, [&](const Ball& epsilon, const Ball& kept) { return kept - exp(epsilon) * a; });
  const Proof own_proof = proof;
  const double other = largest(
      opposite, [&](const Ball& epsilon, const Ball& kept) { return exp(-epsilon) * (kept - a); });
  return {Enclosure(std::max({0.0, own, other}), 1.0), weaker_of(own_proof, proof)};
}

// About log E[e^{-L/2}], kept for the points of a curve.
class OverlapGuess {
 public:
  explicit OverlapGuess(const DirectedLoss& loss)
      : loss_(loss), log_overlap_(static_cast<double>(LossMoment(loss).jet(-0.5L).value)) {}
  const DirectedLoss& loss() const { return loss_; }
  double log_overlap() const { return log_overlap_; }

 private:
  DirectedLoss loss_;
  double log_overlap_;
};

// At least f(a) in both directions, from how much the two laws overlap: exp(-D_{1/2}) / a
// (docs/derivations/tradeoff.md). It tells at once where the error is as good as 0 and tails would
// take long.
double overlap_bound(const PrivacyLoss& loss, double level) {
  if (kept_for<OverlapGuess>(loss.forward()).log_overlap() > -300.0) return 1.0;
  const Answer divergence = renyi_divergence(loss, 0.5, Accuracy::automatic);
  if (divergence.proof != Proof::certified) return 1.0;
  const PrecisionScope scope(64);
  return bounded(exp(-Ball(divergence.value.lower())) / Ball(level), 1.0).upper();
}

}  // namespace

Answer tradeoff(const PrivacyLoss& loss, double type1, Accuracy accuracy) {
  if (const auto joined = loss.with_copies_joined()) return tradeoff(*joined, type1, accuracy);
  require_probability("type1", type1);
  const bool pairs = is_pair(loss.forward()) && is_pair(loss.reverse());
  if (pairs && type1 > 0.0 && !loss.is_upper_bound() && has_tails(loss.forward()) &&
      has_tails(loss.reverse())) {
    const double bound = overlap_bound(loss, type1);
    if (bound < 1e-300) return {Enclosure(0.0, bound), Proof::certified};
  }
  const auto directed = [&](const DirectedLoss& direction, const DirectedLoss& opposite) -> Answer {
    if (direction.mutually_singular || type1 == 1.0)
      return {Enclosure::exactly(0.0), Proof::certified};
    if (type1 == 0.0) {
      // Only an infinite loss can be told without any error of the first kind.
      const PrecisionScope scope(160);
      return {bounded(Ball(1.0) - to_ball(direction.infinite_mass), 1.0), Proof::certified};
    }
    if (!pairs) return bounded_tradeoff(direction, opposite, type1, accuracy);
    if (!has_tails(direction)) return dual_tradeoff(direction, type1, accuracy);
    const Answer direct = directed_tradeoff(direction, type1, accuracy);
    // Where the tails need too many atoms, the profile may still do.
    if (direct.value.relative_width() < 1e-6) return direct;
    const Answer dual = dual_tradeoff(direction, type1, accuracy);
    return dual.value.relative_width() < direct.value.relative_width() ? dual : direct;
  };
  const Answer forward = directed(loss.forward(), loss.reverse());
  const Answer reverse = loss.is_symmetric() ? forward : directed(loss.reverse(), loss.forward());
  const Proof proof = weaker_of(forward.proof, reverse.proof);
  require_proof(accuracy, proof);
  const Enclosure value = smaller_of(forward.value, reverse.value);
  if (!loss.is_upper_bound()) return {value, proof};
  return {Enclosure(value.lower(), std::max(value.lower(), std::nextafter(1.0 - type1, 2.0))),
          proof};
}

}  // namespace modicum
