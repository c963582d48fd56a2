// Single draws by [CanonneKamathSteinke2020, Algorithm 3]: rejection from the discrete Laplace law.
// Many draws of a small deviation from a table of sums. Every decision is that of real numbers, of
// which as many digits are drawn as it takes.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "randomness/exact_exponential.h"
#include "randomness/symmetric_table.h"

namespace modicum {
namespace {

double require_deviation(double deviation) {
  require_positive("deviation", deviation);
  if (!(deviation <= 0x1p50))
    throw InvalidParameter("deviation", deviation, "must be at most 2^50");
  return deviation;
}

// Up to here a table takes a millisecond to make.
constexpr double largest_tabulated = 32.0;

// P[|k| < 1], P[|k| < 2], .. of the discrete Gaussian law. From the last term on that is added up
// each is at most `ratio` of the one before: what is beyond is at most a geometric series.
std::vector<Ball> gaussian_sums(double deviation, std::size_t count) {
  const Ball twice_variance = Ball(deviation) * Ball(deviation) * 2.0;
  const auto term = [&](double k) { return exp(-Ball(k) * Ball(k) / twice_variance); };
  const double digits = static_cast<double>(PrecisionScope::bits());
  const auto reach = static_cast<std::size_t>(deviation * std::sqrt(1.5 * digits) + 2.0);
  std::vector<Ball> sums;
  Ball sum = 1.0;
  for (std::size_t k = 1; k <= std::max(count, reach); ++k) {
    sums.push_back(sum);
    sum += term(static_cast<double>(k)) * 2.0;
  }
  const auto next = static_cast<double>(sums.size() + 1);
  const Ball ratio = exp(Ball(-2.0 * next - 1.0) / twice_variance);
  const Ball total = sum + Ball::between(0.0, 2.0) * term(next) / (Ball(1.0) - ratio);
  sums.resize(count);
  for (Ball& each : sums) each /= total;
  return sums;
}

}  // namespace

// With t = floor(deviation) + 1 and variance s: |y| = floor(t E), E exponential, has the Laplace
// law of scale t up to the sign; it is kept with probability exp(-x), x = (|y| t - s)^2 / (2 s
// t^2). In doubles |y| t - s is wrong by 2^-51 of |y| t + s, and so x by less than 2^-46 (1 + x +
// |y|/t).
std::int64_t discrete_gaussian(double deviation, RandomSource& source) {
  require_deviation(deviation);
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

DiscreteGaussianSampler::DiscreteGaussianSampler(double deviation)
    : deviation_(require_deviation(deviation)) {
  if (deviation <= largest_tabulated)
    table_ = std::make_shared<SymmetricTable>(
        [deviation](std::size_t count) { return gaussian_sums(deviation, count); });
}

std::int64_t DiscreteGaussianSampler::draw(RandomSource& source) const {
  return table_ ? table_->draw(source) : discrete_gaussian(deviation_, source);
}

}  // namespace modicum
