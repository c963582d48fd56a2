// Laplace mechanisms, mechanisms of bounded range and two-point losses, any number of scales, by
// residues (docs/derivations/atoms.md).
//
// With u = z + 1/2, a Laplace loss of range a has
//   E[e^{zL}] = (e^{-a/2} / 2) (e^{ua} (u + 1/2) + e^{-ua} (u - 1/2)) / u,
// a two-point loss (e^{ue} + e^{-ue}) / (2 cosh(e/2)), a bounded range r
//   E[e^{zL}] = (e^{ur} - e^{-ur}) / (4 u sinh(r/2)).
// The product over all parts is a sum of terms
//   weight * e^{b u} (u + 1/2)^J (u - 1/2)^{M-J} / u^N,
// M the number of Laplace mechanisms and N that of ranges too. A term with b <= shift closes on the
// right, where there is no pole; else on the left: a residue of order N at u = 0, and simple ones
// at u = +-1/2 that the kernel leaves for J = M and J = 0.
#include <cmath>
#include <map>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/step.h"
#include "privacy/laws/bounded_range_law.h"

namespace modicum {
namespace {

constexpr double most_poles = 400.0, most_work = 3e5;

struct Term {
  Ball slope, weight;  // b and its weight
};
using TermsByOrder = std::map<int, std::vector<Term>>;  // by J

// Multiplies the terms by (e^{ua} (u + 1/2) + e^{-ua} (u - 1/2))^n, or without the factors of u and
// with a sum or a difference.
enum class Factor { laplace, sum, difference };
TermsByOrder multiplied(const TermsByOrder& terms, const Ball& range, double count, Factor factor) {
  const bool laplace = factor == Factor::laplace;
  TermsByOrder result;
  const int n = static_cast<int>(count);
  Ball binomial = 1.0;
  for (int j = 0; j <= n; ++j) {
    const Ball slope = Ball(2 * j - n) * range;
    const bool negative = factor == Factor::difference && (n - j) % 2 != 0;
    const Ball weight = negative ? -binomial : binomial;
    for (const auto& [order, group] : terms)
      for (const Term& term : group)
        result[order + (laplace ? j : 0)].push_back({term.slope + slope, term.weight * weight});
    binomial *= Ball(n - j) / Ball(j + 1);
  }
  return result;
}

// Coefficients p_0 .. p_{n-1} of (u + 1/2)^A (u - 1/2)^B, which obeys
// (u^2 - 1/4) P' = ((A + B) u + (B - A)/2) P, hence
// p_{k+1} = 4 ((k - 1 - A - B) p_{k-1} - (B - A)/2 p_k) / (k + 1).
std::vector<Ball> coefficients(int n, int a, int b) {
  std::vector<Ball> p(1);
  arb_set_si(p[0].raw(), b % 2 == 0 ? 1 : -1);
  arb_mul_2exp_si(p[0].raw(), p[0].raw(), -(a + b));
  for (int k = 0; k + 1 < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Ball previous = k == 0 ? Ball(0.0) : p[at - 1];
    p.push_back((Ball(k - 1 - a - b) * previous - Ball(0.5 * (b - a)) * p[at]) * 4.0 / Ball(k + 1));
  }
  return p;
}

// Sum over k of p_k b^{n-1-k} / (n-1-k)!, by Horner's rule: the residue at u = 0.
Ball residue_at_zero(const std::vector<Ball>& p, const Ball& slope) {
  Ball sum = p.front();
  const int n = static_cast<int>(p.size());
  for (int k = 1; k < n; ++k) sum = sum * slope / Ball(n - k) + p[static_cast<std::size_t>(k)];
  return sum;
}

struct Parts {
  int laplaces = 0, ranges = 0;  // M and N - M
  TermsByOrder terms;
  Ball log_scale;  // log of the constant factors

