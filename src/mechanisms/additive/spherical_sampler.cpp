#include "modicum/mechanisms/spherical_sampler.h"

#include <cmath>

#include "numerics/precise_ball.h"
#include "randomness/exact_real.h"

namespace modicum {
namespace {

double require_grid(double grid) {
  int exponent = 0;
  if (!(grid > 0.0 && std::isfinite(grid) && std::frexp(grid, &exponent) == 0.5))
    throw InvalidParameter("grid", grid, "must be a power of two");
  return grid;
}

// R N_i / |N| with R = (gamma / beta)^{1/p}: R and the direction N / |N| are independent, and the
// direction is uniform on the sphere.
class Coordinate final : public ExactReal {
 public:
  Coordinate(const SphericalNoise& noise, ExactReal& gamma, std::vector<ExactNormal>& normals)
      : noise_(noise), gamma_(gamma), normals_(normals) {}
  void select(std::size_t index) { index_ = index; }

  Ball at(long bits) override {
    const PrecisionScope scope(bits + 64);
    if (bits != bits_) {
      Ball square;
      for (ExactNormal& normal : normals_) {
        const Ball x = normal.at(bits);
        square += x * x;
      }
      const Ball radius = exp(log(gamma_.at(bits) / to_ball(noise_.exact_beta)) / Ball(noise_.p));
      scale_ = radius / sqrt(square);
      bits_ = bits;
    }
    return scale_ * normals_[index_].at(bits);
  }

 private:
  const SphericalNoise& noise_;
  ExactReal& gamma_;
  std::vector<ExactNormal>& normals_;
  std::size_t index_ = 0;
  long bits_ = 0;
  Ball scale_;
};

}  // namespace

double sensitivity_on_grid(double sensitivity, double dimension, double grid) {
  require_non_negative("sensitivity", sensitivity);
  require_count("dimension", dimension);
  require_grid(grid);
  const PrecisionScope scope(128);
  return (Ball(sensitivity) + Ball(grid) * sqrt(Ball(dimension))).upper();
}

std::vector<double> draw_spherical_noise(const SphericalNoise& noise, double grid,
                                         RandomSource& source) {
  require_grid(grid);
  const auto gamma =
      exact_gamma([&noise] { return (Ball(noise.alpha) + 1.0) / Ball(noise.p); }, source);
  std::vector<ExactNormal> normals;
  const auto size = static_cast<std::size_t>(noise.dimension);
  normals.reserve(size);
  for (std::size_t i = 0; i < size; ++i) normals.emplace_back(source);
  Coordinate coordinate(noise, *gamma, normals);
  std::vector<double> result(size);
  for (std::size_t i = 0; i < size; ++i) {
    coordinate.select(i);
    result[i] = nearest_multiple(coordinate, grid) * grid;
  }
  return result;
}

std::vector<double> release_with_spherical_noise(const std::vector<double>& answer,
                                                 const SphericalNoise& noise, double grid,
                                                 RandomSource& source) {
  require_grid(grid);
  if (static_cast<double>(answer.size()) != noise.dimension)
    throw InvalidParameter("answer", static_cast<double>(answer.size()),
                           "must have as many numbers as the dimension of the noise");
  for (const double value : answer)
    if (!(std::abs(value) < 0x1p52 * grid))
      throw InvalidParameter("grid", grid, "is too fine for the size of the answer");
  std::vector<double> result = draw_spherical_noise(noise, grid, source);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] += std::nearbyint(answer[i] / grid) * grid;
  return result;
}

}  // namespace modicum
