// What the certificates of releases have in common.
#pragma once

#include "modicum/mechanisms/lifting.h"
#include "modicum/release/released.h"

namespace modicum {

/// Columns, ranges, norm bound, rule for bad rows, and what is assumed about them.
void describe_rows(Certificate& certificate, const PublicRows& rows);
/// Columns and ranges alone.
void describe_columns(Certificate& certificate, const PublicRows& rows);
/// The rule for bad rows, and what is assumed of every release from a table and of its files.
void describe_table(Certificate& certificate, BadRows bad_rows, const FileAssumptions& files);
/// What the release brings into a composition, where the guarantee is proved; else nothing.
void describe_loss(Certificate& certificate, Value loss);
/// The target itself, where nothing sharper is known that proves it: any release is at most that.
void describe_loss_by_target(Certificate& certificate);
/// This loss where its profile is proved to meet the target, else the target itself.
void describe_sharper_loss(Certificate& certificate, Value loss);
/// delta is a bound that no neighbors are known to attain: its lower ends are 0.
void describe_bound(Certificate& certificate);
/// The label, the grid, and what the label leaves open.
void describe_arithmetic(Certificate& certificate, Exactness arithmetic, double grid);

/// Noise, sensitivity, the bounds and the gap between them, and the loss of a lifted output.
void describe_lift(Certificate& certificate, const LiftCalibration& found);

/// What is assumed where a minimizer is computed.
void describe_solver(Certificate& certificate);
/// Throws InvalidParameter unless it lies between 1e-8 and 1e12 times the squared bound: beyond,
/// either nothing of the data or nothing of the regularization is left.
double require_regularization(double regularization, double row_norm_bound);

/// Throws InvalidParameter if an option was given that the method does not use.
void refuse_unused(const char* option, const std::optional<double>& value, bool used);
/// Throws InvalidParameter if it was not given.
double require_given(const char* option, const std::optional<double>& value);

/// Throws CalibrationFailed unless the upper end meets the target in both directions.
void require_achieved(const PrivacyTarget& target, const ProfilePoint& achieved);

}  // namespace modicum
