#include "numerics/gauss_legendre.h"

#include <arb_hypgeom.h>

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

namespace modicum {
namespace {

// Newton's method on the Legendre polynomial, from the asymptotic place of its roots.
GaussRule make_rule(int n) {
  GaussRule made;
  for (int i = 0; i < n; ++i) {
    long double x = std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L));
    long double slope = 0.0L;
    for (int step = 0; step < 8; ++step) {
      long double previous = 1.0L, value = x;
      for (int k = 2; k <= n; ++k) {
        const long double next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
        previous = value;
        value = next;
      }
      slope = n * (x * value - previous) / (x * x - 1.0L);
      x -= value / slope;
    }
    made.points.push_back(static_cast<double>(x));
    made.weights.push_back(static_cast<double>(2.0L / ((1.0L - x * x) * slope * slope)));
  }
  return made;
}

std::vector<BallGaussPoint> make_ball_rule(int n) {
  std::vector<BallGaussPoint> made(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < made.size(); ++i)
    arb_hypgeom_legendre_p_ui_root(made[i].place.raw(), made[i].weight.raw(), static_cast<ulong>(n),
                                   i, 192);
  return made;
}

// Made once for each n.
template <class Rule>
const Rule& kept_rule(int n, Rule (*make)(int)) {
  static std::map<int, Rule> rules;
  static std::mutex guard;
  const std::lock_guard lock(guard);
  const auto found = rules.find(n);
  return found != rules.end() ? found->second : rules.emplace(n, make(n)).first->second;
}

}  // namespace

const GaussRule& gauss_legendre(int n) { return kept_rule(n, make_rule); }
const std::vector<BallGaussPoint>& ball_gauss_legendre(int n) {
  return kept_rule(n, make_ball_rule);
}

}  // namespace modicum
