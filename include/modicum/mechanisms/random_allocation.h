// Gaussian noise on batches to which records are allocated at random, "balls and bins".
#pragma once

#include "modicum/calibration/calibrate.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

inline constexpr double most_allocated_batches = 1e7;
/// A record that contributes more or fewer deviations of the noise than this is accounted for
/// without amplification.
inline constexpr double largest_allocated_ratio = 24.0, least_allocated_ratio = 1e-6;

/// One epoch: each record is put into one of so many batches, uniformly and independently of the
/// others, and the sum over each batch, which one record moves by `sensitivity` at most, gets
/// N(0, standard_deviation^2). For adding or removing a record; each sum may depend on the noisy
/// ones before. An upper bound, to some 1e-4 of epsilon, for deltas above 1e-25
/// (docs/derivations/random-allocation.md). Takes about a second, and remembers the last few.
/// Throws InvalidParameter for more batches than the most.
PrivacyLoss allocated_gaussian(double standard_deviation, double sensitivity, double batches);

/// Standard deviation for `count` epochs, proved. Needs delta > 0. Takes a few seconds.
Calibration calibrate_allocated_gaussian(const PrivacyTarget& target, double sensitivity,
                                         double batches, double count);

}  // namespace modicum
