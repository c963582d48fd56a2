#include "modicum/mechanisms/discrete_staircase.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"
#include "privacy/laws/table_law.h"
#include "randomness/exact_exponential.h"
#include "randomness/symmetric_table.h"

namespace modicum {
namespace {

bool is_whole_within(double value, double most) {
  return value >= 1.0 && value <= most && value == std::floor(value);
}

// Uniform on 0, .., count - 1.
std::uint64_t uniform_place(std::uint64_t count, RandomSource& source) {
  const std::uint64_t refused = -count % count;
  for (;;)
    if (const std::uint64_t word = source.next(); word >= refused) return word % count;
}

}  // namespace

const Staircase& require_staircase(const Staircase& staircase) {
  require_positive("epsilon", staircase.epsilon);
  if (!is_whole_within(staircase.sensitivity, 0x1p25))
    throw InvalidParameter("sensitivity", staircase.sensitivity,
                           "must be a whole number from 1 to 2^25");
  if (!is_whole_within(staircase.inner, staircase.sensitivity))
    throw InvalidParameter("inner", staircase.inner,
                           "must be a whole number from 1 to the sensitivity");
  return staircase;
}

// With Z = 2 inner - 1 + 2 D q / (1 - q), q = e^-epsilon, the noise moved by D against the noise:
// the loss is epsilon from D on, where X has (1 + 1/Z)/2, and -epsilon up to 0. Between, where two
// integers lie in the same step, it is 0 (docs/derivations/optimal-noise.md).
PrivacyLoss discrete_staircase(const Staircase& staircase) {
  const auto& [epsilon, inner, sensitivity] = require_staircase(staircase);
  if (sensitivity == 1.0) return PrivacyLoss::two_point(Precise::exactly(epsilon));
  const PrecisionScope scope(192);
  const Ball q = exp(-Ball(epsilon)), one = 1.0;
  const Ball z = Ball(2.0 * inner - 1.0) + Ball(2.0 * sensitivity) * q / -expm1(-Ball(epsilon));
  const Ball down = (one + one / z) / 2.0 + Ball(std::min(inner - 1.0, sensitivity - inner)) / z;
  const Ball level = (Ball(std::max(0.0, 2.0 * inner - sensitivity - 1.0)) +
                      q * Ball(std::max(0.0, sensitivity - 2.0 * inner + 1.0))) /
                     z;
  const auto law = table_law({-epsilon, 0.0, epsilon}, {q * down, level, down});
  return PrivacyLoss::law(law, law);
}

// A step with probability proportional to q^j, then an integer of 2 D: those of the innermost step
// beyond its 2 inner - 1 are refused.
std::int64_t draw_staircase(const Staircase& staircase, RandomSource& source) {
  const auto& [epsilon, inner, sensitivity] = require_staircase(staircase);
  const auto width = static_cast<std::uint64_t>(sensitivity);
  for (;;) {
    // At least j with probability exactly e^{-epsilon j}.
    const auto steps = static_cast<double>(ExactExponential(source).whole_part(1.0, epsilon));
    const auto place = static_cast<double>(uniform_place(2 * width, source));
    if (steps == 0.0) {
      if (place < 2.0 * inner - 1.0) return static_cast<std::int64_t>(place - (inner - 1.0));
      continue;
    }
    const bool negative = place >= sensitivity;
    const double within = inner + (negative ? place - sensitivity : place);
    if (!(steps * sensitivity < 0x1p52)) throw Error("the noise is beyond 2^52");
    const auto size = static_cast<std::int64_t>(within + (steps - 1.0) * sensitivity);
    return negative ? -size : size;
  }
}

namespace {

// Up to here a table takes milliseconds to make.
constexpr double most_tabulated = 2048.0;

// P[|k| < 1], P[|k| < 2], ..: 2 j - 1 of the first step, then 2 D of each, and a part of the last.
std::vector<Ball> staircase_sums(const Staircase& staircase, std::size_t count) {
  const Ball q = exp(-Ball(staircase.epsilon));
  const Ball first = 2.0 * staircase.inner - 1.0, step = 2.0 * staircase.sensitivity;
  const Ball total = first + step * q / -expm1(-Ball(staircase.epsilon));
  std::vector<Ball> sums;
  Ball sum = 1.0, height = 1.0;
  double next_step = staircase.inner;
  for (double k = 1.0; sums.size() < count; k += 1.0) {
    sums.push_back(sum / total);
    if (k == next_step) {
      height *= q;
      next_step += staircase.sensitivity;
    }
    sum += height * 2.0;
  }
  return sums;
}

}  // namespace

StaircaseSampler::StaircaseSampler(const Staircase& staircase)
    : staircase_(require_staircase(staircase)) {
  // What lies beyond 45 / epsilon steps is less than 2^-64.
  if (staircase.sensitivity * (45.0 / staircase.epsilon + 1.0) <= most_tabulated)
    table_ = std::make_shared<SymmetricTable>(
        [staircase](std::size_t count) { return staircase_sums(staircase, count); });
}

std::int64_t StaircaseSampler::draw(RandomSource& source) const {
  return table_ ? table_->draw(source) : draw_staircase(staircase_, source);
}

}  // namespace modicum
