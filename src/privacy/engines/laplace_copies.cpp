// With mu(dl) = e^{-l/2} X(dl) = e^{l/2} Y(dl) a copy of range a has
//   mu = (e^{-a/2} / 2) (atoms of 1 at a and -a, and the density 1/2 between them),
// and n copies the sum over j, the copies between the ends, and k, those at a, of
//   (e^{-a/2} / 2)^n C(n, j) 2^{-j} C(n-j, k) (the j-fold sum of densities 1, moved by (2k-n+j) a).
// The profile at s is e^{s/2} times the integral of g(l - s) over l > s, g(x) = e^{x/2} - e^{-x/2};
// for P_X and e^s P_Y of the upper tail g is the first or the second part of it.
#include "privacy/engines/laplace_copies.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/precise_ball.h"
#include "privacy/engines/step.h"

namespace modicum {
namespace {

// With ranges that are larger more is between the ends, in more digits.
constexpr double least_copies = 20.0, most_copies = 1e6, largest_range = 0.3;
constexpr double most_expected = 46.0, most_between = 250.0;
constexpr long least_bits = 160, most_bits = 800;

// g(x) = up e^{x/2} + down e^{-x/2}.
struct Weights {
  double up, down;
};

Ball power_of_two(long exponent) {
  Ball one = 1.0;
  arb_mul_2exp_si(one.raw(), one.raw(), exponent);
  return one;
}

Ball to_power(const Ball& base, double exponent) {
  Ball result;
  arb_pow_ui(result.raw(), base.raw(), static_cast<unsigned long>(exponent),
             PrecisionScope::bits());
  return result;
}

Ball binomial(double n, double k) {
  if (k < 0.0 || k > n) return 0.0;
  const auto log_factorial = [](double x) {
    Ball result;
    arb_lgamma(result.raw(), Ball(x + 1.0).raw(), PrecisionScope::bits());
    return result;
  };
  return exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k));
}

// Sum over k >= from of C(n, k) r^k: from the largest term both ways, until the rest, whose ratios
// only fall, is negligible.
Ball binomial_tail(double n, double from, const Ball& r) {
  if (from > n) return 0.0;
  const double ratio = r.middle();
  const double mode = std::floor((n + 1.0) * ratio / (1.0 + ratio));
  const double start = std::clamp(mode, std::max(from, 0.0), n);
  const double tiny = std::exp2(-static_cast<double>(least_bits));
  Ball sum = 1.0;  // in units of the first term
  const auto walk = [&](bool up) {
    Ball term = 1.0;
    for (double k = start; up ? k < n : k > from && k > 0.0; k += up ? 1.0 : -1.0) {
      const Ball next = up ? r * Ball(n - k) / Ball(k + 1.0) : Ball(k) / (r * Ball(n - k + 1.0));
      if (next.upper() < 0.9 && term.upper() < tiny * sum.lower()) {
        const Ball rest = term * next / (Ball(1.0) - next);
        sum += hull(Ball(0.0), rest);
        return;
      }
      term *= next;
      sum += term;
    }
  };
  walk(true);
  walk(false);
  return sum * binomial(n, start) * to_power(r, start);
}

// The j-fold integral of g from 0: the sum over m of (up + down (-1)^m) 2^{-m} x^{m+j} / (m+j)!.
Ball repeated_integral(const Weights& g, double j, const Ball& x) {
  if (!(x.upper() > 0.0)) return 0.0;
  const Ball half = x / 2.0;
  const double size = half.upper(), least = std::exp2(-static_cast<double>(PrecisionScope::bits()));
  double about = 1.0;    // the term
  Ball term = 1.0, sum;  // in units of x^j / j!
  for (double m = 0.0;; m += 1.0) {
    const double weight = g.up + (std::fmod(m, 2.0) == 0.0 ? g.down : -g.down);
    if (weight != 0.0) sum += term * Ball(weight);
    term *= half;
    term /= Ball(m + j + 1.0);
    const double ratio = size / (m + j + 1.0);
    about *= ratio;
    // At most twice the next term, of weight 2 at most, is left.
    if (ratio < 0.49 && about < least) {
      sum = sum.widened(term * 4.0);
      break;
    }
  }
  Ball factorial;
  arb_fac_ui(factorial.raw(), static_cast<unsigned long>(j), PrecisionScope::bits());
  return sum * to_power(x, j) / factorial;
}

