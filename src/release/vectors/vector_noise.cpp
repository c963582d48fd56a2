// Exact noise on a vector: gaussian, l2, the best spherical noise, or the best on two numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/optimal_disc_noise.h"
#include "modicum/mechanisms/spherical_optimum.h"
#include "modicum/mechanisms/spherical_sampler.h"
#include "modicum/release/vector_release.h"
#include "release/certificates/public_certificate.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// About the noise on each number: only a grid depends on it.
double rough_scale(const PrivacyTarget& target, double sensitivity) {
  if (target.delta > 0.0)
    return calibrate_gaussian(target, sensitivity, 1.0, Accuracy::fast).parameter;
  return require_positive("epsilon", sensitivity / target.epsilon);
}

// Near 2^-24 of the noise. An answer on a grid of its own is not stretched beyond whole numbers of
// 128 bits, nor rounded so much that its remainder would not be a double.
double noise_grid(double scale, double answer_grid) {
  const double grid = grid_below(scale);
  if (answer_grid == 0.0) return grid;
  return std::clamp(grid, answer_grid * 0x1p-40, answer_grid * 0x1p52);
}

OnGrid coordinate(const VectorAnswer& answer, std::size_t index, double grid) {
  return answer.grid > 0.0 ? split(answer.multiples[index], answer.grid, grid)
                           : split(answer.values[index], grid);
}

}  // namespace

// The law of the rounding of answer + noise itself: nothing is added to the sensitivity.
VectorNoisePlan plan_gaussian_noise(double standard_deviation, double dimension, double sensitivity,
                                    double answer_grid, const ProfilePoint& achieved) {
  require_count("dimension", dimension);
  require_positive("sensitivity", sensitivity);
  require_positive("standard_deviation", standard_deviation);
  return {VectorNoise::gaussian, dimension,
          sensitivity,           noise_grid(standard_deviation, answer_grid),
          sensitivity,           standard_deviation,
          std::nullopt,          achieved};
}

VectorNoisePlan plan_vector_noise(const PrivacyTarget& target, VectorNoise noise, double dimension,
                                  double sensitivity, double answer_grid) {
  require_count("dimension", dimension);
  require_positive("sensitivity", sensitivity);
  if (noise == VectorNoise::optimal && dimension != 2.0)
    throw InvalidParameter("noise", "optimal",
                           fmt::format("must be for two numbers, and here are {}", dimension));
  if (noise == VectorNoise::gaussian) {
    const Calibration found = calibrate_gaussian(target, sensitivity);
    require_achieved(target, found.achieved);
    return plan_gaussian_noise(found.parameter, dimension, sensitivity, answer_grid,
                               found.achieved);
  }
  const double grid = noise_grid(rough_scale(target, sensitivity), answer_grid);
  // Spherical noise is added to the answer on the grid, which is there already or moves there.
  const bool on_grid = answer_grid > 0.0 && grid <= answer_grid;
  const double calibrated =
      on_grid ? sensitivity : sensitivity_on_grid(sensitivity, dimension, grid);
  if (noise == VectorNoise::l2) {
    const Calibration found = calibrate_l2(target, dimension, calibrated);
    require_achieved(target, found.achieved);
    return {noise,
            dimension,
            sensitivity,
            grid,
            calibrated,
            std::nullopt,
            SphericalNoise::l2(dimension, found.parameter),
            found.achieved};
  }
  if (noise == VectorNoise::optimal) {
    const auto found = optimal_disc_noise(target, calibrated);
    require_achieved(target, found->achieved);
    return {noise,        dimension,    sensitivity,     grid,        calibrated,
            std::nullopt, std::nullopt, found->achieved, found->noise};
  }
  const SphericalOptimum found = optimize_spherical(target, dimension, calibrated);
  require_achieved(target, found.achieved);
  return {noise,      dimension,    sensitivity, grid,
          calibrated, std::nullopt, found.noise, found.achieved};
}

std::vector<double> draw_vector(const VectorNoisePlan& plan, const VectorAnswer& answer,
                                RandomSource& source) {
  const std::size_t size = answer.grid > 0.0 ? answer.multiples.size() : answer.values.size();
  if (static_cast<double>(size) != plan.dimension)
    throw InvalidParameter("answer", static_cast<double>(size),
                           "must have as many numbers as the dimension of the noise");
  std::vector<OnGrid> coordinates;
  for (std::size_t i = 0; i < size; ++i) coordinates.push_back(coordinate(answer, i, plan.grid));
  std::vector<double> result;
  if (plan.standard_deviation) {
    for (const OnGrid& value : coordinates)
      result.push_back(to_double(
          add_rounded_normal(value, *plan.standard_deviation, plan.grid, source), plan.grid));
    return result;
  }
  if (plan.discs) {
    const auto noise = DiscNoiseSampler(*plan.discs, plan.grid).draw(source);
    for (std::size_t i = 0; i < size; ++i)
      result.push_back(
          to_double(coordinates[i].whole + static_cast<Integer128>(noise[i]), plan.grid));
    return result;
  }
  const std::vector<double> noise = draw_spherical_noise(plan.spherical.value(), plan.grid, source);
  for (std::size_t i = 0; i < size; ++i)
    result.push_back(
        to_double(coordinates[i].whole + static_cast<Integer128>(noise[i] / plan.grid), plan.grid));
  return result;
}

}  // namespace modicum
