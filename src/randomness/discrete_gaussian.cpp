// [CanonneKamathSteinke2020, Algorithm 3]: rejection from the discrete Laplace law. Every decision
// is that of real numbers, of which as many digits are drawn as it takes.
#include <cmath>
#include <cstdint>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "randomness/exact_exponential.h"

namespace modicum {

// With t = floor(deviation) + 1 and variance s: |y| = floor(t E), E exponential, has the Laplace
// law of scale t up to the sign; it is kept with probability exp(-x), x = (|y| t - s)^2 / (2 s
// t^2). In doubles |y| t - s is wrong by 2^-51 of |y| t + s, and so x by less than 2^-46 (1 + x +
// |y|/t).
std::int64_t discrete_gaussian(double deviation, RandomSource& source) {
  require_positive("deviation", deviation);
  if (!(deviation <= 0x1p50))
    throw InvalidParameter("deviation", deviation, "must be at most 2^50");
  const double t = std::floor(deviation) + 1.0, s = deviation * deviation;
  for (;;) {
    const std::int64_t size = ExactExponential(source).whole_part(t, 1.0);
    const bool negative = source.next() >> 63 != 0;
    if (negative && size == 0) continue;
    const auto y = static_cast<double>(size);
    const double apart = (y * t - s) / t, x = apart * apart / (2.0 * s);
    const bool kept =
        ExactExponential(source).exceeds(x, 0x1p-46 * (1.0 + x + y / t), [&]() -> Ball {
          Ball exact;
          arb_set_si(exact.raw(), size);
          const Ball variance = Ball(deviation) * deviation;
          const Ball difference = exact * t - variance;
          return difference * difference / (variance * t * t * 2.0);
        });
    if (kept) return negative ? -size : size;
  }
}

}  // namespace modicum