class CopiesSum {
 public:
  /// `unsure`: how far atoms may be from where the range puts them. If `closed`, an atom at the
  /// shift counts as above it.
  CopiesSum(double count, const Ball& range, const Ball& shift, Weights g, bool closed,
            const Ball& unsure)
      : n_(count), a_(range), s_(shift), g_(g), closed_(closed), unsure_(unsure) {
    const double place = ((shift / range).middle() + count) / 2.0;
    middle_ = std::floor(std::clamp(place, -10.0, count + 10.0));
  }
  std::optional<Ball> value() const;

 private:
  Ball near_the_shift(double j, const Ball& at_top) const;
  Ball value_at(double j, const Ball& place) const;

  double n_;
  Ball a_, s_;
  Weights g_;
  bool closed_;
  Ball unsure_;
  double middle_;  // of the k at a, where the sum of all others is about the shift
};

Ball CopiesSum::value_at(double j, const Ball& place) const {
  if (j > 0.0) return repeated_integral(g_, j, max(place, Ball(0.0)));
  const Ball moved = place.widened(unsure_);
  const Ball above = closed_ ? Ball(1.0) - step(-moved) : step(moved);
  const Ball half = place / 2.0;
  return above * (exp(half) * Ball(g_.up) + exp(-half) * Ball(g_.down));
}

// Sum over the k from which the shift is within j a, and some more, of C(n-j, k) times the sum over
// i of (-1)^i C(j, i) (the j-fold integral of g up to (2 (k-i) - n + 2j) a - s); `at_top` is the
// first factor for the largest k.
Ball CopiesSum::near_the_shift(double j, const Ball& at_top) const {
  const double rest = n_ - j, top = std::min(middle_ + 2.0, rest);
  const double least = middle_ - j - 2.0;
  std::vector<Ball> values, signs{Ball(1.0)};
  for (double m = least; m <= top; m += 1.0)
    values.push_back(value_at(j, a_ * Ball(2.0 * m - rest + j) - s_));
  for (double i = 0.0; i < j; i += 1.0) signs.push_back(signs.back() * Ball(i - j) / Ball(i + 1.0));
  Ball sum, ways = at_top;
  for (double k = top; k >= std::max(least, 0.0); k -= 1.0) {
    const auto last = static_cast<std::size_t>(k - least);
    Ball part;
    for (std::size_t i = 0; i < signs.size() && i <= last; ++i)
      arb_addmul(part.raw(), signs[i].raw(), values[last - i].raw(), PrecisionScope::bits());
    sum += ways * part;
    ways *= Ball(k) / Ball(rest - k + 1.0);
  }
  return sum;
}

