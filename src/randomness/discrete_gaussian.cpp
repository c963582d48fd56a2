// [CanonneKamathSteinke2020, Algorithms 1 to 3]: rejection from the discrete Laplace law. Every
// number that decides is an integer or a ratio of integers; doubles only carry the argument.
#include <cmath>
#include <cstdint>
#include <vector>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "randomness/lazy_comparison.h"
#include "randomness/whole.h"

namespace modicum {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double largest_deviation = 0x1p50;
constexpr std::uint64_t largest_result = std::uint64_t{1} << 62;

// Uniform on 0, .., count - 1: the upper half of word * count. Lower halves below 2^64 mod count
// are refused, so that each value keeps equally many words; that remainder is below count.
std::uint64_t uniform_below(std::uint64_t count, RandomSource& source) {
  if (count == 1) return 0;
  for (;;) {
    const Wide product = static_cast<Wide>(source.next()) * count;
    const auto lower = static_cast<std::uint64_t>(product);
    if (lower >= count || lower >= -count % count) return static_cast<std::uint64_t>(product >> 64);
  }
}

// True with probability exp(-g), 0 <= g <= 1, given a way to be true with probability g:
// algorithm 1, where a draw with probability g / k is one with 1/k and one with g.
template <class WithProbability>
bool exponential(WithProbability with_probability, RandomSource& source) {
  std::uint64_t k = 1;
  while (uniform_below(k, source) == 0 && with_probability()) ++k;
  return k % 2 == 1;
}

bool inverse_of_e(RandomSource& source) {
  return exponential([] { return true; }, source);
}

// A fraction of integers in [0, 1) and its digits to base 2^64, found as they are asked for.
class Fraction {
 public:
  Fraction(const Whole& numerator, const Whole& denominator)
      : remainder_(numerator), denominator_(denominator) {}
  bool happens(RandomSource& source) {
    return uniform_is_below([this](std::size_t i) { return digit(i); }, source);
  }

 private:
  std::uint64_t digit(std::size_t i) {
    while (digits_.size() <= i) {
      Whole quotient;
      fmpz_mul_2exp(remainder_.raw(), remainder_.raw(), 64);
      fmpz_fdiv_qr(quotient.raw(), remainder_.raw(), remainder_.raw(), denominator_.raw());
      digits_.push_back(fmpz_get_ui(quotient.raw()));
    }
    return digits_[i];
  }

  Whole remainder_, denominator_;
  std::vector<std::uint64_t> digits_;
};

// True with probability exp(-numerator / denominator): the whole part as that many draws with
// probability 1/e, of which the first few almost always end it, then the fraction.
bool exponential_of_ratio(const Whole& numerator, const Whole& denominator, RandomSource& source) {
  Whole whole, remainder;
  fmpz_fdiv_qr(whole.raw(), remainder.raw(), numerator.raw(), denominator.raw());
  for (; fmpz_sgn(whole.raw()) > 0; fmpz_sub_ui(whole.raw(), whole.raw(), 1))
    if (!inverse_of_e(source)) return false;
  Fraction fraction(remainder, denominator);
  return exponential([&] { return fraction.happens(source); }, source);
}

struct SignedWhole {
  bool negative;
  std::uint64_t size;
};

// P[y] proportional to exp(-|y| / scale): algorithm 2.
SignedWhole discrete_laplace(std::uint64_t scale, RandomSource& source) {
  for (;;) {
    const std::uint64_t rest = uniform_below(scale, source);
    // uniform_below(scale) < rest has probability rest / scale.
    const auto with_ratio = [&] { return uniform_below(scale, source) < rest; };
    if (!exponential(with_ratio, source)) continue;
    std::uint64_t size = rest;
    while (inverse_of_e(source)) {
      size += scale;
      if (size > largest_result) throw Error("the noise is beyond 2^62");
    }
    const bool negative = source.next() >> 63 != 0;
    if (!(negative && size == 0)) return {negative, size};
  }
}

// deviation^2 = square / 2^shift, exactly.
struct Variance {
  Whole square;
  unsigned long shift;
};

Variance variance_of(double deviation) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(deviation, &exponent), 53);
  exponent -= 53;
  Variance result{Whole(mantissa), 0};
  fmpz_mul(result.square.raw(), result.square.raw(), result.square.raw());
  if (exponent >= 0)
    fmpz_mul_2exp(result.square.raw(), result.square.raw(), 2UL * static_cast<unsigned>(exponent));
  else result.shift = 2UL * static_cast<unsigned>(-exponent);
  return result;
}

}  // namespace

// Algorithm 3, with t = floor(deviation) + 1 and variance s: y from the Laplace law of scale t is
// kept with probability exp(-(|y| - s/t)^2 / (2 s)); the exponent is
//   (|y| t 2^shift - square)^2 / (2 square t^2 2^shift).
std::int64_t discrete_gaussian(double deviation, RandomSource& source) {
  require_positive("deviation", deviation);
  if (!(deviation <= largest_deviation))
    throw InvalidParameter("deviation", deviation, "must be at most 2^50");
  const auto [square, shift] = variance_of(deviation);
  const auto scale = static_cast<std::uint64_t>(std::floor(deviation)) + 1;
  Whole denominator, numerator;
  fmpz_mul_ui(denominator.raw(), square.raw(), scale);
  fmpz_mul_ui(denominator.raw(), denominator.raw(), scale);
  fmpz_mul_2exp(denominator.raw(), denominator.raw(), shift + 1);
  for (;;) {
    const SignedWhole proposal = discrete_laplace(scale, source);
    fmpz_set_ui(numerator.raw(), proposal.size);
    fmpz_mul_ui(numerator.raw(), numerator.raw(), scale);
    fmpz_mul_2exp(numerator.raw(), numerator.raw(), shift);
    fmpz_sub(numerator.raw(), numerator.raw(), square.raw());
    fmpz_mul(numerator.raw(), numerator.raw(), numerator.raw());
    if (!exponential_of_ratio(numerator, denominator, source)) continue;
    const auto size = static_cast<std::int64_t>(proposal.size);
    return proposal.negative ? -size : size;
  }
}

}  // namespace modicum
