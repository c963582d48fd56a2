#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "modicum/randomness/samplers.h"
#include "randomness/unit_interval.h"
#include "randomness/ziggurat.h"

namespace modicum {
namespace {

double density(double x) { return std::exp(-0.5 * x * x); }

// One word holds everything: 8 bits for the layer, one for the sign, 55 for the place. They are
// different bits, so that place and layer are independent.
double normal_from(const Ziggurat& ziggurat, RandomSource& source) {
  for (;;) {
    const std::uint64_t word = source.next();
    const std::size_t layer = word & 0xff;
    const double place = (static_cast<double>(word >> 9) + 0.5) * ziggurat.step[layer];
    // Without a jump, which would be guessed wrong half of the time.
    const auto signed_by_word = [word](double x) {
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | (word & 0x100) << 55U);
    };
    if (place < ziggurat.width[layer + 1]) return signed_by_word(place);
    if (layer == 0) return signed_by_word(normal_beyond_edge(source));
    const double low = ziggurat.height[layer], high = ziggurat.height[layer + 1];
    if (low + (high - low) * unit_interval(source) < density(place)) return signed_by_word(place);
  }
}

const Ziggurat& ziggurat() {
  static const Ziggurat only;
  return only;
}

}  // namespace

// From the edge up, each height is the one before plus area / width. Extended precision keeps what
// the 255 steps add up to below a rounding of the stored doubles.
Ziggurat::Ziggurat() {
  using Long = long double;
  const Long first = 3.654152885361008771645429720399515762974L;
  const Long at_edge = std::exp(-first * first / 2);
  const Long area = first * at_edge + std::sqrt(std::numbers::pi_v<Long> / 2) *
                                          std::erfc(first / std::numbers::sqrt2_v<Long>);
  width[0] = static_cast<double>(area / at_edge);
  height[0] = 0.0;
  Long x = first, y = at_edge;
  for (std::size_t i = 1; i < layers; ++i) {
    width[i] = static_cast<double>(x);
    height[i] = static_cast<double>(y);
    y += area / x;
    x = std::sqrt(-2 * std::log(y));
  }
  width[layers] = 0.0;
  height[layers] = 1.0;
  for (std::size_t i = 0; i < layers; ++i) step[i] = width[i] * 0x1p-55;
}

// Marsaglia's method: beyond the edge r the density of x = r + t is proportional to
// exp(-r t) exp(-t^2/2); draw t from the first factor, keep it with the probability of the second.
double normal_beyond_edge(RandomSource& source) {
  for (;;) {
    const double beyond = -std::log(unit_interval(source)) / Ziggurat::edge;
    if (-2.0 * std::log(unit_interval(source)) > beyond * beyond) return Ziggurat::edge + beyond;
  }
}

double standard_normal(RandomSource& source) { return normal_from(ziggurat(), source); }

void fill_standard_normals(std::span<double> values, RandomSource& source) {
  const Ziggurat& tables = ziggurat();
  for (double& value : values) value = normal_from(tables, source);
}

}  // namespace modicum