std::optional<Ball> CopiesSum::value() const {
  const double first = std::max(middle_ + 3.0, 0.0), below = first - 1.0;
  const Ball rise = exp(a_), fall = exp(-a_), pair = exp(a_ / 2.0) + exp(-a_ / 2.0);
  const Ball between = (Ball(1.0) - fall) / 2.0;  // the probability of that, for X and Y alike
  const Ball whole = (exp(a_ / 2.0) - exp(-a_ / 2.0)) * 2.0;  // integral of e^{l/2} from -a to a
  const Ball rise_power = to_power(rise, first), fall_power = to_power(fall, first);
  const Ball scale = exp(s_ / 2.0 - (a_ / 2.0 + log(Ball(2.0))) * Ball(n_));
  const Ball largest = g_.up == 0.0 ? exp(s_) : Ball(1.0);
  const Ball negligible = power_of_two(-56);
  Ball up = binomial_tail(n_, first, rise), down = binomial_tail(n_, first, fall);
  Ball ways = binomial(n_, below), weight = 1.0, chance = to_power(Ball(1.0) - between, n_);
  Ball sum, wholes = 1.0;
  for (double j = 0.0; j <= std::min(n_, most_between); j += 1.0) {
    const double rest = n_ - j;
    // Beyond the k near the shift all of the j-fold density counts.
    const Ball lean = exp((a_ * Ball(rest) + s_) / 2.0);
    Ball terms = (up / lean * Ball(g_.up) + down * lean * Ball(g_.down)) * wholes;
    {
      const PrecisionScope scope(PrecisionScope::bits() +
                                 static_cast<long>((2.5 + 3.0 * a_.upper()) * j));
      if (middle_ + 2.0 >= 0.0)
        terms += near_the_shift(j, middle_ + 2.0 <= rest ? ways : Ball(1.0));
    }
    sum += weight * terms;
    // What more copies between add, from how probable they are.
    const Ball ratio = Ball(rest) / Ball(j + 1.0) * between / (Ball(1.0) - between);
    chance *= ratio;
    const Ball most = rest == 0.0 ? Ball(0.0) : chance / (Ball(1.0) - ratio) * largest;
    const Ball found = sum * scale;
    if (ratio.upper() < 1.0 && (most - abs(found) * negligible).surely_nonpositive())
      return found + hull(Ball(0.0), most);
    weight *= Ball(rest) / Ball(2.0 * (j + 1.0));
    wholes *= whole;
    // C(n-j, .) in terms of C(n-j-1, .).
    ways = below < rest ? ways * Ball(rest - below) / Ball(rest) : Ball(0.0);
    const Ball cut = first > 0.0 ? ways : Ball(0.0);
    const bool any = first <= rest - 1.0;
    up = any ? (up - cut * rise_power) / (Ball(1.0) + rise) : Ball(0.0);
    down = any ? (down - cut * fall_power) / (Ball(1.0) + fall) : Ball(0.0);
  }
  return std::nullopt;
}

}  // namespace

bool is_mostly_at_ends(const DirectedLoss& loss) {
  if (!loss.gaussian.is_trivial() || !loss.two_points.empty() || !loss.laws.empty() ||
      loss.laplaces.size() != 1)
    return false;
  const LaplacePart& part = loss.laplaces.front();
  const double between = -0.5 * std::expm1(-part.range.high);
  return part.count >= least_copies && part.count <= most_copies &&
         part.range.high <= largest_range && part.count * between <= most_expected;
}

// The loss of a copy moves with its range, at the same noise, by no more than that: the range is
// taken to be a number, and the shift moved by n times its radius. The profile is not steeper than
// 1; atoms aside, a loss with a density between the ends has one of at most n/4.
std::optional<Ball> laplace_copies_quantity(const DirectedLoss& loss, double shift, Kernel kernel) {
  const LaplacePart& part = loss.laplaces.front();
  const bool reflected = closes_on_the_left(kernel);
  const Weights g = kernel == Kernel::profile ? Weights{1, -1}
                    : kernel == Kernel::upper_tail || kernel == Kernel::tilted_lower
                        ? Weights{1, 0}
                        : Weights{0, 1};
  for (long bits = least_bits; bits <= most_bits; bits *= 2) {
    const PrecisionScope scope(bits);
    const Ball range = Ball(part.range.high) + Ball(part.range.low), n = part.count;
    const Ball moved = n * Ball(part.range.radius), at = reflected ? -shift : shift;
    auto value = CopiesSum(part.count, range, at, g, reflected, moved).value();
    if (!value) return std::nullopt;
    if (arb_rel_accuracy_bits(value->raw()) < 48 && bits * 2 <= most_bits) continue;
    // -L of X is L of Y.
    if (reflected) *value *= exp(Ball(shift));
    const Ball steepest = kernel == Kernel::profile ? Ball(1.0) : n * max(exp(Ball(shift)), 1.0);
    return value->widened(moved * steepest);
  }
  return std::nullopt;
}

}  // namespace modicum
