#include "randomness/exact_real.h"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "modicum/numerics/errors.h"
#include "randomness/whole.h"

namespace modicum {
namespace {

constexpr long first_bits = 96, most_bits = 1L << 16;

// Asks for more digits until `decided` has an answer.
template <class Decide>
auto with_enough_digits(Decide decided) {
  for (long bits = first_bits; bits <= most_bits; bits *= 2)
    if (const auto answer = decided(bits)) return *answer;
  throw Error("65536 random bits did not decide a comparison");
}

class Expression final : public ExactReal {
 public:
  explicit Expression(std::function<Ball(long)> value) : value_(std::move(value)) {}
  Ball at(long bits) override { return value_(bits); }

 private:
  std::function<Ball(long)> value_;
};

// Gamma(shape) for shape >= 1: d (1 + c x)^3 with x normal, d = shape - 1/3, c = 1/sqrt(9 d),
// accepted if log u < x^2/2 + d - d v + d log v, v = (1 + c x)^3.
struct Proposal {
  ExactNormal normal;
  ExactUniform uniform;
  ExactParameter shape;

  Ball d() const { return shape() - Ball(1.0) / 3.0; }
  Ball root(long bits) { return Ball(1.0) + normal.at(bits) / sqrt(d() * 9.0); }
  Ball value(long bits) {
    const PrecisionScope scope(bits + 32);
    const Ball r = root(bits);
    return d() * r * r * r;
  }
  std::optional<bool> accepted(long bits) {
    const PrecisionScope scope(bits + 32);
    const Ball r = root(bits), x = normal.at(bits), v = r * r * r;
    if (r.surely_nonpositive()) return false;
    if (!r.surely_positive()) return std::nullopt;
    const Ball room = x * x / 2.0 + d() * (Ball(1.0) - v + log(v)) - log(uniform.at(bits));
    if (room.surely_positive()) return true;
    if (room.surely_negative()) return false;
    return std::nullopt;
  }
};

// The integer nearest to the ball, if it is one.
std::optional<Whole> nearest(const Ball& value) {
  Ball floor = value + 0.5;
  arb_floor(floor.raw(), floor.raw(), PrecisionScope::bits());
  Whole whole;
  if (arb_get_unique_fmpz(whole.raw(), floor.raw()) == 0) return std::nullopt;
  return whole;
}

}  // namespace

Ball ExactUniform::at(long bits) {
  const auto words = static_cast<std::size_t>((bits + 63) / 64);
  while (words_.size() < words) words_.push_back(source_.next());
  // All words drawn so far, most significant first, and the interval they leave open.
  Whole digits;
  for (const std::uint64_t word : words_) {
    fmpz_mul_2exp(digits.raw(), digits.raw(), 64);
    fmpz_add_ui(digits.raw(), digits.raw(), word);
  }
  const auto length = static_cast<long>(64 * words_.size());
  Ball result;
  arf_set_fmpz(arb_midref(result.raw()), digits.raw());
  Ball half = 0.5;
  const PrecisionScope exact(length + 8);
  result = (result + half).widened(half);
  arb_mul_2exp_si(result.raw(), result.raw(), -length);
  return result;
}

Ball ExactNormal::at(long bits) {
  const PrecisionScope scope(bits + 32);
  Ball cosine;
  arb_cos_pi(cosine.raw(), (v_.at(bits) * 2.0).raw(), PrecisionScope::bits());
  return sqrt(log(u_.at(bits)) * -2.0) * cosine;
}

std::unique_ptr<ExactReal> exact_gamma(const ExactParameter& shape, RandomSource& source) {
  // Below 1: Gamma(shape) = Gamma(shape + 1) u^{1/shape}.
  const bool small = [&] {
    const PrecisionScope scope(first_bits);
    return (Ball(1.0) - shape()).surely_positive();
  }();
  const ExactParameter raised = [shape] { return shape() + 1.0; };
  for (;;) {
    const auto proposal = std::make_shared<Proposal>(
        Proposal{ExactNormal(source), ExactUniform(source), small ? raised : shape});
    if (!with_enough_digits([&](long bits) { return proposal->accepted(bits); })) continue;
    if (!small)
      return std::make_unique<Expression>([proposal](long bits) { return proposal->value(bits); });
    const auto factor = std::make_shared<ExactUniform>(source);
    return std::make_unique<Expression>([proposal, factor, shape](long bits) {
      const PrecisionScope scope(bits + 32);
      return proposal->value(bits) * exp(log(factor->at(bits)) / shape());
    });
  }
}

double nearest_multiple(ExactReal& value, double grid) {
  return with_enough_digits([&](long bits) -> std::optional<double> {
    const PrecisionScope scope(bits + 64);
    const std::optional<Whole> whole = nearest(value.at(bits) / Ball(grid));
    if (!whole) return std::nullopt;
    if (fmpz_bits(whole->raw()) > 53)
      throw Error("the noise is more than 2^53 times the grid: choose a coarser grid");
    return fmpz_get_d(whole->raw());
  });
}

std::int64_t nearest_integer(ExactReal& value) {
  const Whole limit(0x1p62);
  return with_enough_digits([&](long bits) -> std::optional<std::int64_t> {
    const PrecisionScope scope(bits + 64);
    const Ball real = value.at(bits);
    const std::optional<Whole> whole = nearest(real);
    // A huge number is refused before all its digits are known: they may be very many.
    const bool huge = abs(real).lower() > 0x1p63;
    if (huge || (whole && fmpz_cmpabs(whole->raw(), limit.raw()) > 0))
      throw Error("the noise is beyond 2^62: choose a coarser grid");
    if (!whole) return std::nullopt;
    return fmpz_get_si(whole->raw());
  });
}

}  // namespace modicum
