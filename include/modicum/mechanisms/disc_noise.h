// Noise on two numbers at once: a uniform point of a disc whose radius is random. Every density
// that depends on the distance alone and never rises with it is such a mixture, or the limit of
// some.
#pragma once

#include <array>
#include <vector>

#include "modicum/mechanisms/optimal_noise.h"

namespace modicum {

/// The disc of radius (i + 1) width with the probability probabilities[i] divided by their sum.
struct DiscNoise {
  std::vector<double> probabilities;
  double width = 0.0;
};

/// Returns its argument. The width is above 0, the probabilities are at least 0, at most 10^5, the
/// last one above 0, and add up to 1 within 1e-9. Throws InvalidParameter.
const DiscNoise& require_disc_noise(const DiscNoise& noise);

/// `sensitivity` bounds the Euclidean distance of the answers on neighboring data sets. Exact: the
/// loss has finitely many values, and the largest shift is the worst
/// (docs/derivations/optimal-noise.md). Throws InvalidParameter beyond 2 * 10^5 pairs of rings that
/// a shift makes overlap.
PrivacyLoss disc_noise(const DiscNoise& noise, double sensitivity);

/// delta at epsilon >= 0, proved, without the loss.
Enclosure disc_noise_delta(const DiscNoise& noise, double sensitivity, double epsilon);

/// At most: the mean of |X|^2, the mean of |X|, or the radius of the disc that holds X with the
/// probability of the level.
double disc_noise_error(const DiscNoise& noise, const NoiseError& error = {});

/// Draws exactly this noise, each coordinate rounded to a multiple of `grid`, a power of two: the
/// rounding is post-processing.
class DiscNoiseSampler {
 public:
  /// Throws InvalidParameter, also where the noise exceeds 2^52 grids.
  DiscNoiseSampler(const DiscNoise& noise, double grid);
  /// In multiples of the grid.
  std::array<std::int64_t, 2> draw(RandomSource& source) const;

 private:
  TableSampler table_;
  double width_, grid_;
};

}  // namespace modicum
