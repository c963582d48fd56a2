// The least noise for two numbers at once, among densities that depend on the distance alone.
#pragma once

#include "modicum/mechanisms/disc_noise.h"

namespace modicum {

struct OptimalDiscNoise {
  DiscNoise noise;
  double sensitivity;
  double error;           ///< of this noise, at most
  double lower_bound;     ///< no additive noise that meets the target has a smaller error
  ProfilePoint achieved;  ///< of all answers, certified at target.epsilon, at most target.delta
};

/// `sensitivity` > 0 bounds the Euclidean distance of the answers on neighboring data sets. The
/// radii are multiples of a power of two of the sensitivity, as fine as can be had in less than a
/// second; how much finer ones would save is seen, not proved: some tenths of a per cent. For
/// several answers, each with fresh noise, the noise is that of the best target which any mechanism
/// may have `count` times. Results are kept. Needs delta > 0. Throws InvalidParameter, and
/// TargetUnreachable where the noise would spread over more than 10000 times the sensitivity.
std::shared_ptr<const OptimalDiscNoise> optimal_disc_noise(const PrivacyTarget& target,
                                                           double sensitivity,
                                                           const NoiseError& error = {},
                                                           double count = 1.0);

/// What its error is at least, told in a moment: whether it is worth looking for.
double least_disc_error(const PrivacyTarget& target, double sensitivity,
                        const NoiseError& error = {}, double count = 1.0);

}  // namespace modicum
