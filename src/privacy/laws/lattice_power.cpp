#include "privacy/laws/lattice_power.h"

#include <acb_dft.h>
#include <arb_poly.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace modicum {
namespace {

constexpr long digits_in_bits = 256;  // of the masses in a window
constexpr double largest_window = 0x1p15;

double sum_of(const std::vector<double>& masses, double tilt, int power) {
  double sum = 0.0;
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const auto place = static_cast<double>(k);
    sum += masses[k] * std::pow(place, power) * std::exp(tilt * place);
  }
  return sum;
}

Ball moment(const std::vector<Ball>& masses, const Ball& tilt) {
  const Ball factor = exp(tilt);
  Ball sum;
  for (std::size_t k = masses.size(); k-- > 0;) sum = sum * factor + masses[k];
  return sum;
}

// Chernoff: of the measure tilted by e^{-base k} the mass at and beyond `end`, on the side of the
// sign of `tilt`.
Ball mass_beyond(const std::vector<Ball>& masses, double count, const Ball& base, double tilt,
                 double end) {
  return exp(Ball(count) * log(moment(masses, Ball(tilt) - base)) - Ball(tilt) * Ball(end));
}

struct End {
  double place, tilt;
};

// About where the mass beyond is e^-target of all, on the side of the sign; the end of all, if it
// is not less than that anywhere.
End end_where(const std::vector<double>& masses, double count, double base, double sign,
              double target) {
  const double all = sign > 0.0 ? count * static_cast<double>(masses.size() - 1) : 0.0;
  const auto mean = [&](double tilt) {
    return count * sum_of(masses, tilt - base, 1) / sum_of(masses, tilt - base, 0);
  };
  const auto exponent = [&](double tilt) {
    const double log_ratio =
        std::log(sum_of(masses, tilt - base, 0)) - std::log(sum_of(masses, -base, 0));
    return count * log_ratio - tilt * mean(tilt);
  };
  double low = 0.0, high = 1e-9;
  while (exponent(sign * high) > -target && high < 64.0) high *= 2.0;
  if (!(exponent(sign * high) <= -target)) return {all, 0.0};
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (exponent(sign * middle) > -target ? low : high) = middle;
  }
  return {mean(sign * high), sign * high};
}

std::vector<Ball> transformed(const std::vector<Ball>& masses, double count, double first,
                              long size) {
  const long bits = PrecisionScope::bits();
  acb_ptr values = _acb_vec_init(size);
  for (std::size_t k = 0; k < masses.size(); ++k)
    arb_add(acb_realref(values + static_cast<long>(k) % size),
            acb_realref(values + static_cast<long>(k) % size), masses[k].raw(), bits);
  acb_dft(values, values, size, bits);
  ComplexBall turn;
  for (long j = 0; j < size; ++j) {
    acb_pow_ui(values + j, values + j, static_cast<unsigned long>(count), bits);
    // Moved by `first`: e^{2 pi i j first / size}, the fraction of the turn without rounding.
    const double part = std::fmod(static_cast<double>(j) * std::fmod(first, size), size);
    const Ball angle = Ball(2.0 * part) / Ball(static_cast<double>(size));
    arb_sin_cos_pi(acb_imagref(turn.raw()), acb_realref(turn.raw()), angle.raw(), bits);
    acb_mul(values + j, values + j, turn.raw(), bits);
  }
  acb_dft_inverse(values, values, size, bits);
  std::vector<Ball> result(static_cast<std::size_t>(size));
  for (long k = 0; k < size; ++k)
    arb_set(result[static_cast<std::size_t>(k)].raw(), acb_realref(values + k));
  _acb_vec_clear(values, size);
  return result;
}

}  // namespace

LatticePower whole_power(const std::vector<Ball>& masses, double count) {
  double least = 0.0;
  for (const Ball& mass : masses)
    if (mass.surely_positive()) least = std::min(least, log(mass).lower());
  const PrecisionScope scope(192 +
                             static_cast<long>(std::clamp(-1.5 * count * least, 0.0, 1200.0)));
  const auto size = static_cast<long>(masses.size());
  const auto length = static_cast<long>(count) * (size - 1) + 1;
  arb_ptr base = _arb_vec_init(size), result = _arb_vec_init(length);
  for (long k = 0; k < size; ++k) arb_set(base + k, masses[static_cast<std::size_t>(k)].raw());
  _arb_poly_pow_ui_trunc_binexp(result, base, size, static_cast<unsigned long>(count), length,
                                PrecisionScope::bits());
  LatticePower power;
  power.masses.resize(static_cast<std::size_t>(length));
  for (long k = 0; k < length; ++k)
    arb_set(power.masses[static_cast<std::size_t>(k)].raw(), result + k);
  _arb_vec_clear(base, size);
  _arb_vec_clear(result, length);
  return power;
}

std::optional<LatticePower> power_in_window(const std::vector<Ball>& masses, double count,
                                            const Ball& step) {
  std::vector<double> about;
  for (const Ball& mass : masses) about.push_back(mass.middle());
  const double target = digits_in_bits * std::numbers::ln2, rate = step.middle();
  const End low = end_where(about, count, rate, -1.0, target);
  const double first = std::floor(low.place);
  // Under Y the sums next to the first have this much more than under X, times its whole mass.
  const double more = std::max(0.0, -rate * first - count * std::log(sum_of(about, -rate, 0)));
  const End high = end_where(about, count, 0.0, 1.0, target + more);
  const double needed = high.place + 2.0 - first;
  if (!(needed <= largest_window && more < 8.0 * target)) return std::nullopt;
  if (!(count * static_cast<double>(masses.size()) < 0x1p50)) return std::nullopt;  // exact places
  double size = 64.0;
  while (size < needed) size *= 2.0;

  const PrecisionScope scope(2 * digits_in_bits + static_cast<long>(more * std::numbers::log2e));
  const double end = first + size;
  LatticePower power{first, transformed(masses, count, first, static_cast<long>(size)), {}, {}, {},
                     {}};
  const Ball at_first = exp(step * Ball(first)), at_end = exp(-step * Ball(end));
  if (first > 0.0) {
    const Ball below = mass_beyond(masses, count, step, low.tilt, first);
    power.below_y = hull(Ball(0.0), below);
    power.below_x = hull(Ball(0.0), below * at_first);
  }
  if (end <= count * static_cast<double>(masses.size() - 1)) {
    const Ball above = mass_beyond(masses, count, Ball(0.0), high.tilt, end);
    power.above_x = hull(Ball(0.0), above);
    power.above_y = hull(Ball(0.0), above * at_end);
  }
  // What is beyond the window comes back into it.
  const Ball wrapped = power.below_x + power.above_x;
  for (Ball& mass : power.masses) mass = max(mass - wrapped, Ball(0.0));
  return power;
}

}  // namespace modicum
