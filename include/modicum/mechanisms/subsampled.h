// Additive noise on a sample. Poisson: each record takes part with a given probability; X, with the
// record, is the mixture; adjacency is adding or removing one record, where it is not said
// otherwise.
#pragma once

#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// One step of private gradient descent: N(0, standard_deviation^2) on the sum over a sample.
/// 0 < sampling_rate <= 1.
PrivacyLoss subsampled_gaussian(double standard_deviation, double sensitivity,
                                double sampling_rate);

PrivacyLoss subsampled_laplace(double scale, double sensitivity, double sampling_rate);

// Under replacement of one record by another one, or by nothing in its place. `sensitivity` is how
// far that moves the sum, 2C for rows clipped to the norm C. Upper bounds, which dominate both
// directions: one law serves either (docs/derivations/replace-one.md).

/// A batch of a fixed size, drawn without replacement; batch_share is its size over the number of
/// records, which is public.
PrivacyLoss batched_gaussian(double standard_deviation, double sensitivity, double batch_share);
PrivacyLoss batched_laplace(double scale, double sensitivity, double batch_share);

/// What is known of Renyi divergences of such batches [WangBalleKasiviswanathan2019, Theorem 9], of
/// whole orders: for comparison, the pair above being smaller wherever both were computed.
RenyiBounds batched_gaussian_moments(double standard_deviation, double sensitivity,
                                     double batch_share);

/// A Poisson sample; half the sensitivity is what one record contributes.
PrivacyLoss replaced_subsampled_gaussian(double standard_deviation, double sensitivity,
                                         double sampling_rate);

/// Poisson samples of a data set whose size is public; of a sample that is larger than the largest
/// batch a random part is kept, of that size. The record of which neighbors differ is one of
/// `dataset_size`. Rows have norm 1.
struct TruncatedBatches {
  double noise_multiplier, sampling_rate, dataset_size, largest_batch;
};
/// An upper bound: in a full batch a record displaces another one.
/// (docs/derivations/correlated-noise.md)
PrivacyLoss truncated_subsampled_gaussian(const TruncatedBatches& plan, bool replace_one);

/// Throws InvalidParameter unless 0 < rate <= 1.
double require_sampling_rate(double rate);

/// Standard deviation for `count` steps. Needs delta > 0.
Calibration calibrate_subsampled_gaussian(const PrivacyTarget& target, double sensitivity,
                                          double sampling_rate, double count,
                                          Accuracy accuracy = Accuracy::certified);

/// What sampling makes of any (epsilon, delta) guarantee: (log(1 + q (e^epsilon - 1)), q delta),
/// for Poisson sampling under adding or removing a record. Rounded upwards.
PrivacyTarget amplified_by_sampling(const PrivacyTarget& guarantee, double sampling_rate);

}  // namespace modicum
