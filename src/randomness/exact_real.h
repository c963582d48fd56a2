// Random real numbers without rounding: more of their digits are drawn whenever a decision needs
// them. What is rounded in the end is then exactly the rounding of the continuous law.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "modicum/randomness/random_source.h"
#include "numerics/ball.h"

namespace modicum {

/// A real number known as closely as one asks.
class ExactReal {
 public:
  virtual ~ExactReal() = default;
  /// Encloses it; the ball shrinks as `bits` grows.
  virtual Ball at(long bits) = 0;
};

/// Uniform on (0, 1): bits from the source, as many as were asked for.
class ExactUniform final : public ExactReal {
 public:
  explicit ExactUniform(RandomSource& source) : source_(source) {}
  /// Its first 64 digits were drawn before.
  ExactUniform(std::uint64_t first_word, RandomSource& source)
      : source_(source), words_{first_word} {}
  Ball at(long bits) override;

 private:
  RandomSource& source_;
  std::vector<std::uint64_t> words_;
};

/// sqrt(-2 log u) cos(2 pi v) [BoxMuller1958].
class ExactNormal final : public ExactReal {
 public:
  explicit ExactNormal(RandomSource& source) : u_(source), v_(source) {}
  /// The first 64 digits of u and v were drawn before.
  ExactNormal(std::uint64_t u, std::uint64_t v, RandomSource& source)
      : u_(u, source), v_(v, source) {}
  Ball at(long bits) override;

 private:
  ExactUniform u_, v_;
};

/// A fixed number, to the precision of the moment.
using ExactParameter = std::function<Ball()>;

/// Gamma with this shape > 0 and scale 1, by the rejection of [MarsagliaTsang2000], every
/// comparison decided with proof.
std::unique_ptr<ExactReal> exact_gamma(const ExactParameter& shape, RandomSource& source);

/// The integer nearest to value / grid; `grid` is a power of two. Ties have probability 0.
double nearest_multiple(ExactReal& value, double grid);

/// The integer nearest to value. Throws Error beyond 2^62.
std::int64_t nearest_integer(ExactReal& value);

}  // namespace modicum
