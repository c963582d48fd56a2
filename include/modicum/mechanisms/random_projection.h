// Gaussian random projection of a table D with rows of norm at most l: D^T G, G with `columns`
// standard normal columns, over a ridge. Columns are N(0, D^T D + ridge I)
// [LuWei2026, Lemma 4 and Figure 1]. Proofs: docs/derivations/projection.md.
#pragma once

#include <optional>

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// The pair of a database with and without a row of leverage p in the larger database: one
/// eigenvalue 1 / (1 - p) in each column. X is the database with the row. It dominates every pair
/// of smaller leverage, at every real epsilon (docs/derivations/gaussian-spectrum.md).
PrivacyLoss random_projection(double columns, double leverage);

/// Projection over a ridge > 0: the worst leverage is l^2 / (ridge + l^2), attained by a single
/// row.
PrivacyLoss ridge_projection(double columns, double ridge, double row_norm_bound);

/// Largest leverage at which a projection with `columns` columns meets the target, rounded to the
/// safe side. Needs delta > 0. Throws CalibrationFailed.
double largest_leverage(const PrivacyTarget& target, double columns,
                        Accuracy accuracy = Accuracy::certified);

struct ProjectionCalibration {
  double columns, row_norm_bound;
  double ridge;            ///< added to the Gram matrix; the safe end
  double leverage;         ///< p*: the largest that meets the target, rounded down
  double published_ridge;  ///< l^2 / p*, as [LuWei2026, Figure 1] has it: more than is needed
  ProfilePoint achieved;   ///< of this ridge, certified
};

/// ridge = l^2 (1/p* - 1): the leverage that counts is that in the database which has the row.
/// Needs delta > 0.
ProjectionCalibration calibrate_projection(const PrivacyTarget& target, double columns,
                                           double row_norm_bound);

/// Each row is taken with probability `sampling_rate` > delta [LuWei2026, Figure 3]: the inner
/// target is log(1 + (e^epsilon - 1)/q), delta/q. `achieved` is that of the whole, both directions.
ProjectionCalibration calibrate_subsampled_projection(const PrivacyTarget& target, double columns,
                                                      double row_norm_bound, double sampling_rate);

/// The loss of that: the mixture of the sketch with the row and of that without it, against the
/// latter. For adding and removing a row.
PrivacyLoss subsampled_projection(double columns, double ridge, double row_norm_bound,
                                  double sampling_rate);

/// For a declared set of databases whose rows have at most `set_leverage` in them
/// [LuWei2024, Figure 12]: no ridge if that is enough, else the ridge of
/// calibrate_projection. The guarantee is relative to the set.
ProjectionCalibration calibrate_relative_projection(const PrivacyTarget& target, double columns,
                                                    double row_norm_bound, double set_leverage);

/// What [Sheffet2019, Theorem 2] allows by way of the least singular value
/// [LuWei2026, section 5.2]: epsilon / (4 (sqrt(2 r log(4/delta)) + log(4/delta))).
double singular_value_leverage(const PrivacyTarget& target, double columns);

/// The earlier mechanism: ridge l^2 / singular_value_leverage; `achieved` is what it truly gives.
ProjectionCalibration calibrate_singular_value_projection(const PrivacyTarget& target,
                                                          double columns, double row_norm_bound);

/// Projection by a matrix that may be known, plus noise: privacy from the noise alone. A row moves
/// the projection by l |g|, |g|^2 chi-square with r degrees of freedom; the loss is exact over the
/// law of g. The scheme that [ShowkatbakhshKarakusDiggavi2018] stands for.
PrivacyLoss additive_projection(double columns, double standard_deviation, double row_norm_bound);

struct AdditiveProjectionCalibration {
  double columns, row_norm_bound;
  double standard_deviation;  ///< of the noise on each entry of D^T G
  double norm_bound;          ///< on |g|, exceeded with probability at most delta / 2
  ProfilePoint achieved;
};
AdditiveProjectionCalibration calibrate_additive_projection(const PrivacyTarget& target,
                                                            double columns, double row_norm_bound);

/// Propose-test-release [LuWei2026, Figure 4], by one exact composition: the least eigenvalue of
/// D^T D is released with noise N(0, eigenvalue_noise^2); less `margin` it is a lower bound but for
/// a probability `failure`; the ridge is what is then missing.
struct ProposeTestRelease {
  double columns, row_norm_bound;
  double eigenvalue_noise, failure, margin;
  double leverage;        ///< p*
  double ridge_target;    ///< l^2 / p*: ridge + bound on the least eigenvalue must reach it
  double largest_ridge;   ///< l^2 (1/p* - 1): never more than that is needed
  ProfilePoint achieved;  ///< of the composition, plus `failure`: an upper bound

  /// The ridge for a released bound on the least eigenvalue.
  double ridge(double eigenvalue_bound) const;
  /// How far a row moves the least eigenvalue as it is computed.
  double eigenvalue_sensitivity() const;
};
/// Noise and failure probability are chosen to make ridge_target + margin small unless given.
/// Throws CalibrationFailed where the test alone spends the budget: the published rule
/// max{epsilon - epsilon_T, 0} would overspend there.
ProposeTestRelease calibrate_propose_test_release(const PrivacyTarget& target, double columns,
                                                  double row_norm_bound,
                                                  std::optional<double> eigenvalue_noise = {},
                                                  std::optional<double> failure = {});

}  // namespace modicum
