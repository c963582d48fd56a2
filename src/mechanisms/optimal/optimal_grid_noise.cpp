// A real number on a grid (docs/derivations/optimal-noise.md).
#include <algorithm>
#include <cmath>
#include <optional>

#include "mechanisms/optimal/whole_noise.h"
#include "privacy/laws/discrete_law.h"

namespace modicum {
namespace {

// In units of the grid, with rounding by b, |b| <= 1/2: E (k + b)^2 = E k^2 + b^2; E |k + b| is at
// most E |k| + |b|; |k + b| <= w + 1/2.
double with_rounding(double error, const NoiseError& measure) {
  const double added = measure.kind == NoiseError::Kind::squared ? 0.25 : 0.5;
  return std::nextafter(error + added, HUGE_VAL);
}

// Each of several answers has wider noise: a coarser grid will do, and has to where discrete
// Gaussian noise, often the best, would be wider than is computed.
double parts_for_several(const PrivacyTarget& target, double count) {
  double parts = 16.0;
  if (target.delta == 0.0) return parts;
  const double deviation = calibrate_gaussian(target, 1.0, count).parameter;
  while (parts > 1.0 && !(parts * deviation < 0.9 * largest_discrete_sigma)) parts /= 2.0;
  return parts;
}

}  // namespace

OptimalGridNoise optimal_grid_noise(const PrivacyTarget& target, double sensitivity,
                                    const NoiseError& error, double count) {
  require_real_sensitivity(sensitivity);
  require_count("count", count);
  constexpr double least_parts = 4.0, most_parts = 1024.0, enough = 1e-4;
  constexpr double rounding = 8.0 * ulp;  // of the products
  std::optional<OptimalGridNoise> best;
  double lower_bound = 0.0;
  const auto unit_of = [&](double grid) {
    return error.kind == NoiseError::Kind::squared ? grid * grid : grid;
  };
  const auto on_grid = [&](double parts, double answers) {
    const double grid = sensitivity / parts;
    const auto whole = optimal_integer_noise(target, parts, error, answers);
    const double own = with_rounding(whole->error, error) * unit_of(grid) * (1.0 + rounding);
    return OptimalGridNoise{whole, grid, own, 0.0};
  };
  for (double parts = least_parts; parts <= most_parts; parts *= 2.0) {
    try {
      const OptimalGridNoise next = on_grid(parts, 1.0);
      lower_bound = std::max(lower_bound, bound_off_grid(next.whole->lower_bound, error) *
                                              unit_of(next.grid) * (1.0 - rounding));
      if (!best || next.error < best->error) best = next;
      if (next.error * (1.0 - enough) <= lower_bound) break;
      const auto* table = std::get_if<IntegerNoise>(&next.whole->noise);
      if (table != nullptr && table->probabilities.size() > 20000) break;
    } catch (const TargetUnreachable&) {
      if (!best) throw;
      break;
    }
  }
  if (count > 1.0) best = on_grid(parts_for_several(target, count), count);
  best->lower_bound = lower_bound;
  return *best;
}

double floor_of_one_number(const PrivacyTarget& target, const NoiseError& error) {
  double floor = 0.0;
  for (const double parts : {4.0, 64.0}) {
    const double grid = 1.0 / parts;
    const double unit = error.kind == NoiseError::Kind::squared ? grid * grid : grid;
    try {
      const double own = optimal_integer_noise(target, parts, error)->lower_bound;
      floor = std::max(floor, bound_off_grid(own, error) * unit);
    } catch (const TargetUnreachable&) {  // too wide a table
    }
  }
  return floor;
}

// The remainders are those of exact numbers, rounded once: their signs are right.
std::int64_t grid_place(double value, double grid) {
  require_positive("grid", grid);
  double place = std::floor(require_finite("value", value) / grid + 0.5);
  if (!(std::abs(place) <= 0x1p50))
    throw InvalidParameter("value", value, "must be within 2^50 multiples of the grid");
  while (std::fma(-(place - 0.5), grid, value) < 0.0) place -= 1.0;
  while (std::fma(-(place + 0.5), grid, value) >= 0.0) place += 1.0;
  return static_cast<std::int64_t>(place);
}

}  // namespace modicum
