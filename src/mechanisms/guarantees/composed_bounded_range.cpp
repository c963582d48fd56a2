#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/numerics/bracketing.h"
#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// sum over m >= 0 of (tau/2)^{2m+1} tau^d / (d + 2m + 1)!, all terms positive. From a ratio of
// terms below 1/2 on, what is left is less than the last term.
Ball tail_series(const Ball& tau, double count) {
  Ball term = 0.5 * tau;
  for (double i = 1.0; i <= count; i += 1.0) term = term * tau / Ball(i);
  term = term / Ball(count + 1.0);
  const Ball square = tau * tau * 0.25;
  const Ball negligible =
      std::ldexp(1.0, -static_cast<int>(std::min(1000L, PrecisionScope::bits())));
  Ball sum;
  for (double m = 0.0;; m += 1.0) {
    sum += term;
    const Ball ratio = square / (Ball(count + 2.0 * m + 2.0) * Ball(count + 2.0 * m + 3.0));
    term = term * ratio;
    // Compared as balls: terms may be far below the least double.
    if (ratio.upper() < 0.5 && (term - sum * negligible).surely_nonpositive())
      return sum.widened(Ball(2.0) * term);
  }
}

// With each loss uniform on [-r, r] after tilting by 1/2:
//   delta = 2 e^{epsilon/2} / (4 sinh(r/2))^d sum over j with tau_j = (d - 2 j) r - epsilon > 0 of
//           (-1)^j binomial(d, j) tail_series(tau_j).
Ball delta_at(double range, double count, double epsilon) {
  const Ball r = range;
  Ball binomial = 1.0, sum;
  for (double j = 0.0; j <= 0.5 * count; j += 1.0) {
    const Ball tau = Ball(count - 2.0 * j) * r - Ball(epsilon);
    if (tau.surely_nonpositive()) break;
    if (!tau.surely_positive()) {  // a term of at most the size of this ball's upper end
      sum = sum.widened(binomial * tail_series(Ball(tau.upper()), count));
      break;
    }
    const Ball term = binomial * tail_series(tau, count);
    sum = std::fmod(j, 2.0) == 0.0 ? sum + term : sum - term;
    binomial = binomial * Ball(count - j) / Ball(j + 1.0);
  }
  const Ball factor = Ball(2.0) * (exp(Ball(0.5) * r) - exp(Ball(-0.5) * r));
  return Ball(2.0) * exp(Ball(0.5 * epsilon)) * sum / exp(Ball(count) * log(factor));
}

}  // namespace

// The alternating sum loses digits, more of them the larger the count: precision is doubled until
// enough are left.
Enclosure composed_bounded_range_delta(double range, double count, double epsilon) {
  require_non_negative("range", range);
  require_count("count", count);
  require_non_negative("epsilon", epsilon);
  if (range == 0.0) return Enclosure::exactly(0.0);
  const PrecisionScope enough(128);
  if ((Ball(range) * Ball(count) - Ball(epsilon)).surely_nonpositive())
    return Enclosure::exactly(0.0);
  // Series of so many terms are not worth while: nobody calls such a loss private, and for so many
  // copies zero-concentrated privacy says as much.
  if (!(range * count - epsilon < 2e4 && count <= 1000.0)) return {0.0, 1.0};
  Enclosure best(0.0, 1.0);
  for (long bits = 128; bits <= 1 << 14; bits *= 2) {
    const PrecisionScope scope(bits);
    const Ball delta = delta_at(range, count, epsilon);
    if (!delta.finite()) continue;
    best = delta.enclosure().within(0.0, 1.0);
    if (best.relative_width() < 1e-14 || best.upper() < 1e-300) break;
  }
  return best;
}

double composed_bounded_range_epsilon(double range, double count, double delta) {
  require_open_unit("delta", delta);
  // The logarithms of different numbers may be the same double: the sign is that of the comparison.
  const auto excess = [&](double epsilon) {
    const double found = composed_bounded_range_delta(range, count, epsilon).upper();
    const double difference = std::log(found) - std::log(delta);
    return found > delta ? std::max(difference, 1e-300) : std::min(difference, 0.0);
  };
  if (!(excess(0.0) > 0.0)) return 0.0;
  const PrecisionScope scope(128);
  return narrow_bracket(excess, {0.0, (Ball(range) * Ball(count)).upper()}, 1e-12).high;
}

}  // namespace modicum
