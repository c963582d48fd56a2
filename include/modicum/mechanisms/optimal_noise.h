// The least noise there is: of all noises on the integers that meet a privacy target, one of least
// error, with a proof of how close to the least it is (docs/derivations/optimal-noise.md).
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/discrete_staircase.h"
#include "modicum/mechanisms/integer_noise.h"
#include "modicum/randomness/samplers.h"
#include "modicum/randomness/table_sampler.h"

namespace modicum {

/// What is to be small: the mean of k^2, the mean of |k|, or the least w for which |k| <= w with
/// at least this probability.
struct NoiseError {
  enum class Kind { squared, absolute, interval };
  Kind kind = Kind::squared;
  double level = 0.95;  ///< of the interval, above 0 and below 1
  bool operator==(const NoiseError&) const = default;
};

/// Mass proportional to exp(-k^2 / (2 sigma^2)).
struct DiscreteGaussianNoise {
  double sigma = 0.0;
};

/// Noise on the integers: symmetric, never rising away from 0.
using WholeNoise = std::variant<IntegerNoise, Staircase, DiscreteGaussianNoise>;

struct OptimalNoise {
  WholeNoise noise;
  double sensitivity;
  double error;           ///< of this noise, at most
  double lower_bound;     ///< no noise on the integers that meets the target has a smaller error
  ProfilePoint achieved;  ///< of all answers, certified at target.epsilon, at most target.delta
};

inline constexpr double largest_optimal_sensitivity = 4096.0;

/// `sensitivity` is a whole number from 1 to largest_optimal_sensitivity. With sensitivity 1 the
/// noise is optimal up to rounding; else error and lower_bound differ by about delta times the
/// error where delta is small. For several answers, each with fresh noise, the best of what is
/// optimal for a smaller target and of discrete Gaussian noise; the lower bound is then that of a
/// single answer. Results are kept and shared. Throws InvalidParameter, and TargetUnreachable where
/// the least noise spreads over more than 100000 integers and the staircase is no match for it.
std::shared_ptr<const OptimalNoise> optimal_integer_noise(const PrivacyTarget& target,
                                                          double sensitivity,
                                                          const NoiseError& error = {},
                                                          double count = 1.0);

/// For a real number: it is rounded to a multiple of the grid, whole noise is added in its units.
struct OptimalGridNoise {
  std::shared_ptr<const OptimalNoise> whole;  ///< whose sensitivity is that in units of the grid
  double grid;                                ///< a power of two of the sensitivity
  double error;                               ///< with that of rounding, in the units of the number
  double lower_bound;  ///< no additive noise at all that meets the target has a smaller error
};

/// `sensitivity` > 0 is how far a record moves the number at most.
OptimalGridNoise optimal_grid_noise(const PrivacyTarget& target, double sensitivity,
                                    const NoiseError& error = {}, double count = 1.0);

/// floor(value / grid + 1/2), exactly: a value that moves by n grids moves its place by n. Throws
/// InvalidParameter beyond 2^50 grids.
std::int64_t grid_place(double value, double grid);

/// Of an answer that moves by at most `sensitivity`.
PrivacyLoss whole_noise_loss(const WholeNoise& noise, double sensitivity);
/// At most.
double whole_noise_error(const WholeNoise& noise, const NoiseError& error);

/// Draws exactly this noise.
class WholeNoiseSampler {
 public:
  explicit WholeNoiseSampler(const WholeNoise& noise);
  std::int64_t draw(RandomSource& source) const;

 private:
  std::variant<TableSampler, StaircaseSampler, DiscreteGaussianSampler> sampler_;
  std::int64_t first_ = 0;
};

}  // namespace modicum
