// Regressions by objective perturbation: the minimizer of the sum of convex losses, a ridge and a
// random linear term. Proofs: docs/derivations/objective-perturbation.md.
//
// As with the other releases: a plan from public knowledge alone, passes over the data, a draw.
#pragma once

#include <optional>

#include "modicum/mechanisms/prediction_loss.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/labeled_rows.h"
#include "modicum/release/released.h"

namespace modicum {

/// How certificates tell that the first coordinate is no column of the table; else "none".
inline constexpr const char* column_of_ones = "column of ones";

struct ObjectiveRequest {
  PredictionLoss loss = PredictionLoss::logistic();
  ResponseRule response;
  std::optional<double> regularization = {};  ///< else default_objective_regularization
  std::optional<double> largest_rows = {};    ///< else default_largest_table
  double look_mu = 0.0;  ///< of Gaussian noise on what is released beside it, for the same target
};
/// Of tables of that many rows the minimizer is found to some 2^-35 of what one row can do; larger
/// promises ask for more noise on top of it, which is next to nothing still.
inline constexpr double default_largest_table = 0x1p24;

struct ObjectivePlan {
  PublicRows rows;  ///< the features
  PredictionLoss loss;
  ResponseRule response;
  double regularization, largest_rows;
  SolvedObjectiveNoise noise;
  double grid;  ///< of the standardized coefficients
  Certificate certificate;

  ObjectiveBounds bounds() const { return loss.bounds(rows.row_norm_bound, regularization); }
};

/// What leaves nine tenths of epsilon to the noise: log(1 + smoothness/lambda) = epsilon/10. Where
/// curvature is tied to slope, the least that costs nothing: 4 smoothness/epsilon for the logistic
/// loss, 2 smoothness/epsilon for log cosh.
double default_objective_regularization(const PrivacyTarget& target, const PredictionLoss& loss,
                                        double row_norm_bound);

/// Throws InvalidParameter, also for a response that does not fit the loss and a regularization
/// that is not between 1e-8 and 1e12 times the squared norm bound; CalibrationFailed where the
/// target cannot be met.
ObjectivePlan plan_objective(const PrivacyTarget& target, const PublicRows& features,
                             const ObjectiveRequest& request);

/// The standardized coefficients: noise drawn exactly, the minimizer found to noise.minimizer_error
/// in some ten passes, noise of its own on top, rounded to the grid. Throws Error where the solver
/// does not get there: nothing is released then.
Eigen::VectorXd draw_objective(const ObjectivePlan& plan, const PassOverRows& pass,
                               const IntegerClip& clip, RandomSource& source);

/// Columns `coefficient`, in the units of the file, and `standardized`. Where ranges move the
/// origin there is a row `intercept`, whether it was asked for or not. Throws InvalidParameter for
/// rows that are not those of the plan.
Released release_objective(const ObjectivePlan& plan, const LabeledRows& rows, RandomSource& source,
                           const ReadOptions& options = {});

/// Rows used, unreadable and clipped; the mean loss and, for labels, the share classified right,
/// without noise and as released; how far the two are apart. Solves the problem without noise.
Diagnostics diagnose_objective(const Released& released, const ObjectivePlan& plan,
                               const Table& table, const LabeledRows& rows,
                               const ReadOptions& options = {});

}  // namespace modicum
