// Conditioning on the atoms: docs/derivations/atoms.md.
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"
#include "privacy/engines/atoms.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/step.h"

namespace modicum {
namespace {

// Atoms of one part around the bulk of its law tilted by exp(c L), and a bound on the tilted mass
// of those left out.
struct Window {
  std::vector<Atom> atoms;
  Ball dropped;
};

constexpr double log_dropped = -50.0;
constexpr double most_atoms = 1e11, most_atoms_in_half = 1e6, most_atoms_in_doubles = 4000.0,
                 most_atoms_in_balls = 200.0;

Ball log_binomial(double n, double k) {
  const auto log_factorial = [](double m) {
    Ball result;
    arb_hypgeom_lgamma(result.raw(), Ball(m + 1.0).raw(), PrecisionScope::bits());
    return result;
  };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// First k from `start`, stepping towards `end`, at which the tilted weight has fallen by
// exp(log_dropped) from its mode: bisection, the binomial being log-concave.
double window_end(double n, double mode, double log_odds, double end) {
  const auto log_weight = [&](double k) {
    return -std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * log_odds;
  };
  const double target = log_weight(mode) + log_dropped;
  if (log_weight(end) >= target) return end;
  double inside = mode, outside = end;
  while (std::abs(outside - inside) > 1.0) {
    const double middle = std::floor((inside + outside) / 2);
    (log_weight(middle) >= target ? inside : outside) = middle;
  }
  return outside;
}

struct Range {
  double first, last;
  double size() const { return last - first + 1.0; }
};

Range window_range(const TwoPointPart& part, double tilt) {
  const double n = part.count, e = part.epsilon.high, log_odds = (2.0 * tilt + 1.0) * e;
  const double mode = std::clamp(std::floor(n / (1.0 + std::exp(-log_odds))), 0.0, n);
  return {window_end(n, mode, log_odds, 0.0), window_end(n, mode, log_odds, n)};
}

// k of the n are +e: loss (2k - n) e, weight C(n, k) p^k q^{n-k} with p = e^e / (1 + e^e).
Window make_window(const TwoPointPart& part, const Range& range, double tilt) {
  const Ball n = part.count, e = to_ball(part.epsilon), odds = exp(e);
  Window window;
  Ball weight =
      exp(log_binomial(part.count, range.first) + Ball(range.first) * e - n * log1p(odds));
  Ball tilted_weight = weight * exp((n - Ball(2.0 * range.first)) * e);
  const auto tilted = [&](const Atom& atom) { return atom.weight * exp(atom.loss * Ball(tilt)); };
  for (double k = range.first; k <= range.last; k += 1.0) {
    window.atoms.push_back({(Ball(2.0 * k) - n) * e, weight, tilted_weight});
    const Ball step = (n - Ball(k)) / Ball(k + 1.0);
    weight *= step * odds;
    tilted_weight *= step / odds;
  }
  // Successive tilted weights fall at least as fast as geometrically outside the window.
  const Ball tilted_odds = exp(e * Ball(2.0 * tilt + 1.0));
  const auto geometric = [](const Ball& last, const Ball& ratio) {
    const Ball room = Ball(1.0) - ratio;
    return room.surely_positive() ? last * ratio / room : Ball(HUGE_VAL);
  };
  if (range.first > 0.0)
    window.dropped += geometric(tilted(window.atoms.front()),
                                Ball(range.first) / (n - Ball(range.first) + 1.0) / tilted_odds);
  if (range.last < part.count)
    window.dropped += geometric(tilted(window.atoms.back()),
                                (n - Ball(range.last)) / Ball(range.last + 1.0) * tilted_odds);
  return window;
}

// E[exp(c L)] of a two-point part: (cosh((c + 1/2) e) / cosh(e/2))^n.
Ball tilted_total(const TwoPointPart& part, double tilt) {
  return exp(TwoPointMoment(part).value(Ball(tilt)));
}

double atom_count(const DirectedLoss& loss, double tilt) {
  double count = 1.0;
  for (const TwoPointPart& part : loss.two_points) count *= window_range(part, tilt).size();
  return count;
}

double atom_limit(const DirectedLoss& loss, Accuracy accuracy) {
  if (loss.gaussian.is_trivial()) return most_atoms;
  if (accuracy == Accuracy::fast || loss.gaussian.is_pure_shift()) return most_atoms_in_doubles;
  return most_atoms_in_balls;
}

using Windows = std::vector<Window>;

// Every sum of one atom a part.
std::vector<Atom> all_atoms(Windows::const_iterator first, Windows::const_iterator last) {
  std::vector<Atom> atoms{{Ball(0.0), Ball(1.0), Ball(1.0)}};
  for (auto window = first; window != last; ++window) {
    std::vector<Atom> product;
    product.reserve(atoms.size() * window->atoms.size());
    for (const Atom& a : atoms)
      for (const Atom& b : window->atoms)
        product.push_back({a.loss + b.loss, a.weight * b.weight, a.tilted * b.tilted});
    atoms = std::move(product);
  }
  return atoms;
}

// Without a Gaussian part: the windows in two halves, so that the square root of the number of
// atoms decides the cost. Empty if a half is too large.
std::optional<Ball> bounded_quantity(const Windows& windows, double shift, Kernel kernel) {
  double total = 1.0, left = 1.0;
  for (const Window& window : windows) total *= static_cast<double>(window.atoms.size());
  auto middle = windows.begin();
  // One more window must not make the left half, where each atom costs an exponential, the larger.
  for (; middle != windows.end(); ++middle) {
    const double grown = left * static_cast<double>(middle->atoms.size());
    if (grown * grown > total) break;
    left = grown;
  }
  if (left > most_atoms_in_half || total / left > most_atoms_in_half) return std::nullopt;
  return paired_quantity(all_atoms(windows.begin(), middle), all_atoms(middle, windows.end()),
                         Ball(shift), kernel);
}

}  // namespace

bool atoms_are_few(const DirectedLoss& loss) {
  return loss.laplaces.empty() &&
         atom_count(loss, 1.0) <= atom_limit(loss, Accuracy::certified) / 4.0;
}

std::optional<QuantityValue> atomic_quantity(const DirectedLoss& loss, double shift, Kernel kernel,
                                             Accuracy accuracy) {
  const PrecisionScope scope(128);
  const std::optional<Saddle> saddle = find_saddle(LossMoment(loss), shift, kernel);
  // Without a saddle point the shift is beyond every atom, or all but: any tilt will do.
  const double tilt = saddle ? saddle->point : (closes_on_the_left(kernel) ? -2.0 : 1.0);
  if (atom_count(loss, tilt) > atom_limit(loss, accuracy)) return std::nullopt;
  for (const TwoPointPart& part : loss.two_points)
    if (window_range(part, tilt).size() > most_atoms_in_half) return std::nullopt;

  std::vector<Window> windows;
  Ball dropped;
  for (const TwoPointPart& part : loss.two_points) {
    windows.push_back(make_window(part, window_range(part, tilt), tilt));
    Ball share = windows.back().dropped;
    for (const TwoPointPart& other : loss.two_points)
      if (&other != &part) share *= tilted_total(other, tilt);
    dropped += share;
  }
  // What the atoms left out may add: every kernel's function of x is at most exp(tilt x).
  if (!loss.gaussian.is_trivial())
    dropped *= exp(GaussianMoment(loss.gaussian).expand_ball(tilt)->value());
  dropped *= exp(-Ball(tilt) * Ball(shift));

  QuantityValue total{Ball(0.0), Proof::certified};
  if (loss.gaussian.is_trivial()) {
    const std::optional<Ball> value = bounded_quantity(windows, shift, kernel);
    if (!value) return std::nullopt;
    total.value = *value;
  } else {
    for (const Atom& atom : all_atoms(windows.begin(), windows.end())) {
      const Ball rest = Ball(shift) - atom.loss;
      const QuantityValue inner = gaussian_quantity(loss.gaussian, rest, kernel, accuracy);
      total.value += atom.weight * inner.value;
      total.proof = weaker_of(total.proof, inner.proof);
    }
  }
  if (!dropped.finite()) return std::nullopt;
  total.value += dropped * Ball::between(0.0, 1.0);
  return total;
}

}  // namespace modicum
