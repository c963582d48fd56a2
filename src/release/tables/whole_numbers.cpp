#include "release/tables/whole_numbers.h"

#include <cmath>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"

namespace modicum {
namespace {

int exponent_of(double power_of_two) { return std::ilogb(power_of_two); }

[[noreturn]] void overflow() {
  throw Error("the answer is too large for the grid of the noise; nothing is released");
}

}  // namespace

double power_of_two_below(double value) {
  return std::ldexp(1.0, std::ilogb(require_positive("noise scale", value)));
}

double grid_below(double noise_scale) {
  return power_of_two_below(require_positive("noise scale", noise_scale * 0x1p-24));
}

OnGrid split(Integer128 multiple, double from, double grid) {
  const int shift = exponent_of(grid) - exponent_of(from);
  if (shift > 52) overflow();
  if (shift <= 0) {
    const Integer128 limit = Integer128{1} << 100;
    if (-shift > 99 || multiple > (limit >> -shift) || multiple < -(limit >> -shift)) overflow();
    return {multiple * (Integer128{1} << -shift), 0.0};
  }
  // Rounds half upwards; the remainder has at most 52 bits, so it is an exact double.
  const Integer128 unit = Integer128{1} << shift;
  const Integer128 whole = (multiple + unit / 2) >> shift;
  return {whole, static_cast<double>(multiple - whole * unit) / static_cast<double>(unit)};
}

OnGrid split(double value, double grid) {
  if (!(std::abs(value) < 0x1p100 * grid)) overflow();
  // The remainder, and what is left without it, are exact (IEEE 754); so are powers of two.
  const double remainder = std::remainder(value, grid);
  return {static_cast<Integer128>((value - remainder) / grid), remainder / grid};
}

Integer128 add_rounded_normal(const OnGrid& value, double deviation, double grid,
                              RandomSource& source) {
  return value.whole + rounded_normal(deviation / grid, value.remainder, source);
}

double to_double(Integer128 multiple, double grid) { return static_cast<double>(multiple) * grid; }

}  // namespace modicum
