// Coefficients of a logistic regression: log-odds of a label, linear in the features.
//
// As with the other releases: a plan from public knowledge alone, passes over the data, a draw.
// Here there are several passes, one for each step of Newton's method; memory does not depend on
// the number of rows.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "modicum/release/diagnostics.h"
#include "modicum/release/labeled_rows.h"
#include "modicum/release/released.h"

namespace modicum {

/// What is computed from the data, in the units of the standardized features. Not private.
struct LogisticModel {
  LabelRule label;
  double regularization = 0.0, row_norm_bound = 0.0;
  double rows = 0.0;
  Eigen::VectorXd minimizer;
  double minimizer_error = 0.0;  ///< proved: the true minimizer is so near, rounding included
  Eigen::MatrixXd precision;     ///< regularization I + X^T X / 4
  double passes = 0.0;           ///< over the data, for the minimizer
};

/// Newton's method until the minimizer is proved to be within `tolerance` of the true one. The same
/// bits for any number of threads. Throws Error where that cannot be proved.
LogisticModel fit_logistic(const LabeledRows& rows, double regularization, double tolerance,
                           const ReadOptions& options = {});
/// The same for rows in memory, clipped by this clip.
LogisticModel fit_logistic(const LabeledBlock& rows, const IntegerClip& clip, double regularization,
                           double tolerance);

/// A draw from a normal posterior with more noise [LuWei2026, Definition 7].
struct LogisticRequest {
  LabelRule label;
  std::optional<double> regularization;  ///< else default_logistic_regularization
  std::optional<double> largest_rows;    ///< a promise: there are at most so many
};

struct LogisticPlan {
  PublicRows rows;  ///< the features
  LabelRule label;
  double regularization;
  double noise_variance;
  double tolerance;  ///< largest error of the minimizer: 2^-16 row_norm_bound / regularization
  std::optional<double> largest_rows;
  double grid;  ///< of the standardized coefficients
  Certificate certificate;
};

/// Throws InvalidParameter, also for a regularization that is not between 1e-8 and 1e12 times the
/// squared norm bound; CalibrationFailed where the target cannot be met.
LogisticPlan plan_logistic(const PrivacyTarget& target, const PublicRows& features,
                           const LogisticRequest& request);

/// The passes that the plan asks for.
LogisticModel fit(const LogisticPlan& plan, const LabeledRows& rows,
                  const ReadOptions& options = {});

/// Columns `coefficient`, in the units of the file, and `standardized`. Where ranges move the
/// origin there is a row `intercept`, whether it was asked for or not. Throws InvalidParameter for
/// a model that was not made as the plan says, Error if the promise about the rows is broken:
/// nothing is released then.
Released release_logistic(const LogisticPlan& plan, const LogisticModel& model,
                          RandomSource& source);

/// One more pass: rows used, unreadable and clipped, share of the more frequent label, share of
/// the rows that the minimizer and the release classify right, and how far they are apart.
Diagnostics diagnose_logistic(const Released& released, const LogisticModel& model,
                              const Table& table, const LabeledRows& rows,
                              const ReadOptions& options = {});

}  // namespace modicum
