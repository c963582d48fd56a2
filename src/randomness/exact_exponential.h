// An exponential variable without rounding: -log u, u uniform. Doubles decide nearly always, and
// balls where these leave it open.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "modicum/numerics/errors.h"
#include "randomness/exact_real.h"

namespace modicum {

class ExactExponential final : public ExactReal {
 public:
  explicit ExactExponential(RandomSource& source) : word_(source.next()), source_(source) {}

  Ball at(long bits) override {
    if (!uniform_) uniform_.emplace(word_, source_);
    const PrecisionScope scope(bits + 64);
    return -log(uniform_->at(bits));
  }

  /// Its value, and how far off that may be: the digits of u that are not drawn are 1/word of it;
  /// the logarithm is taken to be right to 2^-48 of itself or of 1.
  double value() const { return -std::log(static_cast<double>(word_) * 0x1p-64); }
  double room() const {
    if (word_ < std::uint64_t{1} << 40) return HUGE_VAL;
    return 0x1p-48 * (1.0 + value()) + 1.0 / static_cast<double>(word_);
  }

  /// Whether it exceeds a number that is `about` but for `off`, and `exactly()` to any precision.
  template <class Exactly>
  bool exceeds(double about, double off, Exactly exactly) {
    const double apart = value() - about;
    if (std::abs(apart) > room() + off) return apart > 0.0;
    for (long bits = 128; bits <= 1L << 16; bits *= 2) {
      const PrecisionScope scope(bits + 64);
      const Ball rest = at(bits) - exactly();
      if (rest.surely_positive()) return true;
      if (rest.surely_negative()) return false;
    }
    throw Error("65536 random bits did not decide a comparison");
  }

  /// The whole part of its product with factor / divisor. Throws Error beyond 2^62.
  std::int64_t whole_part(double factor, double divisor) {
    const double scale = factor / divisor, product = value() * scale, low = std::floor(product);
    const double off = room() * scale * (1.0 + 0x1p-40) + 0x1p-50 * product;
    if (low < 0x1p40 && product - low > off && low + 1.0 - product > off)
      return static_cast<std::int64_t>(low);
    Shifted shifted(*this, factor, divisor);
    return nearest_integer(shifted);
  }

 private:
  // Less 1/2: the nearest integer is then the whole part.
  class Shifted final : public ExactReal {
   public:
    Shifted(ExactExponential& exponential, double factor, double divisor)
        : exponential_(exponential), factor_(factor), divisor_(divisor) {}
    Ball at(long bits) override {
      const PrecisionScope scope(bits + 64);
      return exponential_.at(bits) * factor_ / divisor_ - 0.5;
    }

   private:
    ExactExponential& exponential_;
    Ball factor_, divisor_;
  };

  std::uint64_t word_;
  RandomSource& source_;
  std::optional<ExactUniform> uniform_;
};

}  // namespace modicum
