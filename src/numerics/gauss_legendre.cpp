#include "numerics/gauss_legendre.h"

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

}  // namespace

const GaussRule& gauss_legendre(int n) {
  static std::map<int, GaussRule> rules;
  static std::mutex guard;
  const std::lock_guard lock(guard);
  const auto found = rules.find(n);
  return found != rules.end() ? found->second : rules.emplace(n, make_rule(n)).first->second;
}

}  // namespace modicum
