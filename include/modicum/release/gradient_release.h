// Logistic regressions from rows that a private look has centered and scaled: by noisy gradient
// descent, or by objective perturbation. Proofs: docs/derivations/standardized.md.
//
// As with the other releases: a plan from public knowledge alone, passes over the data, a draw.
#pragma once

#include <optional>

#include "modicum/randomness/random_source.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/labeled_rows.h"
#include "modicum/release/objective_release.h"
#include "modicum/release/released.h"

namespace modicum {

/// Every step has Gaussian noise, and so has the look: squares of mu add up.
struct GradientPlan {
  PublicRows rows;  ///< the features, before the look
  LabelRule label;
  int steps;
  double look_mu, step_mu;  ///< of the look, and of each step
  double clip;              ///< longest gradient of one row
  Certificate certificate;
};
inline constexpr int default_gradient_steps = 20, most_gradient_steps = 10000;

/// Throws InvalidParameter, CalibrationFailed.
GradientPlan plan_gradient(const PrivacyTarget& target, const PublicRows& features,
                           const LabelRule& label, std::optional<double> steps = {});

/// Columns `coefficient`, in the units of the file, and `standardized`. Throws InvalidParameter for
/// rows that are not those of the plan.
Released release_gradient(const GradientPlan& plan, const LabeledRows& rows, RandomSource& source,
                          const ReadOptions& options = {});

/// Objective perturbation of standardized rows.
struct StandardizedPlan {
  PublicRows rows;  ///< before the look
  double look_mu;
  double curvature_mu;      ///< of a look at the curvature, for standard errors; 0: none
  ObjectivePlan objective;  ///< of the rows after it, in units that are not known yet
};
StandardizedPlan plan_standardized(const PrivacyTarget& target, const PublicRows& features,
                                   const ObjectiveRequest& request, bool errors = false);
/// With errors also columns `standard_error`, `lower` and `upper` (95 %): sampling and noise, not
/// what regularization and clipping shrink.
Released release_standardized(const StandardizedPlan& plan, const LabeledRows& rows,
                              RandomSource& source, const ReadOptions& options = {});

/// As diagnose_objective, beside a fit with a regularization of the squared norm bound. `first` are
/// the rows before the look.
Diagnostics diagnose_standardized(const Released& released, const PublicRows& first,
                                  const Table& table, const LabeledRows& rows,
                                  const ReadOptions& options = {});

/// Whether noise will drown so much of the coefficients that small steps do better than a minimum:
/// 21 d / (epsilon n) is about how far they will be off, in units of the spread.
bool gradient_does_better(const PrivacyTarget& target, Eigen::Index dimension,
                          double expected_rows);
inline constexpr double default_expected_rows = 0x1p15;

}  // namespace modicum
