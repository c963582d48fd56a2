#include <cmath>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "randomness/lazy_comparison.h"

namespace modicum {

// A double has finitely many digits, and every step below is exact: a shift, a whole part, the
// fraction that remains.
bool bernoulli(double probability, RandomSource& source) {
  if (require_probability("probability", probability) == 1.0) return true;
  double rest = probability;
  const auto digit = [&rest](std::size_t) {
    const double shifted = rest * 0x1p64, whole = std::floor(shifted);
    rest = shifted - whole;
    return static_cast<std::uint64_t>(whole);
  };
  return uniform_is_below(digit, source);
}

}  // namespace modicum