  explicit Parts(const DirectedLoss& loss) {
    terms[0].push_back({Ball(0.0), Ball(1.0)});
    const Ball log_two = log(Ball(2.0));
    for (const LaplacePart& part : loss.laplaces) {
      const Ball range = to_ball(part.range);
      terms = multiplied(terms, range, part.count, Factor::laplace);
      laplaces += static_cast<int>(part.count);
      log_scale -= (range / 2.0 + log_two) * Ball(part.count);
    }
    for (const TwoPointPart& part : loss.two_points) {
      const Ball e = to_ball(part.epsilon);
      terms = multiplied(terms, e, part.count, Factor::sum);
      log_scale -= log(exp(e / 2.0) + exp(-e / 2.0)) * Ball(part.count);
    }
    for (const LawPart& part : loss.laws) {
      const Ball range = *bounded_range_of(*part.law);
      terms = multiplied(terms, range, part.count, Factor::difference);
      ranges += static_cast<int>(part.count);
      log_scale -= log((exp(range / 2.0) - exp(-range / 2.0)) * 2.0) * Ball(part.count);
    }
  }
};

Ball right_quantity(const Parts& parts, const Ball& shift, Kernel kernel) {
  const int m = parts.laplaces, n = m + parts.ranges;
  const int zero = has_pole_at_zero(kernel), one = has_pole_at_minus_one(kernel);
  Ball sum, two_to_n = 1.0;
  arb_mul_2exp_si(two_to_n.raw(), two_to_n.raw(), n);
  for (const auto& [order, group] : parts.terms) {
    const std::vector<Ball> p = coefficients(n, order - one, m - order - zero);
    for (const Term& term : group) {
      const Ball slope = term.slope - shift;
      if (slope.surely_nonpositive()) continue;
      Ball residues = residue_at_zero(p, slope);
      if (order == m && zero == 1) residues += exp(slope / 2.0) * two_to_n;
      if (order == 0 && one == 1)
        residues +=
            exp(-slope / 2.0) * two_to_n * Ball((zero + parts.ranges) % 2 == 1 ? -1.0 : 1.0);
      sum += residues * term.weight * step(slope);
    }
  }
  return sum * exp(parts.log_scale + shift / 2.0);
}

Ball one_quantity(const Parts& parts, const Ball& shift, Kernel kernel) {
  if (kernel == Kernel::lower_tail)
    return Ball(1.0) - right_quantity(parts, shift, Kernel::upper_tail);
  if (kernel == Kernel::tilted_lower)
    return exp(shift) - right_quantity(parts, shift, Kernel::tilted_upper);
  return right_quantity(parts, shift, kernel);
}

}  // namespace

bool residues_are_few(const DirectedLoss& loss) {
  double poles = 0.0, terms = 1.0;
  const auto count = [&](double copies, bool pole) {
    if (pole) poles += copies;
    terms *= copies + 1.0;
  };
  for (const LaplacePart& part : loss.laplaces) count(part.count, true);
  for (const TwoPointPart& part : loss.two_points) count(part.count, false);
  for (const LawPart& part : loss.laws) {
    if (!bounded_range_of(*part.law)) return false;
    count(part.count, true);
  }
  return loss.gaussian.is_trivial() && poles >= 1.0 && poles <= most_poles &&
         terms * poles <= most_work;
}

Ball residue_quantity(const DirectedLoss& loss, const Ball& shift, Kernel kernel) {
  double poles = 0.0;
  for (const LaplacePart& part : loss.laplaces) poles += part.count;
  for (const LawPart& part : loss.laws) poles += part.count;
  // The sum cancels by a few bits for each composition, more in the far tail.
  const long first = 192 + 8 * static_cast<long>(poles);
  Ball best = Ball::between(0.0, 1.0) * max(exp(shift), 1.0);
  for (long bits = first; bits <= 16 * first; bits *= 2) {
    const PrecisionScope scope(bits);
    const Ball value = one_quantity(Parts(loss), shift, kernel);
    if (value.finite()) best = value;
    if (value.finite() && arb_rel_accuracy_bits(value.raw()) > 64) break;
  }
  return best;
}

}  // namespace modicum
